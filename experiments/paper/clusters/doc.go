// Package clusters makes the paper's ablation of the number of clusters, as a figure and as
// the table behind it (Figure S1, figureS1_num_clusters).
package clusters
