package search

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
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

// checkDocuments compares what is found with comparing all sentences of all documents, by vectors of float32 or by
// the distance of a space.
func checkDocuments(
	t *testing.T, x *Index, query string, o Options, lines []string, documents []span, path string, titles []string,
) {
	t.Helper()
	o.Documents = true
	found, err := x.Search(t.Context(), query, o)
	if err != nil {
		t.Fatal(err)
	}
	hits := cosines(t, x.space, query, lines)
	if o.Rerank != nil {
		hits = all(t, o.Rerank, query, lines)
	}
	var want []Hit
	seen := map[int]bool{}
	for _, h := range hits {
		at := slices.IndexFunc(documents, func(d span) bool { return d.first <= h.Position && h.Position < d.end() })
		if at < 0 || seen[at] || h.Text == "" {
			continue
		}
		seen[at] = true
		h.Document = &Document{First: documents[at].first + 1, Last: documents[at].end()}
		if titles != nil {
			h.Document.Title = titles[at]
		}
		want = append(want, h)
	}
	if len(found.Nearest) != min(o.N, len(want)) {
		t.Fatalf("%q: %d documents, want %d of %d", query, len(found.Nearest), o.N, len(want))
	}
	for i, got := range found.Nearest {
		// 8 bits may leave out a document that is nearly as near as the last.
		slack := 0.01
		if o.Rerank != nil {
			slack = 0
		}
		at := slices.IndexFunc(want, func(h Hit) bool { return *h.Document == *got.Document })
		if at < 0 {
			t.Fatalf("%q: no document %+v", query, got.Document)
		}
		w := want[at]
		if got.Path != path || got.Distance > want[i].Distance+slack || math.Abs(got.Distance-w.Distance) > slack ||
			slack == 0 && (got.Text != w.Text || got.Position != w.Position) {
			t.Fatalf("%q: hit %d is %+v, want %+v, %+v", query, i, got, w, w.Document)
		}
		inside := lines[w.Document.First-1 : w.Document.Last]
		equal := int64(0)
		for _, line := range inside {
			if line == got.Text {
				equal++
			}
		}
		if got.Equal != equal || got.Number < w.Document.First || got.Number > w.Document.Last {
			t.Fatalf("%q: hit %d is %+v, of which the document has %d", query, i, got, equal)
		}
	}
}

// Documents are found by their nearest sentences: by vectors those that comparing all finds, but for what 8 bits cannot
// tell apart; by transport, of fewer than a thousand sentences, exactly.
func TestDocumentsEqualBruteForce(t *testing.T) {
	const words = 400
	s := randomSpace(t, words, 12, 100, 5)
	for _, test := range []struct {
		documents int
		rerank    *cmdlib.Space
	}{{3000, nil}, {120, s}} {
		lines := randomDocuments(words, test.documents, 1)
		lines = lines[:min(len(lines), test.documents*8)]
		documents := betweenBlanks(lines)
		path := writeFile(t, "text", strings.Join(lines, "\n")+"\n")
		x := newIndex(t, s, path)
		if x.Documents != int64(len(documents)) || len(documents) < test.documents/2 {
			t.Fatalf("%d documents, want %d", x.Documents, len(documents))
		}
		for i, query := range []string{"w1 w2 w3", "w20", "w77 w300 nothing", "w399 w398 w0"} {
			o := Options{N: []int{10, 1, 50, 5000}[i], Rerank: test.rerank}
			checkDocuments(t, x, query, o, lines, documents, path, nil)
		}
	}
}

// Documents of prepared text are those of its index, with their titles; those of a text of paragraphs are files.
func TestDocumentsOfFiles(t *testing.T) {
	s := randomSpace(t, 100, 6, 50, 1)
	lines := slices.DeleteFunc(randomText(100, 200, 4), func(line string) bool { return line == "" })
	path := writeFile(t, "books-00.txt", strings.Join(lines, "\n")+"\n")
	index := filepath.Join(filepath.Dir(path), "index.tsv")
	// list writes the index with its checksum.
	list := func(lines string) {
		t.Helper()
		text := "shard\tfirst_line\tlines\ttokens\ttitle\tauthor\tsource\tlicence\n" + lines
		sums := fmt.Sprintf(`{"sha256": {"index.tsv": "%x"}}`, sha256.Sum256([]byte(text)))
		if err := errors.Join(os.WriteFile(index, []byte(text), 0o666),
			os.WriteFile(filepath.Join(filepath.Dir(path), "corpus.json"), []byte(sums), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	list("books-00.txt\t41\t60\t9\tsecond\t\t\t\nother\t1\t7\t9\tx\t\t\t\nbooks-00.txt\t1\t40\t9\tfirst\t\t\t\n")
	checkDocuments(t, newIndex(t, s, path), "w1 w2", Options{N: 2}, lines, []span{{0, 40}, {40, 60}}, path, []string{"first", "second"})

	list("books-00.txt\t1\t4000\t9\tfirst\t\t\t\n")
	if _, err := Write(t.Context(), filepath.Join(t.TempDir(), "index"), s, text(path), "", nil); err == nil || !strings.Contains(err.Error(), `"first" in lines 1 to 4000`) {
		t.Errorf("an index of another text: %v", err)
	}
	list("books-00.txt\t0\t4000\n")
	if _, err := Write(t.Context(), filepath.Join(t.TempDir(), "index"), s, text(path), "", nil); err == nil || !strings.Contains(err.Error(), index+":2: 3 fields") {
		t.Errorf("a line that is none: %v", err)
	}

	wrapped := writeFile(t, "wrapped", "w1 w2\nw3.\n\nw4.\n")
	for layout, want := range map[corpus.Layout]int64{corpus.Wrapped: 1, corpus.Paragraphs: 1, corpus.Sentences: 2} {
		written, err := Write(t.Context(), filepath.Join(t.TempDir(), "index"), s, corpus.Text{Files: []string{wrapped}, Layout: layout}, "", nil)
		if err != nil || written.Documents != want {
			t.Errorf("%s: %+v, %v, want %d documents", layout, written, err, want)
		}
	}
	empty := newIndex(t, s, writeFile(t, "empty", "\n\n"))
	found, err := empty.Search(t.Context(), "w1", Options{N: 3, Documents: true})
	if err != nil || len(found.Nearest) != 0 || empty.Documents != 0 {
		t.Errorf("no document: %+v, %v", found, err)
	}
}

// A document may reach over many blocks, which others begin in.
func TestLongDocuments(t *testing.T) {
	s := randomSpace(t, 400, 12, 100, 5)
	lines := slices.DeleteFunc(randomText(400, 5000, 8), func(line string) bool { return line == "" })
	whole := slices.Concat([]string{"w1 w2", ""}, slices.Repeat(lines, 20), []string{"", "w3 w4", "", "w5"})
	path := writeFile(t, "text", strings.Join(whole, "\n")+"\n")
	x := newIndex(t, s, path)
	if len(x.blocks) < 3 || x.Documents != 4 {
		t.Fatalf("%d blocks, %d documents", len(x.blocks), x.Documents)
	}
	checkDocuments(t, x, "w7 w8", Options{N: 4}, whole, betweenBlanks(whole), path, nil)
}

// FuzzDocuments reads documents: it is one that the writer would have written, or an error.
func FuzzDocuments(f *testing.F) {
	var w documentWriter
	if err := w.add(source{Sentences: 9}, 0, corpus.Sentences, nil, []span{{0, 2}, {4, 5}}); err != nil {
		f.Fatal(err)
	}
	f.Add(w.plain, int64(2), int64(9))
	f.Add([]byte("\x00\x01\x03abc"), int64(1), int64(1))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x00"), int64(1), int64(1)<<62)
	f.Fuzz(func(t *testing.T, plain []byte, number, sentences int64) {
		if number < 0 || sentences < number {
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
