package gaussian

import (
	"contextmover/experiments/harness/score"
	"contextmover/internal/elementary"
)

// Divergence returns KL(narrow ‖ wide) ≥ 0 of two distributions, each its mean and then its variances, as Train makes
// them: low where the wide one covers the narrow one, as a hypernym should.
func Divergence(narrow, wide []float32) float64 {
	dim := len(narrow) / 2
	sum := 0.0
	for k := range dim {
		r := float64(narrow[dim+k]) / float64(wide[dim+k])
		d := float64(wide[k]) - float64(narrow[k])
		sum += r - 1 - elementary.Log(r) + d*d/float64(wide[dim+k])
	}
	return max(0, sum/2)
}

// Cosine returns that of the angle between two means, 0 if either is 0.
func Cosine(narrow, wide []float32) float64 {
	dim := len(narrow) / 2
	return score.Cosine(narrow[:dim], wide[:dim])
}
