package search

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
)

// betweenBlanks are the runs of lines that are not blank.
func betweenBlanks(lines []string) (list []span) {
	for i, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if n := len(list); n > 0 && list[n-1].end() == int64(i) {
			list[n-1].count++
		} else {
			list = append(list, span{int64(i), 1})
		}
	}
	return list
}

// randomDocuments has about so many documents about few words each, with blank lines between,
// at the beginning and at the end; some have thousands of words, some one, some none known.
func randomDocuments(words, documents int, seed uint64) (lines []string) {
	random := rand.New(rand.NewPCG(seed, 3))
	for range documents {
		for range random.IntN(3) {
			lines = append(lines, "")
		}
		topic, sentences := random.IntN(words), 1+random.IntN(6)
		if random.IntN(100) == 0 {
			sentences = 400
		}
		for range sentences {
			var tokens []string
			for range 1 + random.IntN(10) {
				tokens = append(tokens, fmt.Sprintf("w%d", (topic+random.IntN(12))%words))
			}
			if random.IntN(20) == 0 {
				tokens = []string{"unknown"}
			}
			lines = append(lines, strings.Join(tokens, " "))
		}
	}
	return append(lines, "")
}

// checkDocuments compares what is found with solving the problem of
// each document as one text, and of each sentence of what is found.
func checkDocuments(t *testing.T, s *cmdlib.Space, x *Index, query string, n int, lines []string, documents []span, path string, titles []string) *Found {
	t.Helper()
	found, err := x.SearchDocuments(t.Context(), query, n)
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, len(documents))
	for i, d := range documents {
		texts[i] = strings.Join(lines[d.first:d.end()], " ")
	}
	// A word alone would be compared as a word.
	want := all(t, s, query+" unknown", texts)
	if found.Compared != int64(len(want)) || len(found.Nearest) != min(n, len(want)) {
		t.Fatalf("%q: %d documents of %d, want %d of %d", query, len(found.Nearest), found.Compared, min(n, len(want)), len(want))
	}
	for i, got := range found.Nearest {
		w := want[i]
		d := documents[w.Position]
		w.Path, w.Number, w.Text, w.Equal = path, d.first+1, lines[d.first], 1
		document := got.Document
		got.Document = nil
		if got != w {
			t.Fatalf("%q: hit %d is %+v, want %+v", query, i, got, w)
		}
		title := ""
		if titles != nil {
			title = titles[w.Position]
		}
		if i >= 50 {
			continue // solving all sentences of all documents takes long
		}
		inside := all(t, s, query+" unknown", lines[d.first:d.end()])[0]
		inside.Path, inside.Number, inside.Position, inside.Equal = path, d.first+inside.Position+1, d.first+inside.Position, 1
		if document.Last != d.end() || document.Title != title || document.Sentence != inside {
			t.Fatalf("%q: document %d is %+v, want the lines to %d, %q and %+v", query, i, document, d.end(), title, inside)
		}
	}
	return found
}

// SearchDocuments must find what solving all finds, bit for bit.
func TestDocumentsEqualBruteForce(t *testing.T) {
	const words = 400
	lines := randomDocuments(words, 3000, 1)
	documents := betweenBlanks(lines)
	path := writeFile(t, "text", strings.Join(lines, "\n")+"\n")
	for _, test := range []struct {
		symmetric bool
		most      float64
	}{{true, 0.5}, {false, 0.5}} {
		s := randomSpace(t, words, 12, test.symmetric, 100, 5)
		x := newIndex(t, s, path)
		if x.Documents != int64(len(documents)) || len(documents) < 1500 {
			t.Fatalf("%d documents, want %d", x.Documents, len(documents))
		}
		var solved, compared int64
		for i, query := range []string{"w1 w2 w3", "w20", "w77 w300 nothing", "w399 w398 w0"} {
			n := []int{10, 1, 50, 5000}[i]
			found := checkDocuments(t, s, x, query, n, lines, documents, path, nil)
			if n < 5000 {
				solved, compared = solved+found.Solved, compared+found.Compared
			}
		}
		if share := float64(solved) / float64(compared); share > test.most {
			t.Errorf("symmetric %v: %.2f of the problems are solved, expected at most %.2f", test.symmetric, share, test.most)
		}
	}
}

// Documents of prepared text are those of its index, with their titles; those of a text of paragraphs are files.
func TestDocumentsOfFiles(t *testing.T) {
	s := randomSpace(t, 100, 6, true, 50, 1)
	lines := slices.DeleteFunc(randomText(100, 200, 4), func(line string) bool { return line == "" })
	path := writeFile(t, "books-00.txt", strings.Join(lines, "\n")+"\n")
	index := filepath.Join(filepath.Dir(path), "index.tsv")
	// That of an older version: it has no checksum of the index.
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), "corpus.json"), []byte("{}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const header = "shard\tfirst_line\tlines\ttokens\ttitle\tauthor\tsource\tlicence\n"
	if err := os.WriteFile(index, []byte(header+"books-00.txt\t41\t60\t9\tsecond\t\t\t\nother\t1\t7\t9\tx\t\t\t\nbooks-00.txt\t1\t40\t9\tfirst\t\t\t\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	checkDocuments(t, s, newIndex(t, s, path), "w1 w2", 2, lines, []span{{0, 40}, {40, 60}}, path, []string{"first", "second"})

	if err := os.WriteFile(index, []byte(header+"books-00.txt\t1\t4000\t9\tfirst\t\t\t\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Add(t.Context(), filepath.Join(t.TempDir(), "index"), s, text(path), nil); err == nil || !strings.Contains(err.Error(), `"first" in lines 1 to 4000`) {
		t.Errorf("an index of another text: %v", err)
	}
	if err := os.WriteFile(index, []byte(header+"books-00.txt\t0\t4000\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Add(t.Context(), filepath.Join(t.TempDir(), "index"), s, text(path), nil); err == nil || !strings.Contains(err.Error(), index+":2: 3 fields") {
		t.Errorf("a line that is none: %v", err)
	}

	wrapped := writeFile(t, "wrapped", "w1 w2\nw3.\n\nw4.\n")
	for layout, want := range map[corpus.Layout]int64{corpus.Wrapped: 1, corpus.Paragraphs: 1, corpus.Sentences: 2} {
		added, err := Add(t.Context(), filepath.Join(t.TempDir(), "index"), s, corpus.Text{Files: []string{wrapped}, Layout: layout}, nil)
		if err != nil || added.Documents != want {
			t.Errorf("%s: %+v, %v, want %d documents", layout, added, err, want)
		}
	}
	empty := newIndex(t, s, writeFile(t, "empty", "\n\n"))
	found, err := empty.SearchDocuments(t.Context(), "w1", 3)
	if err != nil || len(found.Nearest) != 0 || empty.Documents != 0 {
		t.Errorf("no document: %+v, %v", found, err)
	}
}

// A document may reach over many blocks, which others begin in; the number of threads says nothing.
func TestLongDocuments(t *testing.T) {
	s := randomSpace(t, 400, 12, true, 100, 5)
	lines := randomText(400, 5000, 8)
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	whole := strings.Repeat(strings.Join(lines, "\n")+"\n", 20)
	path := writeFile(t, "text", "w1 w2\n\n"+whole+"\nw3 w4\n\nw5\n")
	x := newIndex(t, s, path)
	if len(x.blocks) < 3 || x.Documents != 4 {
		t.Fatalf("%d blocks, %d documents", len(x.blocks), x.Documents)
	}
	all := strings.Split(strings.TrimSuffix("w1 w2\n\n"+whole+"\nw3 w4\n\nw5\n", "\n"), "\n")
	documents := betweenBlanks(all)
	found, err := x.SearchDocuments(t.Context(), "w7 w8", 4)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(found.Nearest, func(h Hit) bool { return h.Position == 1 })
	if at < 0 || len(found.Nearest) != 4 {
		t.Fatalf("%+v", found)
	}
	d, err := s.PairDistances(t.Context(), []cmdlib.Pair{{A: "w7 w8", B: strings.Join(all[documents[1].first:documents[1].end()], " ")}})
	if got := found.Nearest[at]; err != nil || got.Distance != d[0].Cost || got.Document.Last != documents[1].end() {
		t.Errorf("%+v, %v, want %v", got, err, d)
	}
}

// sameDocuments compares what two indexes of the same text find.
func sameDocuments(t *testing.T, x, y *Index, query string, n int) {
	t.Helper()
	a, err := x.SearchDocuments(t.Context(), query, n)
	if err != nil {
		t.Fatal(err)
	}
	b, err := y.SearchDocuments(t.Context(), query, n)
	if err != nil || len(a.Nearest) != len(b.Nearest) || len(a.Nearest) == 0 {
		t.Fatalf("%+v\n%+v, %v", a, b, err)
	}
	for i := range a.Nearest {
		p, q := a.Nearest[i], b.Nearest[i]
		if *p.Document != *q.Document {
			t.Errorf("document %d: %+v\n%+v", i, p.Document, q.Document)
		}
		p.Document, q.Document = nil, nil
		if p != q {
			t.Errorf("document %d: %+v\n%+v", i, p, q)
		}
	}
}

// FuzzDocuments reads a section: it is one that the writer would have written, or an error.
func FuzzDocuments(f *testing.F) {
	var w sectionWriter
	if err := w.add(&source{Sentences: 9}, 0, corpus.Sentences, nil, []span{{0, 2}, {4, 5}}); err != nil {
		f.Fatal(err)
	}
	f.Add(w.plain, int64(2), int64(9))
	f.Add([]byte("\x00\x01\x03abc"), int64(1), int64(1))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x00"), int64(1), int64(1)<<62)
	f.Fuzz(func(t *testing.T, plain []byte, number, sentences int64) {
		if number < 0 || sentences < 0 || (section{Number: number, Plain: int64(len(plain))}).check(0, sentences) != nil {
			return
		}
		list, err := decodeDocuments(plain, number, sentences)
		if err != nil {
			return
		}
		end, again := int64(0), []byte(nil)
		for _, d := range list {
			if d.first < end || d.count < 1 || d.end() > sentences {
				t.Fatalf("%+v behind %d, of %d", d, end, sentences)
			}
			for _, n := range []int64{d.first - end, d.count, int64(len(d.title))} {
				again = binary.AppendUvarint(again, uint64(n))
			}
			again = append(again, d.title...)
			end = d.end()
		}
		// A varint may have been longer than it must be.
		if int64(len(list)) != number || len(again) > len(plain) || len(again) == len(plain) && !bytes.Equal(again, plain) {
			t.Fatalf("%d documents of %d, in %d bytes instead of %d", len(list), number, len(again), len(plain))
		}
	})
}
