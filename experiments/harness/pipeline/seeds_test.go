package pipeline

import (
	"testing"

	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/store"
)

// A further seed makes what a run with that seed makes, but keeps the generated world.
func TestFurtherSeedsHaveTheirOwnKeys(t *testing.T) {
	files := []string{`corpus.kind="files"`, `corpus.files=["corpora/mini.txt"]`}
	first := seeded(t, files...)
	first.keys.Store(fileName("corpora/mini.txt"), store.Key("text")) // stands for the file
	second := seeded(t, append(files, "seed=2")...)
	second.keys.Store(fileName("corpora/mini.txt"), store.Key("text"))
	further := first.WithSeed(2)
	for _, kind := range []string{profile.SVD, profile.Entailment} {
		var keys []store.Key
		for _, w := range []*Workspace{first, second, further} {
			key, err := w.VectorsNode(kind).InputKey()
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, key)
		}
		if keys[2] != keys[1] || keys[2] == keys[0] {
			t.Errorf("%s vectors of seed 1, 2 and a further seed 2 have the keys %v", kind, keys)
		}
	}
	world := seeded(t)
	keys, err := store.Keys(world.worldNode(), world.WithSeed(2).worldNode())
	if err != nil || keys[0] != keys[1] {
		t.Error("a further seed has another world")
	}
}

// seeded is a workspace on the profile mini.
func seeded(t *testing.T, overrides ...string) *Workspace {
	t.Helper()
	p, err := profile.Load("mini", overrides)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &Workspace{Profile: p, Store: s, Engine: cpu.New()}
}

// Every further seed adds one value to each number that has an interval, and to no other.
func TestAddSeeds(t *testing.T) {
	w := seeded(t, "seed=7")
	bound := 1.0
	quantities := []results.Quantity{{Table: "t", Row: "a", Value: 5, Low: &bound, High: &bound}, {Table: "t", Row: "count", Value: 3}}
	err := w.AddSeeds(3, quantities, func(further *Workspace) ([]results.Quantity, error) {
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
}
