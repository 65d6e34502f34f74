// Package geometry asks what the ground cost is good for, a question that the paper leaves open: rows of sentence
// similarity with their cost, with one that charges every move the same (flat), and with one that puts each cluster
// where another is (shuffled); and the same histograms compared without any cost. Table and figure sts_geometry.
// Without clusters, too: sts_geometry_limit without any cost, sts_geometry_contexts by exact transport between
// single contexts. The same of words: wordsim_geometry, and hypernymy_geometry with the entailment cost.
package geometry
