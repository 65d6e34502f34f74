// Package scaling makes the experiment on the amount of text, of which the paper has two points (Table 1, rows a and
// c). It scores the same rows of sentence similarity on growing parts of the corpus (table and figure sts_scaling).
package scaling
