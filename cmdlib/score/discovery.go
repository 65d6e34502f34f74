package score

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// FalseDiscovery returns Benjamini and Hochberg's adjusted p-values of m tests: with p_(1) ≤ … ≤ p_(m),
//
//	q_(i) = min( 1, min_{j ≥ i} p_(j) m / j )
//
// If the tests are independent or positively dependent, at most a share f of those with q ≤ f is expected to be false
// discoveries [Benjamini and Hochberg 1995; Benjamini and Yekutieli 2001]. It panics for a p outside [0, 1].
func FalseDiscovery(p []float64) []float64 {
	m := len(p)
	order := make([]int, m)
	for i := range order {
		order[i] = i
		if !(p[i] >= 0 && p[i] <= 1) {
			panic(fmt.Sprintf("score: p[%d] = %v is not in [0, 1]", i, p[i]))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	q := make([]float64, m)
	least := 1.0
	for i := m - 1; i >= 0; i-- {
		least = math.Min(least, p[order[i]]*float64(m)/float64(i+1))
		q[order[i]] = least
	}
	return q
}
