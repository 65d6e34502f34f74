package dive

import (
	"cmp"
	"slices"

	"contextmover/experiments/harness/score"
)

// The scores of how surely a word of the vector wide is a hypernym of that of the vector
// narrow [section 3.2 of the paper]; greater is surer.

// DeltaS returns ΔS = ‖wide‖₁ − ‖narrow‖₁: a hypernym is the more general word.
func DeltaS(narrow, wide []float32) float64 {
	sum := 0.0
	for k, x := range wide {
		sum += float64(x) - float64(narrow[k])
	}
	return sum
}

// CDeltaS returns C·ΔS = cos(narrow, wide)·ΔS: a hypernym is a similar and more general word. It is 0 if a vector is.
func CDeltaS(narrow, wide []float32) float64 {
	return score.Cosine(narrow, wide) * DeltaS(narrow, wide)
}

// overPenalty is w_0 of AL1.
const overPenalty = 5

// AL1 returns the negated asymmetric distance, with p and q the vectors of wide and narrow scaled to sum 1,
//
//	−min_{a ≥ 0} Σ_k [ w_0 max(a q_k − p_k, 0) + max(p_k − a q_k, 0) ],   w_0 = 5
//
// which is 0 where some multiple of one is the other. It is lower the less of the narrow word's contexts the wide one
// has; −1 is the least, and the value if a vector is 0.
func AL1(narrow, wide []float32) float64 {
	var p, q float64
	for k, x := range wide {
		p += float64(x)
		q += float64(narrow[k])
	}
	if p == 0 || q == 0 {
		return -1
	}
	// The sum is convex and linear between the points p_k/q_k; its slope is (w_0+1)·Q − 1, where Q is the sum of the
	// q_k of the points up to a.
	type point struct{ at, q float64 }
	points := make([]point, 0, len(wide))
	for k, x := range narrow {
		if x > 0 {
			points = append(points, point{float64(wide[k]) / p / (float64(x) / q), float64(x) / q})
		}
	}
	slices.SortFunc(points, func(x, y point) int {
		return cmp.Compare(x.at, y.at)
	})
	a, sum := 0.0, 0.0
	for _, x := range points {
		a = x.at
		if sum += x.q; (overPenalty+1)*sum >= 1 {
			break
		}
	}
	distance := 0.0
	for k, x := range wide {
		d := a*float64(narrow[k])/q - float64(x)/p
		distance += max(overPenalty*d, -d)
	}
	return -distance
}
