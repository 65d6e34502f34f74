package gaussian

import (
	"fmt"
	"math"

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
	var xy, xx, yy float64
	for k := range dim {
		x, y := float64(narrow[k]), float64(wide[k])
		xy, xx, yy = xy+float64(x*y), xx+float64(x*x), yy+float64(y*y)
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

func sameLength(narrow, wide []float32) int {
	if len(narrow) != len(wide) || len(narrow)%2 != 0 {
		panic(fmt.Sprintf("gaussian: distributions of %d and %d numbers", len(narrow), len(wide)))
	}
	return len(narrow) / 2
}
