package search

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
)

// cosines are all lines but empty ones by the cosines of their vectors with that of a query.
func cosines(t *testing.T, s *cmdlib.Space, query string, lines []string) (hits []Hit) {
	t.Helper()
	e, err := s.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	q, errQ := e.Encode(t.Context(), []string{query})
	vectors, errV := e.Encode(t.Context(), lines)
	if err := errors.Join(errQ, errV); err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		cos := 0.0
		for j, x := range q {
			cos += float64(x) * float64(vectors[i*len(q)+j])
		}
		if line != "" {
			hits = append(hits, Hit{Distance: max(0, 1-cos), Text: line, Number: int64(i) + 1, Position: int64(i)})
		}
	}
	slices.SortFunc(hits, nearer)
	return hits
}

// By vectors an index finds what comparing all vectors finds, in the same order but for what 8 bits cannot tell apart,
// each sentence once with its number.
func TestSearch(t *testing.T) {
	s := randomSpace(t, 400, 12, 50, 5)
	lines := randomText(400, 5000, 7)
	first, second := writeFile(t, "first", strings.Join(lines[:3500], "\n")+"\n"), writeFile(t, "second", strings.Join(lines[3500:], "\n")+"\n")
	x := newIndex(t, s, first, second)
	for _, query := range []string{"w1 w2 w3", "w77 w300 nothing", lines[17]} {
		want := once(cosines(t, s, query, lines))
		const n = 40
		found, err := x.Search(t.Context(), query, Options{N: n})
		if err != nil || len(found.Nearest) != n || found.Compared != 5000 || found.Approximate || found.Transported != 0 {
			t.Fatalf("%q: %+v, %v", query, found, err)
		}
		for i, got := range found.Nearest {
			w := want[slices.IndexFunc(want, func(h Hit) bool { return h.Text == got.Text })]
			path, number := first, w.Position+1
			if w.Position >= 3500 {
				path, number = second, w.Position-3499
			}
			if got.Position != w.Position || got.Path != path || got.Number != number || got.Equal != w.Equal ||
				math.Abs(got.Distance-w.Distance) > 1e-12 || got.Distance > want[i].Distance+0.01 {
				t.Fatalf("%q: hit %d is %+v, want %+v or nearly as near", query, i, got, w)
			}
		}
	}
}

// lists makes indexes have lists from so many bytes of vectors on, with small parts, until the test ends.
func lists(t *testing.T, from int64) {
	before, rows := fromLists, listedRows
	fromLists, listedRows = from, 600
	t.Cleanup(func() { fromLists, listedRows = before, rows })
}

// With lists, Exact finds what there is to find; without it, nearly all, by the same distances, and says that it is
// approximate.
func TestLists(t *testing.T) {
	s := randomSpace(t, 400, 12, 50, 5)
	path := writeFile(t, "text", strings.Join(randomText(400, 6000, 7), "\n")+"\n")
	plain := newIndex(t, s, path)
	lists(t, 50_000)
	x := newIndex(t, s, path)
	if plain.HasLists() || !x.HasLists() {
		t.Fatal("there are no lists")
	}
	const n = 10
	hits, all, compared := 0, 0, int64(0)
	for i := range 30 {
		query := fmt.Sprintf("w%d w%d w%d", 13*i, 13*i+2, 13*i+3)
		exact, errE := x.Search(t.Context(), query, Options{N: n, Exact: true})
		some, errS := x.Search(t.Context(), query, Options{N: n})
		want, errW := plain.Search(t.Context(), query, Options{N: n})
		if err := errors.Join(errE, errS, errW); err != nil {
			t.Fatal(err)
		}
		if exact.Approximate || !some.Approximate || exact.Compared != x.Sentences {
			t.Errorf("%q: %v and %v, %d", query, exact.Approximate, some.Approximate, exact.Compared)
		}
		if !slices.Equal(exact.Nearest, want.Nearest) {
			t.Fatalf("%q: %v, want %v", query, exact.Nearest, want.Nearest)
		}
		for _, h := range exact.Nearest {
			all++
			if slices.Contains(some.Nearest, h) {
				hits++
			}
		}
		compared += some.Compared
	}
	if recall := float64(hits) / float64(all); recall < 0.9 || compared > 30*x.Sentences/4 {
		t.Errorf("recall@%d %.3f, %d sentences compared of %d for each query", n, recall, compared/30, x.Sentences)
	}
}

// Damage is noticed in what is looked at: every byte of the lists' table, and in an exact search of the vectors.
func TestDamagedLists(t *testing.T) {
	s := randomSpace(t, 50, 6, 20, 1)
	lists(t, 100)
	x := newIndex(t, s, writeFile(t, "text", strings.Join(randomText(50, 1000, 1), "\n")+"\n"))
	whole, err := os.ReadFile(x.path)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "index")
	for _, name := range []string{listsFile, vectorsFile} {
		for _, part := range []float64{0.01, 0.5, 0.99} {
			if err := os.WriteFile(path, changed(t, whole, name, part), 0o666); err != nil {
				t.Fatal(err)
			}
			y := open(t, path, s)
			if _, err := y.Search(t.Context(), "w1 w2", Options{N: 3, Exact: true}); !errors.Is(err, ErrDamaged) ||
				!strings.Contains(err.Error(), name) {
				t.Errorf("%s changed at %v: %v", name, part, err)
			}
			y.Close()
		}
	}
}

// Hits have the words of the text as they stand there, and the lines where they begin, in every layout; equal ones
// are one.
func TestPlaces(t *testing.T) {
	s := randomSpace(t, 50, 6, 20, 1)
	for layout, content := range map[corpus.Layout]string{
		corpus.Sentences:  "W1\tis here.\n\nw2 (W3)\nW1\tis here.\nw1 is here .\n",
		corpus.Paragraphs: "W1\tis here. W9!\n\nHe saw w2. W1\tis here.\n",
		corpus.Wrapped:    "W1\nis here.\n\nHe saw\nw2. W1\nis here.\n",
	} {
		dir := filepath.Join(t.TempDir(), "index")
		path := writeFile(t, "text", content)
		if _, err := Write(t.Context(), dir, s, corpus.Text{Files: []string{path}, Layout: layout}, "", nil); err != nil {
			t.Fatal(err)
		}
		x := open(t, dir, s)
		byCMD, errC := x.Search(t.Context(), "w1", Options{N: 1, Rerank: s})
		byVectors, errV := x.Search(t.Context(), "w1 is here.", Options{N: 1})
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
