package build

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot/reference"
	"contextmover/cmdlib/sppmi"
)

// fixture writes the counts [[0,6,2,1],[6,0,1,3],[2,1,0,8],[1,3,8,0]] of words 0, 1, 2, 3, whose
// histograms are known, and vectors of the clusters {0,1} and {2,3}.
func fixture(t *testing.T, vectors string) *Builder {
	t.Helper()
	dir := t.TempDir()
	v, err := corpus.NewVocabulary([]string{"w0", "w1", "w2", "w3"}, []int64{9, 10, 11, 12})
	if err != nil {
		t.Fatal(err)
	}
	b := New()
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

func open(t *testing.T, b *Builder) (*cmdlib.Space, *Summary) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "space")
	built, err := b.Run(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := cmdlib.Open(dir, reference.New())
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
	row, err := s.Row(id)
	if err != nil {
		panic(err) // a folder has its histograms
	}
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

// Bytes that are not UTF-8 are told of.
func TestSummaryTellsOfInvalidText(t *testing.T) {
	b := New()
	b.Text.Files = []string{filepath.Join(t.TempDir(), "text")}
	b.MinCount, b.Dim, b.Clusters, b.SPPMI.Shift = 1, 4, 2, 1
	text := strings.Repeat("a b c d\nb d e f\nthe caf\xe9 is open\n", 3)
	if err := os.WriteFile(b.Text.Files[0], []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, built := open(t, b); built.Invalid != 3 {
		t.Errorf("%d invalid lines, want 3", built.Invalid)
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
		change   func(b *Builder)
		want     string
		settings bool
	}{
		"foreign vectors":   {func(b *Builder) { os.WriteFile(b.Vectors, []byte("x 1\ny 2\n"), 0o666) }, "none of its words is one of the 4 words", false},
		"zero vectors":      {func(b *Builder) { os.WriteFile(b.Vectors, []byte("w0 0 0\nw1 0 0\n"), 0o666) }, "none of its words", false},
		"too many clusters": {func(b *Builder) { b.Clusters = 5 }, "5 clusters for 4 words", true},
		"equal vectors":     {func(b *Builder) { os.WriteFile(b.Vectors, []byte("w0 1\nw1 1\nw2 1\n"), 0o666) }, "distinct", true},
		"shift too large":   {func(b *Builder) { b.SPPMI.Shift = 1000 }, "a smaller shift than 1000", false},
		"no counts":         {func(b *Builder) { b.Cooccurrences += "x" }, "no such file", false},
	} {
		t.Run(name, func(t *testing.T) {
			b := fixture(t, "w0 1 0\nw1 1 0.1\nw2 0 1\nw3 0.1 1\n")
			c.change(b)
			_, err := b.Run(t.Context(), out)
			if err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, cmdlib.ErrSettings) != c.settings || errors.Is(err, ErrData) == c.settings {
				t.Errorf("error %v, want %q, setting: %t", err, c.want, c.settings)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("something was written")
			}
		})
	}
	// Where the space may not go shows before any file is read.
	b := New()
	b.Vocabulary, b.Cooccurrences, b.Vectors = "absent", "absent", "absent"
	if _, err := b.Run(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "is there and is no space") {
		t.Errorf("error %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := fixture(t, "w0 1 0\nw1 1 0.1\nw2 0 1\nw3 0.1 1\n").Run(ended, out); !errors.Is(err, context.Canceled) || errors.Is(err, ErrData) {
		t.Errorf("error %v, want canceled", err)
	}
}

// novel writes a text whose words are distributed as in natural language [Zipf's law], in sentences on
// one of ten topics that half of the words depend on.
func novel(t *testing.T, tokens int) *Builder {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	const topics, length = 10, 12
	common := rand.NewZipf(random, 1.2, 5, 2_000)
	special := rand.NewZipf(random, 1.2, 5, 3_000)
	var text strings.Builder
	for range tokens / length {
		topic := random.IntN(topics)
		for range length / 2 {
			fmt.Fprintf(&text, "c%d t%dx%d ", common.Uint64(), topic, special.Uint64())
		}
		text.WriteByte('\n')
	}
	path := filepath.Join(t.TempDir(), "novel.txt")
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	b := New()
	b.Text = corpus.Text{Files: []string{path}, Tokenised: true}
	b.MinCount, b.Dim, b.Clusters = 5, 30, 40
	return b
}

// Counts in memory give the Space that the same counts in files give.
func TestFromCounts(t *testing.T) {
	b := novel(t, 20_000)
	b.Sentences = cmdlib.Barycenter
	want, built := open(t, b)
	v, counts, _, err := b.count(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	contents, summary, err := b.FromCounts(t.Context(), v, counts, nil)
	if err != nil {
		t.Fatal(err)
	}
	histograms, err := want.Histograms()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(contents.Histograms.Data, histograms.Data) || !slices.Equal(contents.Vectors, want.Vectors) || contents.Settings != want.Settings ||
		summary.WithEstimate != built.WithEstimate {
		t.Error("another space")
	}
	if _, _, err := b.FromCounts(t.Context(), v, &corpus.Counts{Start: []int64{0}}, nil); !errors.Is(err, ErrData) {
		t.Errorf("counts of no word: %v", err)
	}
}
