package search

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
	for _, query := range []string{" ", "qwertyzz", "qwertyzz zzyx"} {
		if _, err := one.SearchVectors(t.Context(), query, 1); !errors.As(err, &unknown) {
			t.Errorf("the query %q, without a known word: %v", query, err)
		}
	}
}

// lists makes indexes have lists from so many bytes of vectors on, with small parts, until the test ends.
func lists(t *testing.T, from int64) {
	before, rows := fromLists, listedRows
	fromLists, listedRows = from, 600
	t.Cleanup(func() { fromLists, listedRows = before, rows })
}

// With lists, Exact finds what there is to find, whether segments were joined or not; without it, nearly all, by the
// same distances, and says that it is approximate. What is written does not depend on threads, and lists stay when
// small segments come behind.
func TestLists(t *testing.T) {
	s := randomSpace(t, 400, 12, true, 50, 5)
	lines := randomText(400, 6000, 7)
	first := writeFile(t, "first", strings.Join(lines[:3500], "\n")+"\n")
	second := writeFile(t, "second", strings.Join(lines[3500:], "\n")+"\n")
	plain := newIndex(t, s, first, second)
	lists(t, 50_000)
	once := newIndex(t, s, first, second)
	joined := filepath.Join(t.TempDir(), "index")
	for _, file := range []string{first, second, writeFile(t, "third", "w1 w2\n")} {
		if _, err := Add(t.Context(), joined, s, text(file), nil); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(open(t, joined, s).manifest.Segments); n != 2 {
		t.Errorf("%d segments, expected the first two joined", n)
	}
	before := runtime.GOMAXPROCS(5)
	again := newIndex(t, s, first, second)
	runtime.GOMAXPROCS(before)
	for _, name := range []string{"000001.vectors", "000001.lists"} {
		a, errA := os.ReadFile(filepath.Join(once.dir, name))
		b, errB := os.ReadFile(filepath.Join(again.dir, name))
		if err := errors.Join(errA, errB); err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs between numbers of threads: %v", name, err)
		}
	}
	const n = 10
	for _, x := range []*Index{once, open(t, joined, s)} {
		if !x.manifest.Segments[0].Vectors.Lists {
			t.Fatal("there are no lists")
		}
		hits, all, compared := 0, 0, int64(0)
		for i := range 30 {
			query := fmt.Sprintf("w%d w%d w%d", 13*i, 13*i+2, 13*i+3)
			x.Exact = true
			exact, errE := x.SearchVectors(t.Context(), query, n)
			x.Exact = false
			some, errS := x.SearchVectors(t.Context(), query, n)
			want, errW := plain.SearchVectors(t.Context(), query, n)
			if err := errors.Join(errE, errS, errW); err != nil {
				t.Fatal(err)
			}
			if exact.Approximate || !some.Approximate || exact.Compared != x.Sentences {
				t.Errorf("%q: %v and %v, %d", query, exact.Approximate, some.Approximate, exact.Compared)
			}
			if x == once && !slices.Equal(exact.Nearest, want.Nearest) {
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
}

// Damage is noticed in what is looked at: every byte of the lists' table, and in an exact search of the vectors.
func TestDamagedLists(t *testing.T) {
	s := randomSpace(t, 50, 6, true, 20, 1)
	lists(t, 100)
	x := newIndex(t, s, writeFile(t, "text", strings.Join(randomText(50, 1000, 1), "\n")+"\n"))
	g := x.manifest.Segments[0]
	for _, name := range []string{g.listsFile(), g.vectorsFile()} {
		path := filepath.Join(x.dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, damaged := range [][]byte{whole[:len(whole)-1], append(bytes.Clone(whole), 0), flipped(whole, 3),
			flipped(whole, len(whole)/2), flipped(whole, len(whole)-1)} {
			if err := os.WriteFile(path, damaged, 0o666); err != nil {
				t.Fatal(err)
			}
			y := open(t, x.dir, s)
			y.Exact = true
			if _, err := y.SearchVectors(t.Context(), "w1 w2", 3); !errors.Is(err, ErrDamaged) ||
				!strings.Contains(err.Error(), name) {
				t.Errorf("%s of %d bytes, %d expected: %v", name, len(damaged), len(whole), err)
			}
			y.Close()
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := open(t, x.dir, s).SearchVectors(t.Context(), "w1 w2", 3); !errors.Is(err, ErrDamaged) {
			t.Errorf("without %s: %v", name, err)
		}
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func flipped(whole []byte, at int) []byte {
	damaged := bytes.Clone(whole)
	damaged[at] ^= 4
	return damaged
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
