// Package geometry measures what the ground cost is good for, a question that the paper leaves open. It compares rows
// of sentence similarity under three costs. They are the rows' own, the discrete metric, which charges every move the
// same, and a shuffled one, which puts each cluster where another is. It also compares the same histograms without
// any cost. Table and figure sts_geometry. The same of words: wordsim_geometry, and hypernymy_geometry with the
// entailment cost.
package geometry
