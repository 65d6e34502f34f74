// Package sent2vec trains vectors of words and bigrams whose average is a good vector of a
// sentence: Sent2vec [Pagliardini, Gupta, Jaggi, "Unsupervised Learning of Sentence Embeddings using
// Compositional n-Gram Features", NAACL 2018].
//
// A word t of a sentence is predicted from the rest of it. Let v be the mean of the vectors of its context (all other
// words and the n-grams) and u_t the output vector of t. With N words drawn at random as negatives, it minimises
//
//	−ln σ(u_t·v) − Σ_{n∈N} ln σ(−u_n·v)
//
// by stochastic gradients, at a rate that falls linearly to 0. What the paper leaves open is as in the
// authors' program:
//
//   - A word of the share f of the text is predicted with the probability √(t/f) + t/f, and stays in all contexts.
//   - In its context a placeholder with a vector of its own stands for it, in n-grams too.
//   - An n-gram of more than one word is the row of its hash. For each word predicted, the n-grams that touch one of
//     Dropout random places of the sentence are left out, as long as two places are left.
//   - Negatives are drawn in proportion to the square root of their count, and are other words than t.
//     Up to 8 words predicted of a sentence share theirs, one after the other and without those that are the word
//     itself. Rows of negatives are then fetched
//     and moved once [Ji, Satish, Li, Dubey, "Parallelizing Word2Vec in Shared and Distributed Memory", 2016].
//
// A sentence of more than 256 words is cut.
//
// # Order
//
// The original lets threads race through parts of the text. Here 64 readers (a 64th of the words, if that is less),
// each in its own part of the text, take a sentence each. The gradients of these sentences are computed at once from
// the same parameters. Then they are added to the parameters, each row by one worker and in the order of the readers.
// So the result does not depend on the number of threads. Results differ in their last bits between processors with
// AVX-512, with AVX2 and with neither.
package sent2vec
