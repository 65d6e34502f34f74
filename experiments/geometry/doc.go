// Package geometry measures what the ground cost is good for, a question that the paper leaves open. It compares rows
// of sentence similarity with their cost, with one that charges every move the same (the discrete metric), and with
// one that puts each cluster where another is (shuffled). It also compares the same histograms without any cost.
// Table and figure sts_geometry. Without clusters, too: sts_geometry_limit without any cost, sts_geometry_contexts by
// exact transport between single contexts. The same of words: wordsim_geometry, and hypernymy_geometry with the
// entailment cost.
package geometry
