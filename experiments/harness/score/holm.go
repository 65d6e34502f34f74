package score

import (
	"cmp"
	"fmt"
)

// Holm returns the p-values of a family of tests, adjusted for their number by the step-down method of Holm (1979,
// Scandinavian Journal of Statistics 6, 65–70). With the p-values in ascending order p_(1) ≤ … ≤ p_(m),
//
//	adjusted_(i) = max_{j ≤ i} min(1, (m − j + 1) · p_(j))
//
// in the order of p. To decide those tests whose adjusted value is at most α leaves the
// probability of one wrong decision or more at α, however the tests depend on each other.
// It panics on a p-value that is NaN or outside [0, 1].
func Holm(p []float64) []float64 {
	for _, x := range p {
		if !(x >= 0 && x <= 1) {
			panic(fmt.Sprintf("score: p-value %v, expected one from 0 to 1", x))
		}
	}
	adjusted, least := make([]float64, len(p)), 0.0
	for i, at := range sorted(p, cmp.Compare[float64]).items {
		least = max(least, min(1, float64(len(p)-i)*p[at]))
		adjusted[at] = least
	}
	return adjusted
}
