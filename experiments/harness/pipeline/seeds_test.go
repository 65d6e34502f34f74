package pipeline

import (
	"slices"
	"testing"

	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// A further seed makes what a run with that seed makes, but keeps the generated world.
func TestFurtherSeedsHaveTheirOwnKeys(t *testing.T) {
	files := []string{`corpus.kind="files"`, `corpus.files=["corpora/mini.txt"]`}
	first := seeded(t, files...)
	first.refs.Store(fileName("corpora/mini.txt"), []store.Ref{{Key: "text"}}) // stands for the file
	second := seeded(t, append(files, "seed=2")...)
	second.refs.Store(fileName("corpora/mini.txt"), []store.Ref{{Key: "text"}})
	further := first.WithSeed(2)
	for _, kind := range []string{profile.SVD, profile.Entailment} {
		var keys []store.Key
		for _, w := range []*Workspace{first, second, further} {
			key, err := store.Keys(w.VectorsNode(kind))
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, key...)
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

// A further arrangement changes what shuffled costs are made with and nothing else, and those of two differ.
func TestShufflesHaveTheirOwnKeys(t *testing.T) {
	w := seeded(t, "seeds.shuffles=3")
	row := w.Profile.STS.Rows[slices.IndexFunc(w.Profile.STS.Rows, profile.Row.HasHistograms)]
	keys := map[bool][]store.Key{}
	for _, shuffled := range []bool{false, true} {
		row := row
		if shuffled {
			row = row.With("mix", 0.0).With("geometry", method.Shuffled)
		}
		for _, w := range append([]*Workspace{w}, w.Shuffles()...) {
			key, err := store.Keys(w.ScoresNode(row, w.Profile.STS.Groups[0].Sets[0]))
			if err != nil {
				t.Fatal(err)
			}
			keys[shuffled] = append(keys[shuffled], key...)
		}
	}
	if k := keys[false]; k[0] != k[1] || k[0] != k[2] {
		t.Error("scores with the true cost depend on how others are shuffled")
	}
	if k := keys[true]; k[0] == k[1] || k[0] == k[2] || k[1] == k[2] {
		t.Error("three arrangements have two keys in common")
	}
}
