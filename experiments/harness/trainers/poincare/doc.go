// Package poincare trains words as points of a product of hyperbolic planes on co-occurrence counts, as GloVe trains
// vectors: Poincaré GloVe [Tifrea, Bécigneul, Ganea 2019, "Poincaré GloVe: Hyperbolic Word Embeddings", ICLR,
// arXiv:1810.06546].
//
// It minimises the sum over all counts X of word i near word j of
//
//	½ f(X) (−h(d(x_i, y_j)) + b_i + c_j − ln X)²,   f(X) = min(1, (X/XMax)^Exponent),   h(d) = cosh² d
//
// where x and y are points of words and contexts, one of each Poincaré disk, and d² is the sum over the disks of
//
//	d_k² = 4 arsinh² √u_k,   u_k = |x_k − y_k|² / ((1 − |x_k|²) (1 − |y_k|²))
//
// # Training
//
// Every disk of a point follows the Riemannian gradient g of the loss, which is (1 − |x|²)²/4 times the Euclidean
// one, by Riemannian AdaGrad. So x moves along the geodesic in the direction −η g/√G, and G, which starts at 1, grows
// by |g|²/2. Components of g are clipped at ±10. Biases move by AdaGrad, as in GloVe. In the length of a step tanh z
// is z (15 + z²)/(15 + 6z²), and 1 from z = 2.3 on, where that is next to 1. Points start within ±0.001 and stay 1e-4
// from the border. Records are trained in GloVe's order. The result does not depend on the number of threads, but it
// differs in its last bits between processors with and without AVX2.
//
// # Hypernyms
//
// A half-plane, which is a disk by another map, is the space of normal distributions of one dimension
// with Fisher's distance. Gaussians turns and shifts the disks such that words that are known to be
// general, the most frequent ones, lie towards large variances; IsA and Divergence then compare a pair.
package poincare
