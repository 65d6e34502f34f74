// Package gaussian trains words as Gaussian distributions on co-occurrence counts: a mean says what a word means, and a
// variance how broadly [Vilnis, McCallum 2015, "Word Representations via Gaussian Embedding", ICLR, arXiv:1412.6623].
//
// Words and contexts have a distribution N(μ, diag σ) each. The energy of a word w and a context c is high where they
// fit,
//
//	E(w, c) = −KL(N_c ‖ N_w) = −½ Σ_k [ σ_c/σ_w + (μ_w − μ_c)²/σ_w − 1 − ln(σ_c/σ_w) ]
//
// so that a word covers the contexts that it occurs near: one of many contexts is broad. The loss
// of a co-occurrence (w, c) with a context n drawn against it is max(0, margin − E(w, c) + E(w, n)).
//
// # Training
//
// Co-occurrences are drawn in proportion to their counts, subsampled as by word2vec. Means and variances follow the
// gradient of the loss, by AdaGrad with a sum of squares each for the mean and the variance of a word,
//
//	G += mean_k g_k²      x_k −= η g_k / √G
//
// (G starts at 0.01 and η falls linearly to 0). Then means longer than Params.Length are scaled to it. Variances are
// brought between Params.Least and Params.Greatest. Spherical distributions have one variance for all components,
// whose gradient is the sum. The result does not depend on the number of threads.
package gaussian
