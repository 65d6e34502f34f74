package method

import (
	"slices"
	"testing"

	"contextmover/cmdlib/ot"
)

// Costs are lowered to the quantile of those between different bins, none is raised, and the whole changes nothing.
func TestLower(t *testing.T) {
	cost := ot.Cost{K: 3, Data: []float32{0, 1, 2, 1, 0, 4, 2, 4, 0}}
	for q, want := range map[float64][]float32{
		1: {0, 1, 2, 1, 0, 4, 2, 4, 0}, .5: {0, 1, 2, 1, 0, 2, 2, 2, 0}, .3: {0, 1, 1, 1, 0, 1, 1, 1, 0}, 0: {0, 1, 1, 1, 0, 1, 1, 1, 0},
	} {
		if got := (Threshold{q}).Lower(cost).Data; !slices.Equal(got, want) {
			t.Errorf("quantile %v: %v, want %v", q, got, want)
		}
	}
	if cost.Data[5] != 4 {
		t.Error("the costs themselves are changed")
	}
}

// What is kept of thresholded barycenters is their own, and mixes are refused.
func TestThresholdedNeeds(t *testing.T) {
	m := KindOf(thresholdedBarycenter{}).Method.(thresholdedBarycenter)
	other := m
	other.Quantile = .25
	if m.Needs().Combined == other.Needs().Combined || m.Needs().Combined == m.Barycenter.Needs().Combined {
		t.Errorf("%+v of another threshold, or of none", m.Needs().Combined)
	}
	if err := Set(m, "mix", .5).Validate(); err == nil {
		t.Error("a mix: no error")
	}
}
