package hypernymy

import (
	"math"
	"testing"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
)

func TestRowOfAFurtherSeed(t *testing.T) {
	w, second := workspace(t, "mini"), workspace(t, "mini", "seed=2")
	got, want := paperRows(w)[1].Method.in(w.WithSeed(2)), paperRows(second)[1].Method.in(second)
	if got.settings["cmd"] != want.settings["cmd"] {
		t.Errorf("the row of a further seed is %+v, want %+v", got, want)
	}
}

// A repeated pair counts once, true if it is anywhere; the other way round is another pair.
func TestDistinctAP(t *testing.T) {
	pairs := []dataset.HypernymPair{{A: "a", B: "b"}, {A: "c", B: "d"}, {A: "a", B: "b", True: true}, {A: "b", B: "a"}}
	// Distinct: a–b (true, .5), c–d (false, .9), b–a (false, .1): the true one is second.
	got, err := distinctAP(pairs, []float64{.5, .9, .5, .1})
	if err != nil || math.Abs(*got-50) > 1e-12 {
		t.Errorf("%v, %v, want 50", *got, err)
	}
	if first, _ := distinct(pairs); len(first) != 3 {
		t.Errorf("distinct pairs %v, want 3", first)
	}
}

// An interval contains the seeds, and what a seed does to two rows alike cancels in their gain.
func TestGainOverSeeds(t *testing.T) {
	flat := func(v float64) []float64 {
		d := make([]float64, pipeline.ClusterDraws)
		for i := range d {
			d[i] = v
		}
		return d
	}
	base, row := score.NewEstimate(40, flat(40), nil), score.NewEstimate(42, flat(42), nil)
	for _, shift := range []float64{-3, 4} {
		base.AddSeed(40 + shift)
		row.AddSeed(42 + shift)
	}
	if row.Low != 39 || row.High != 46 {
		t.Errorf("interval [%v, %v], want [39, 46]", row.Low, row.High)
	}
	h := &Result{
		Sets: []profile.HypernymySet{{Name: "set"}}, Rows: []Row{{Key: hendersonKey}, {Key: "cmd"}},
		Measures: map[string]Measured{hendersonKey: {Sets: []*Measure{{AP: base}}}, "cmd": {Sets: []*Measure{{AP: row}}}},
	}
	if g := h.averageGain(h.Rows[1], func(profile.HypernymySet) bool { return true }); g.Value != 2 || g.Low != 2 || g.High != 2 {
		t.Errorf("gain %v [%v, %v], want 2", g.Value, g.Low, g.High)
	}
}
