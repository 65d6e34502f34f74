package hypernymy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"contextmover/cmdlib/embedding"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
)

// Vectors that are read from a file give what the same vectors give where they are
// made; words that the file lacks take no part, in no set of pairs either.
func TestVectorsFromFile(t *testing.T) {
	overrides := []string{"hypernymy.cmd.clusters=[10]", "hypernymy.vectors.samples=50_000", "hypernymy.vectors.dim=20"}
	w := pipelinetest.World(t, overrides...)
	made, err := w.VectorsOf(t.Context(), profile.Entailment)
	if err != nil {
		t.Fatal(err)
	}
	row := paperRows(w)[1]
	set := w.Profile.Hypernymy.Sets[0]
	_, terms, err := ReadPairs(t.Context(), w, set)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "henderson.txt")
	load := func(v *embedding.Vectors) *pipeline.Workspace {
		t.Helper()
		if err := v.Write(t.Context(), file, embedding.GloVe); err != nil {
			t.Fatal(err)
		}
		again := pipelinetest.World(t, append(overrides, fmt.Sprintf("hypernymy.vectors.file=%q", file))...)
		again.Store = w.Store
		return again
	}
	score := func(w *pipeline.Workspace, row Row) ([]float64, []bool) {
		t.Helper()
		scores, covered, err := scoreTerms(t.Context(), w, row, "test", terms)
		if err != nil {
			t.Fatal(err)
		}
		return scores, covered
	}

	whole := load(made)
	for _, row := range paperRows(w) {
		want, _ := score(w, row)
		got, _ := score(whole, row)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s: pair %d has %v with vectors from a file, %v with the same made", row.Key, i, got[i], want[i])
			}
		}
	}

	// Without the vectors of one word in five.
	var words []string
	var data []float32
	lacks := map[int32]bool{}
	for i, word := range made.Words {
		if i%5 == 2 {
			lacks[int32(i)] = true
			continue
		}
		words = append(words, word)
		data = append(data, made.Row(i)...)
	}
	fewer, err := embedding.New(words, made.Dim, data)
	if err != nil {
		t.Fatal(err)
	}
	partly := load(fewer)
	for _, row := range paperRows(partly) {
		_, covered := score(partly, row)
		some := 0
		for i, p := range terms {
			if covered[i] && (p.unknown() || lacks[p.Narrow] || lacks[p.Wide]) {
				t.Errorf("%s: pair %d is covered, but lacks a vector", row.Key, i)
			}
			if covered[i] {
				some++
			}
		}
		if some == 0 {
			t.Errorf("%s: no pair is covered", row.Key)
		}
	}
	e, err := partly.Estimates(t.Context(), row.Method.(CMD).estimates(partly))
	if err != nil {
		t.Fatal(err)
	}
	for word := range lacks {
		if e.Known[word] {
			t.Errorf("word %q has an estimate, but no vector", made.Words[word])
		}
	}

	if err := os.WriteFile(file, []byte("qwertz 1 2\nasdf 3 4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	strange := pipelinetest.World(t, append(overrides, fmt.Sprintf("hypernymy.vectors.file=%q", file))...)
	if _, err := strange.VectorsOf(t.Context(), profile.Entailment); !errors.Is(err, dataset.ErrData) {
		t.Errorf("vectors of other words: %v", err)
	}
	missing := pipelinetest.World(t, `hypernymy.vectors.file="nowhere.txt"`)
	if _, err := missing.VectorsOf(t.Context(), profile.Entailment); !errors.Is(err, dataset.ErrData) {
		t.Errorf("no file: %v", err)
	}
}
