// Package paper holds the paper's own sections, one package each with its settings, tables and figures: sentence
// similarity (with the words' weights and the amount of text), hypernymy, word similarity, the number of clusters, the
// qualitative tables, the figures, and the timings.
package paper
