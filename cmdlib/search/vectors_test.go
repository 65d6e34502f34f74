package search

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
)

// By vectors an index finds what comparing all vectors finds, in the same order but for what 8 bits cannot tell apart,
// each sentence once with its number; however it came to be.
func TestSearchVectors(t *testing.T) {
	s := randomSpace(t, 400, 12, true, 50, 5)
	lines := randomText(400, 5000, 7)
	one := newIndex(t, s, writeFile(t, "text", strings.Join(lines, "\n")+"\n"))
	dir := filepath.Join(t.TempDir(), "index")
	for part := range slices.Chunk(lines, 700) {
		if _, err := Add(t.Context(), dir, s, text(writeFile(t, "text", strings.Join(part, "\n")+"\n")), nil); err != nil {
			t.Fatal(err)
		}
	}
	many := open(t, dir, s)
	if n := len(many.manifest.Segments); n < 2 {
		t.Errorf("%d segments are too few for this test", n)
	}
	vectors, err := s.Encode(t.Context(), lines)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{"w1 w2 w3", "w77 w300 nothing", lines[17]} {
		q, err := s.Encode(t.Context(), []string{query})
		if err != nil {
			t.Fatal(err)
		}
		var want []Hit
		for i, line := range lines {
			cos := 0.0
			for j, x := range q {
				cos += float64(x) * float64(vectors[i*len(q)+j])
			}
			if line != "" {
				want = append(want, Hit{Distance: max(0, 1-cos), Text: line, Position: int64(i)})
			}
		}
		slices.SortFunc(want, nearer)
		want = once(want)
		const n = 40
		for _, x := range []*Index{one, many} {
			found, err := x.SearchVectors(t.Context(), query, n)
			if err != nil || len(found.Nearest) != n || found.Compared != 5000 {
				t.Fatalf("%q: %d of %d, %v", query, len(found.Nearest), found.Compared, err)
			}
			for i, got := range found.Nearest {
				at := slices.IndexFunc(want, func(h Hit) bool { return h.Text == got.Text })
				if w := want[at]; got.Position != w.Position || got.Equal != w.Equal || got.Distance-w.Distance > 1e-12 ||
					w.Distance-got.Distance > 1e-12 || got.Distance > want[i].Distance+0.01 {
					t.Fatalf("%q: hit %d is %+v, want %+v or nearly as near", query, i, got, w)
				}
			}
		}
	}
	var unknown *cmdlib.UnknownError
	if _, err := one.SearchVectors(t.Context(), " ", 1); !errors.As(err, &unknown) {
		t.Errorf("an empty query: %v", err)
	}
}

// An index has vectors of one space. Another with the same words is asked by its histograms.
func TestVectorsOfAnotherSpace(t *testing.T) {
	path := writeFile(t, "text", "w1 w2\nw3\n")
	s, other := randomSpace(t, 50, 6, true, 20, 1), randomSpace(t, 50, 6, true, 20, 2)
	x := open(t, newIndex(t, s, path).dir, other)
	if _, err := x.SearchVectors(t.Context(), "w1", 1); !errors.Is(err, ErrNoVectors) {
		t.Errorf("vectors of another space: %v", err)
	}
	if found, err := x.Search(t.Context(), "w1 w4", 1); err != nil || len(found.Nearest) != 1 {
		t.Errorf("histograms of another space: %v", err)
	}
	file := filepath.Join(x.dir, x.manifest.Segments[0].vectorsFile())
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	whole[7] ^= 4
	if err := os.WriteFile(file, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, x.dir, s).SearchVectors(t.Context(), "w1", 1); !errors.Is(err, ErrDamaged) {
		t.Errorf("a changed byte: %v", err)
	}
}

// Hits have the words of the text as they stand there, and the lines where they begin, in every layout; equal ones
// are one.
func TestPlaces(t *testing.T) {
	s := randomSpace(t, 50, 6, true, 20, 1)
	for layout, content := range map[corpus.Layout]string{
		corpus.Sentences:  "W1\tis here.\n\nw2 (W3)\nW1\tis here.\nw1 is here .\n",
		corpus.Paragraphs: "W1\tis here. W9!\n\nHe saw w2. W1\tis here.\n",
		corpus.Wrapped:    "W1\nis here.\n\nHe saw\nw2. W1\nis here.\n",
	} {
		dir := filepath.Join(t.TempDir(), "index")
		path := writeFile(t, "text", content)
		if _, err := Add(t.Context(), dir, s, corpus.Text{Files: []string{path}, Layout: layout}, nil); err != nil {
			t.Fatal(err)
		}
		x := open(t, dir, s)
		byCMD, errC := x.Search(t.Context(), "w1", 1)
		byVectors, errV := x.SearchVectors(t.Context(), "w1 is here.", 1)
		if err := errors.Join(errC, errV); err != nil {
			t.Fatal(err)
		}
		for _, found := range []*Found{byCMD, byVectors} {
			h := found.Nearest[0]
			if got := fmt.Sprintf("%d %d %s", h.Number, h.Equal, strings.ReplaceAll(h.Text, "\t", " ")); got != "1 2 W1 is here." {
				t.Errorf("%s: %s", layout, got)
			}
		}
	}
}
