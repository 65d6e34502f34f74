package score_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"contextmover/experiments/harness/score"
)

// The adjusted Rand index is 1 of equal partitions whatever their names, has its expected value 0 under random deals,
// and that of Hubert and Arabie's formula for a table.
func TestAdjustedRand(t *testing.T) {
	a := []int{0, 0, 0, 1, 1, 2}
	if got := score.AdjustedRand(a, []int{5, 5, 5, 3, 3, 9}); got != 1 {
		t.Errorf("of equal partitions %g", got)
	}
	// Cells 2, 1, 1, 2; rows 3, 3; columns 3, 3; 15 pairs: (2 − 36/15) / (6 − 36/15).
	got, want := score.AdjustedRand([]int{0, 0, 0, 1, 1, 1}, []int{0, 0, 1, 0, 1, 1}), (2-2.4)/(6-2.4)
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%g, want %g", got, want)
	}
	for _, few := range [][]int{nil, {1}, {2, 2, 2}} {
		if got := score.AdjustedRand(few, few); got != 0 {
			t.Errorf("%g of %v", got, few)
		}
	}
	r, b, mean := rand.New(rand.NewPCG(1, 2)), []int{0, 0, 1, 1, 1, 0}, 0.0
	const draws = 20_000
	for range draws {
		r.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		mean += score.AdjustedRand(a, b) / draws
	}
	if math.Abs(mean) > 0.01 {
		t.Errorf("mean %g of random deals", mean)
	}
}
