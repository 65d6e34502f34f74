package score

import (
	"context"
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

// The interval of two pairs, of which every sample that has a correlation has the same, says that it is unknown; where
// hardly any sample has none, it is that of the others.
func TestCorrelateFewPairs(t *testing.T) {
	for _, correlation := range []Correlation{Pearson, Spearman} {
		for _, c := range []struct {
			x, y    []float64
			unknown bool
		}{
			{[]float64{1, 2}, []float64{5, 1}, true},
			{[]float64{1, 2, 3}, []float64{1, 2, 4}, true},
			{[]float64{1, 1, 1, 1, 1, 2}, []float64{1, 2, 3, 4, 5, 6}, true},
			{[]float64{1, 2, 3, 4, 5, 6}, []float64{1, 2, 3, 4, 5, 7}, false},
		} {
			e, err := Correlate(context.Background(), correlation, c.x, c.y, 1000, 1)
			if err != nil {
				t.Fatal(err)
			}
			if (e.Low == -1 && e.High == 1) != c.unknown || !(e.Low <= e.Value && e.Value <= e.High) {
				t.Errorf("%v and %v: %v in [%v, %v]", c.x, c.y, e.Value, e.Low, e.High)
			}
		}
	}
}
