package experiments

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/dataset"
	"contextmover/experiments/miniworld"
	"contextmover/experiments/pipeline"
)

// fixture writes the counts [[0,6,2,1],[6,0,1,3],[2,1,0,8],[1,3,8,0]] of words 0, 1, 2, 3, whose
// histograms are known, and vectors of the clusters {0,1} and {2,3}.
func fixture(t *testing.T, vectors string) *Build {
	t.Helper()
	dir := t.TempDir()
	v, err := corpus.NewVocabulary([]string{"w0", "w1", "w2", "w3"}, []int64{9, 10, 11, 12})
	if err != nil {
		t.Fatal(err)
	}
	b := NewBuild()
	b.Vocabulary, b.Cooccurrences, b.Vectors = filepath.Join(dir, "vocab.txt"), filepath.Join(dir, "counts.bin"), filepath.Join(dir, "vectors.txt")
	counts := &corpus.Counts{
		Rows: 4, Cols: 4, Start: []int64{0, 3, 6, 9, 12},
		Index: []int32{1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2},
		Value: []float64{6, 2, 1, 6, 1, 3, 2, 1, 8, 1, 3, 8},
	}
	if err := errors.Join(v.Write(b.Vocabulary), corpus.WriteCooccurrences(t.Context(), b.Cooccurrences, counts), os.WriteFile(b.Vectors, []byte(vectors), 0o666)); err != nil {
		t.Fatal(err)
	}
	b.Clusters, b.SPPMI = 2, sppmi.Params{Smoothing: 0.75, Shift: 1}
	return b
}

func open(t *testing.T, b *Build) (*cmdlib.Space, *Built) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "space")
	built, err := b.Run(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := pipeline.Engine("reference")
	if err != nil {
		t.Fatal(err)
	}
	s, err := cmdlib.Open(dir, engine)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, built
}

// histogram returns a word's histogram, the bin of w0 first.
func histogram(s *cmdlib.Space, word string) []float64 {
	bin := func(word string) int {
		id, _ := s.ID(word)
		x := s.Vectors[int(id)*s.Dim : int(id+1)*s.Dim]
		best, at := math.Inf(-1), 0
		for k := range s.Cost.K {
			cos := 0.0
			for i, c := range s.Centroids[k*s.Dim : (k+1)*s.Dim] {
				cos += float64(c * x[i])
			}
			if cos > best {
				best, at = cos, k
			}
		}
		return at
	}
	id, _ := s.ID(word)
	row := s.Histograms.Row(int(id))
	first := bin("w0")
	return []float64{float64(row[first]), float64(row[1-first])}
}

func TestBuildOnKnownCounts(t *testing.T) {
	s, built := open(t, fixture(t, "w0 1 0\nw1 1 0.1\nw2 0 1\nw3 0.1 1\n"))
	if built.Words != 4 || built.WithVector != 4 || built.WithEstimate != 4 || built.Pairs != 12 || built.Dim != 2 || built.Clusters != 2 {
		t.Errorf("%+v", built)
	}
	// Computed independently from the formulas, β = 1.
	if h := histogram(s, "w1"); math.Abs(h[0]-0.922552) > 1e-5 || math.Abs(h[1]-0.077448) > 1e-5 {
		t.Errorf("histogram %v, want 0.922552 0.077448", h)
	}
}

// Bytes that are not UTF-8 are told of, once.
func TestBuildTellsOfInvalidText(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	b := NewBuild()
	b.Text.Files = []string{filepath.Join(t.TempDir(), "text")}
	b.MinCount, b.Dim, b.Clusters, b.SPPMI.Shift = 1, 4, 2, 1
	text := strings.Repeat("a b c d\nb d e f\nthe caf\xe9 is open\n", 3)
	if err := os.WriteFile(b.Text.Files[0], []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	_, built := open(t, b)
	if built.Invalid != 3 || strings.Count(log.String(), "not UTF-8") != 1 || !strings.Contains(log.String(), "lines=3") {
		t.Errorf("%d invalid lines, log: %s", built.Invalid, &log)
	}
}

// A word without a vector has no estimate, and is no context of the others; but it counts in
// the totals that associations are relative to.
func TestWordsWithoutVectorTakeNoPart(t *testing.T) {
	b := fixture(t, "w0 1 0\nw1 1 0.1\nw2 0 1\nelsewhere 5 5\n")
	s, built := open(t, b)
	// w2 is associated with w3 only, so it has no estimate either.
	if built.WithVector != 3 || built.WithEstimate != 2 || s.Has("w3") || s.Has("w2") {
		t.Errorf("%+v, w3 known: %t", built, s.Has("w3"))
	}
	v, counts, _, err := b.count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, err := sppmi.Compute(t.Context(), counts, b.SPPMI)
	if err != nil {
		t.Fatal(err)
	}
	// Bins {w0, w1} and {w2}, divided by their totals over all words, w3 included [method: the
	// column of the missing words is dropped before any normalisation].
	var rows [4][2]float64
	var totals [2]float64
	for w := range v.Len() {
		for at := a.Start[w]; at < a.Start[w+1]; at++ {
			if c := a.Index[at]; c < 3 {
				rows[w][c/2] += float64(a.Value[at])
				totals[c/2] += float64(a.Value[at])
			}
		}
	}
	for w := range 2 {
		x, y := rows[w][0]/totals[0], rows[w][1]/totals[1]
		h := histogram(s, v.Words[w])
		if math.Abs(h[0]-x/(x+y)) > 1e-5 || math.Abs(h[1]-y/(x+y)) > 1e-5 {
			t.Errorf("%s: %v, want %v %v", v.Words[w], h, x/(x+y), y/(x+y))
		}
	}
}

func TestBuildFails(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	for name, c := range map[string]struct {
		change   func(b *Build)
		want     string
		settings bool
	}{
		"foreign vectors":   {func(b *Build) { os.WriteFile(b.Vectors, []byte("x 1\ny 2\n"), 0o666) }, "none of its words is one of the 4 words", false},
		"zero vectors":      {func(b *Build) { os.WriteFile(b.Vectors, []byte("w0 0 0\nw1 0 0\n"), 0o666) }, "none of its words", false},
		"too many clusters": {func(b *Build) { b.Clusters = 5 }, "5 clusters for 4 words", true},
		"equal vectors":     {func(b *Build) { os.WriteFile(b.Vectors, []byte("w0 1\nw1 1\nw2 1\n"), 0o666) }, "distinct", true},
		"shift too large":   {func(b *Build) { b.SPPMI.Shift = 1000 }, "a smaller shift than 1000", false},
		"no counts":         {func(b *Build) { b.Cooccurrences += "x" }, "no such file", false},
	} {
		t.Run(name, func(t *testing.T) {
			b := fixture(t, "w0 1 0\nw1 1 0.1\nw2 0 1\nw3 0.1 1\n")
			c.change(b)
			_, err := b.Run(t.Context(), out)
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, pipeline.ErrSettings) != c.settings || errors.Is(err, dataset.ErrData) == c.settings {
				t.Errorf("error %v, want %q, setting: %t", err, c.want, c.settings)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("something was written")
			}
		})
	}
	// Where the space may not go shows before any file is read.
	precious := t.TempDir()
	if err := os.WriteFile(filepath.Join(precious, "thesis.tex"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	b := NewBuild()
	b.Vocabulary, b.Cooccurrences, b.Vectors = "absent", "absent", "absent"
	if _, err := b.Run(t.Context(), precious); err == nil || !strings.Contains(err.Error(), "neither empty nor a space") {
		t.Errorf("error %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fixture(t, "w0 1 0\nw1 1 0.1\nw2 0 1\nw3 0.1 1\n").Run(ended, out); !errors.Is(err, context.Canceled) || errors.Is(err, dataset.ErrData) {
		t.Errorf("error %v, want canceled", err)
	}
}

// ownWorld writes a generated text and its sentence pairs.
func ownWorld(t *testing.T, tokens int) (dir string, b *Build) {
	t.Helper()
	dir = t.TempDir()
	w, err := miniworld.Generate(miniworld.DefaultSeed, tokens)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(dir); err != nil {
		t.Fatal(err)
	}
	b = NewBuild()
	b.Text = corpus.Text{Files: []string{filepath.Join(dir, "corpus.txt")}}
	b.MinCount, b.Dim, b.Clusters = 5, 30, 40
	return dir, b
}

func TestScorePairs(t *testing.T) {
	dir, b := ownWorld(t, 60_000)
	s, _ := open(t, b)
	engine, err := pipeline.Engine("cpu")
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := dataset.ReadPairs(filepath.Join(dir, "sts", "mini-topic", "changes.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	pairs = append(pairs[:20:20], dataset.Pair{A: "qqq zzz", B: pairs[0].B, Gold: 1, HasGold: true})
	for _, method := range PairMethods() {
		scores, err := ScorePairs(t.Context(), s, engine, pairs, method, false, nil)
		if err != nil {
			t.Fatal(method, err)
		}
		if scores.Covered[20] || scores.Coverage() != 20.0/21 || !scores.Gold || scores.Pearson.Undefined != "" || scores.Spearman.Undefined != "" {
			t.Errorf("%s: %+v", method, scores)
		}
		if r := scores.Pearson; !(r.Low <= r.Value && r.Value <= r.High) {
			t.Errorf("%s: interval %+v", method, r)
		}
		if method != "average" {
			continue
		}
		// The space is asked in the same words.
		for i, p := range pairs[:20] {
			d, err := s.SentenceDistance(t.Context(), p.A, p.B)
			if err != nil || math.Abs(d.Cost+scores.Value[i]) > 1e-5 {
				t.Errorf("pair %d: distance %v, %v; score %v", i, d.Cost, err, scores.Value[i])
			}
		}
	}
	for _, c := range []struct {
		method   string
		removePC bool
	}{{"wmd", false}, {"comb", true}, {"average", true}} {
		if _, err := ScorePairs(t.Context(), s, engine, pairs, c.method, c.removePC, nil); !errors.Is(err, pipeline.ErrSettings) {
			t.Errorf("%s: error %v", c.method, err)
		}
	}
	// All gold scores the same, and no gold at all.
	for i := range pairs {
		pairs[i].Gold = 2
	}
	if scores, err := ScorePairs(t.Context(), s, engine, pairs, "sif", true, nil); err != nil || scores.Pearson.Undefined == "" {
		t.Errorf("%+v, %v", scores, err)
	}
	for i := range pairs {
		pairs[i].HasGold = false
	}
	if scores, err := ScorePairs(t.Context(), s, engine, pairs, "average-mix", true, nil); err != nil || scores.Gold || len(scores.Value) != 21 {
		t.Errorf("%+v, %v", scores, err)
	}
}
