package score

import (
	"slices"
	"testing"
)

// What moves both numbers alike, with the items or with the seeds, cancels in their difference.
func TestMinusIsPaired(t *testing.T) {
	draws, seeds := []float64{1, 9, 4, 7, 2}, []float64{3, 8}
	shifted := func(v []float64, by float64) []float64 {
		out := slices.Clone(v)
		for i := range out {
			out[i] += by
		}
		return out
	}
	a := NewEstimate(5, draws, seeds)
	b := NewEstimate(3, shifted(draws, -2), shifted(seeds, -2))
	if d := a.Minus(b); d.Value != 2 || d.Low != 2 || d.High != 2 || len(d.Seeds) != 2 {
		t.Errorf("difference %v in [%v, %v], seeds %v", d.Value, d.Low, d.High, d.Seeds)
	}
	// Without seeds a number stays what it is with all of them.
	if d := NewEstimate(5, draws, nil).Minus(b); !slices.Equal(d.Seeds, []float64{5 - 1, 5 - 6}) {
		t.Errorf("seeds %v", d.Seeds)
	}
	if d := b.Minus(NewEstimate(5, draws, nil)); !slices.Equal(d.Seeds, []float64{1 - 5, 6 - 5}) {
		t.Errorf("seeds %v", d.Seeds)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic for other numbers of draws")
		}
	}()
	a.Minus(NewEstimate(5, draws[:2], nil))
}
