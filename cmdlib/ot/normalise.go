package ot

import (
	"math"
	"slices"
)

// roundedSum is how far from 1 rounding to float32 may leave the sum of a row: 2⁻²⁴ if
// the row was divided by its sum in float64, some times that if in float32.
const roundedSum = 0x1p-20

// Normalised returns p with rows that sum to 1: those in use whose sum is further from it than 2⁻²⁰
// are divided by it, in float64, and rounded. It is p itself if there are none, and
// otherwise shares all but the rows. p must be valid. Time and, if there is such a row, memory
// are O(N·K).
//
// Without this no plan would have both rows of a pair as its sums, and iterations would go on to
// MaxIter wherever Tol is less than the difference.
func (p *Problem) Normalised() *Problem {
	seen := make([]bool, p.Rows.Len())
	q := p
	for _, pair := range p.Pairs {
		for _, row := range [2]int32{pair.Source, pair.Target} {
			if seen[row] {
				continue
			}
			seen[row] = true
			sum := unrounded(p.Rows.Row(int(row)))
			if sum == 1 {
				continue
			}
			if q == p {
				other := *p
				other.Rows.Data = slices.Clone(p.Rows.Data)
				q = &other
			}
			for j, x := range p.Rows.Row(int(row)) {
				q.Rows.Row(int(row))[j] = divided(x, sum)
			}
		}
	}
	return q
}

// unrounded returns the sum of a row, or 1 where only rounding makes the difference.
func unrounded(row []float32) float64 {
	var sum float64
	for _, x := range row {
		sum += float64(x)
	}
	if math.Abs(sum-1) <= roundedSum {
		return 1
	}
	return sum
}

func divided(x float32, sum float64) float32 { return float32(float64(x) / sum) }
