// Package dive trains non-negative word vectors on co-occurrence counts. In them a word's contexts lie within those
// of its hypernym: DIVE [Chang, Wang, Vilnis, McCallum 2018, "Distributional Inclusion Vector Embedding for
// Unsupervised Hypernymy Detection", NAACL, arXiv:1710.00880].
//
// It maximises skip-gram's objective with the same weight of negatives for every word, over vectors w of words and c of
// contexts that are nowhere below 0:
//
//	Σ_w [ Σ_c X'(w,c) ln σ(w·c) + k_I Z E ln σ(−w·c) ]
//
// X' are the counts X without co-occurrences that are below k_f times as frequent as between independent words (the
// PMI filter). Z is the mean over words of Σ_c X(w,c); the expectation is over contexts by their count. Where w·c may
// take any value its best one is the pointwise mutual information, shifted by ln(#w/(k_I Z)). With it, w·c ≥ v·c for
// all c where w occurs at least as often as v near every context, as a hypernym should.
//
// # Training
//
// Co-occurrences are drawn in proportion to X'. To each come negatives, drawn by count: as many as their weight for
// the word, at least one and at most Params.Negatives, which share that weight. A pair with the gradient g of its
// objective for w·c takes, component by component and all from the old values,
//
//	G_k += (g c_k)²      w_k = max(0, w_k + η g c_k / √G_k)
//
// and likewise c_k (AdaGrad, projected; G starts at 0.01, vectors uniform in [0, 0.1], and η falls linearly to 0). The
// authors' program takes Adam over batches of text, and negatives of fractional weight 30 per word. The result does not
// depend on the number of threads, but it differs in its last bits between processors with and without AVX2.
package dive
