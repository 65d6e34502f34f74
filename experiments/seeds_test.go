package experiments

import (
	"math"
	"testing"

	"contextmover/experiments/dataset"
	"contextmover/experiments/profile"
	"contextmover/experiments/results"
	"contextmover/experiments/store"
)

// A further seed makes what a run with that seed makes, but keeps the generated world.
func TestFurtherSeedsHaveTheirOwnKeys(t *testing.T) {
	files := []string{`corpus.kind="files"`, `corpus.files=["corpora/mini.txt"]`}
	first := hypernymyWorkspace(t, "mini", files...)
	first.sums = map[string]store.Key{"corpora/mini.txt": "text"} // stands for the file
	second := hypernymyWorkspace(t, "mini", append(files, "seed=2")...)
	second.sums = first.sums
	further := first.withSeed(2)
	for _, kind := range []string{profile.SVD, profile.Entailment} {
		var keys []store.Key
		for _, w := range []*Workspace{first, second, further} {
			stage, err := w.vectorsStage(kind)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, stage.Key())
		}
		if keys[2] != keys[1] || keys[2] == keys[0] {
			t.Errorf("%s vectors of seed 1, 2 and a further seed 2 have the keys %v", kind, keys)
		}
	}
	row := hypernymyWorkspace(t, "mini").hypernymyRows()[1]
	if got, want := *row.withClusterSeed(further).CMD, *second.hypernymyRows()[1].CMD; got != want {
		t.Errorf("the row of a further seed is %+v, want %+v", got, want)
	}
	world := hypernymyWorkspace(t, "mini")
	if world.worldStage().Key() != world.withSeed(2).worldStage().Key() {
		t.Error("a further seed has another world")
	}
}

// Every further seed adds one value to each number that has an interval, and to no other.
func TestAddSeeds(t *testing.T) {
	w := hypernymyWorkspace(t, "mini", "seeds=3", "seed=7")
	bound := 1.0
	quantities := []results.Quantity{{Table: "t", Row: "a", Value: 5, Low: &bound, High: &bound}, {Table: "t", Row: "count", Value: 3}}
	err := w.addSeeds(quantities, func(further *Workspace) ([]results.Quantity, error) {
		return []results.Quantity{{Table: "t", Row: "count", Value: 3}, {Table: "t", Row: "a", Value: float64(further.Profile.Seed)}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if s := quantities[0].Seeds; len(s) != 2 || s[0] != 8 || s[1] != 9 {
		t.Errorf("seeds %v, want 8 and 9", s)
	}
	if quantities[1].Seeds != nil {
		t.Errorf("a count has seeds %v", quantities[1].Seeds)
	}
	table := seedsTable(w.Profile, "test", 1, quantities, func(results.Quantity) bool { return true })
	// Of 5, 8 and 9: mean 22/3, variance (49 + 4 + 25)/9/2 = 13/3.
	cells := table.Blocks[0].Rows[0].Cells
	if len(table.Blocks[0].Rows) != 1 || math.Abs(*cells[0].Value-22.0/3) > 1e-12 || math.Abs(*cells[1].Value-math.Sqrt(13.0/3)) > 1e-12 {
		t.Errorf("mean %v and standard deviation %v", *cells[0].Value, *cells[1].Value)
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
	if n := len(distinctPairs(pairs)); n != 3 {
		t.Errorf("%d distinct pairs, want 3", n)
	}
}

// An interval contains the seeds, and what a seed does to two rows alike cancels in their gain.
func TestGainOverSeeds(t *testing.T) {
	flat := func(v float64) []float64 {
		d := make([]float64, claimDraws)
		for i := range d {
			d[i] = v
		}
		return d
	}
	base, row := estimated(40, flat(40), nil), estimated(42, flat(42), nil)
	for _, shift := range []float64{-3, 4} {
		base.addSeed(40 + shift)
		row.addSeed(42 + shift)
	}
	if row.Low != 39 || row.High != 46 {
		t.Errorf("interval [%v, %v], want [39, 46]", row.Low, row.High)
	}
	h := &Hypernymy{
		Sets: []profile.HypernymySet{{Name: "set"}}, Rows: []HypernymyRow{{Key: hendersonKey}, {Key: "cmd"}},
		Measures: map[string][]*HypernymyMeasure{hendersonKey: {{AP: base}}, "cmd": {{AP: row}}},
	}
	if g := h.averageGain(h.Rows[1], []string{"set"}); g.Value != 2 || g.Low != 2 || g.High != 2 {
		t.Errorf("gain %v [%v, %v], want 2", g.Value, g.Low, g.High)
	}
}
