// Package glove trains word vectors on co-occurrence counts: GloVe [Pennington,
// Socher, Manning 2014].
//
// It minimises the sum over all counts X of word i near word j of
//
//	½ f(X) (w_i·v_j + b_i + c_j - ln X)²,   f(X) = min(1, (X/XMax)^Exponent)
//
// by stochastic gradients. A record (i, j, X) takes, all from the old values and
// component by component,
//
//	g    = η f(X) (w_i·v_j + b_i + c_j - ln X)
//	w_i -= g v_j / √G_i      G_i += (g v_j)²       (AdaGrad; G starts at 1)
//	v_j -= g w_i / √H_j      H_j += (g w_i)²
//
// and likewise for the biases b and c, see Rule. A word's vector is w + v.
//
// # Order
//
// The original tool shuffles the records and lets threads race. Here the words are dealt to parts, which cut the
// matrix into blocks. The blocks of a diagonal share neither rows nor columns, so they are trained at once, one
// diagonal after the other. The result does not depend on the number of threads; at most as many as parts work at a
// time. In a block the rows come in random order, and all its records of a row together, in random order too. The
// loss of an epoch is that of full shuffling, within two per cent (a test holds it to that). Results differ in their
// last bits between processors with AVX-512, with AVX2 and with neither.
//
// # Speed
//
// At 300 dimensions a word's parameters and their sums of squares take 2.4 kB. A record reads them for its word and
// its context and writes them again: 4.9 kB each way, 19 times 4 stores of 64 bytes. Records of a row together keep
// the row in the first cache. With 32 parts, 98,492 words leave 7.5 MB of contexts to a block, which the last cache
// holds; they are fetched five records ahead. The bandwidth of stores is left. A loop that adds 1 to an array
// in the first cache stores 196 GB/s on the machine of the measurements (Zen 5, 4.3 GHz). So a record cannot take
// less than 25 ns of a core. On 94.6 million counts of novels and encyclopedia articles we measured 32 ns with all in
// cache, and 45 ns on the whole matrix with both cores on a busy machine. The original's loop in C took 880 ns there.
package glove
