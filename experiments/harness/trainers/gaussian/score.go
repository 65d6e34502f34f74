package gaussian

import (
	"fmt"

	"contextmover/experiments/harness/score"
	"contextmover/internal/elementary"
)

// Divergence returns KL(narrow ‖ wide) ≥ 0 of two distributions, each its mean and then its variances, as Train makes
// them: low where the wide one covers the narrow one, as a hypernym should. It panics if the lengths differ or are odd.
func Divergence(narrow, wide []float32) float64 {
	dim := sameLength(narrow, wide)
	sum := 0.0
	for k := range dim {
		r := float64(narrow[dim+k]) / float64(wide[dim+k])
		d := float64(wide[k]) - float64(narrow[k])
		sum += r - 1 - elementary.Log(r) + d*d/float64(wide[dim+k])
	}
	return max(0, sum/2)
}

// Cosine returns that of the angle between two means, 0 if either is 0. It panics as Divergence does.
func Cosine(narrow, wide []float32) float64 {
	dim := sameLength(narrow, wide)
	return score.Cosine(narrow[:dim], wide[:dim])
}

func sameLength(narrow, wide []float32) int {
	if len(narrow) != len(wide) || len(narrow)%2 != 0 {
		panic(fmt.Sprintf("gaussian: distributions of %d and %d numbers", len(narrow), len(wide)))
	}
	return len(narrow) / 2
}
