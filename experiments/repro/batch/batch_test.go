package batch

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/reference"
	"contextmover/cmdlib/search"
)

func openEnglish(t *testing.T) *cmdlib.Space {
	t.Helper()
	space, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { space.Close() })
	return space
}

func write(t *testing.T, path string, lines ...string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
}

func makes(t *testing.T, b *Batch, number int, want bool) {
	t.Helper()
	if made, err := b.Make(t.Context(), number); err != nil || made != want {
		t.Errorf("%s, block %d: made %t, want %t, %v", b.Name, number, made, want, err)
	}
}

// joined makes the blocks that are not there, and returns the file with all answers.
func joined(t *testing.T, b *Batch) string {
	t.Helper()
	for number := range b.Blocks() {
		if _, err := b.Make(t.Context(), number); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Join(t.Context()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(b.dir, b.Name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

var (
	texts = []string{"lion", "a lion sleeps", "xqzzy", "the house of the lion", "lion", "tiger tiger", "a house"}
	pairs = []string{"lion\ttiger", "a lion sleeps\tthe tiger eats", "xqzzy\tlion", "house\tlion", "lion\ttiger", "the house\tof the lion", "the house\thouse"}
)

// indexed is an index of a few sentences.
func indexed(t *testing.T, s *cmdlib.Space) *search.Index {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "text.txt")
	write(t, file, "the lion sleeps in the grass .", "she bought a house near the river .", "the tiger eats meat .", "a concert was given by the orchestra .")
	if _, err := search.Write(t.Context(), filepath.Join(dir, "index"), s, corpus.Text{Files: []string{file}, Tokenised: true}, "", nil); err != nil {
		t.Fatal(err)
	}
	x, err := search.Open(filepath.Join(dir, "index"), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// Of every kind, blocks of a few lines are made in any order, by several makers, once; a damaged
// one and one of other lines or another λ are made anew; the file has what all give in one block.
func TestBlocks(t *testing.T) {
	space := openEnglish(t)
	x := indexed(t, space)
	for name, kind := range map[string]struct {
		lines  []string
		solved bool
		open   func(s *cmdlib.Space, file, dir string) (*Batch, error)
	}{
		"distances": {pairs, true, func(s *cmdlib.Space, file, dir string) (*Batch, error) {
			return Distances(s.ByTransport(), file, dir)
		}},
		"cosines": {pairs, false, Distances},
		"vectors": {texts, false, func(s *cmdlib.Space, file, dir string) (*Batch, error) {
			return Vectors(s, file, filepath.Join(dir, "vectors.npy"))
		}},
		"nearest": {texts, false, func(s *cmdlib.Space, file, dir string) (*Batch, error) { return Neighbours(s, file, 3, dir) }},
		"histograms": {texts, true, func(s *cmdlib.Space, file, dir string) (*Batch, error) {
			return Histograms(s, file, filepath.Join(dir, "histograms.npy"))
		}},
		"neighbours": {texts, true, func(s *cmdlib.Space, file, dir string) (*Batch, error) {
			return Neighbours(s.ByTransport(), file, 3, dir)
		}},
		"search": {texts, true, func(s *cmdlib.Space, file, dir string) (*Batch, error) {
			return Search(x, s, search.Options{N: 2, Rerank: s.ByTransport()}, file, dir)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := space.With(cmdlib.Options{Engine: cpu.New()})
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			file := filepath.Join(dir, "lines")
			lines := slices.Clone(kind.lines)
			write(t, file, lines...)
			open := func(out string, cut int) *Batch {
				t.Helper()
				b, err := kind.open(s, file, filepath.Join(dir, out))
				if err != nil {
					t.Fatal(err)
				}
				b.size = cut
				return b
			}
			want := joined(t, open("whole", 100))
			b := open("blocks", 3)
			if b.Blocks() != 3 || b.Lines() != 7 {
				t.Fatalf("%d blocks of %d lines", b.Blocks(), b.Lines())
			}
			makes(t, b, 2, true)
			makes(t, b, 0, true)
			if err := b.Join(t.Context()); !os.IsNotExist(err) {
				t.Errorf("joined without a block: %v", err)
			}
			makes(t, open("blocks", 3), 1, true)
			makes(t, b, 0, false)
			if joined(t, b) != want {
				t.Error("in blocks it is not what it is in one")
			}
			content, err := os.ReadFile(b.path(1))
			if err != nil {
				t.Fatal(err)
			}
			content[len(content)-3] ^= 1
			if err := os.WriteFile(b.path(1), content, 0o666); err != nil {
				t.Fatal(err)
			}
			if joined(t, b) != want {
				t.Error("joined a damaged block")
			}
			makes(t, b, 1, false)
			if err := os.Truncate(b.path(1), 5); err != nil {
				t.Fatal(err)
			}
			makes(t, b, 1, true)
			// Another line, or another λ, is another block.
			lines[6] = lines[0]
			write(t, file, lines...)
			changed := open("blocks", 3)
			makes(t, changed, 0, false)
			makes(t, changed, 2, true)
			s.Settings.Transport.Reg *= 2
			makes(t, open("blocks", 3), 0, true)
			// What is solved is kept for each engine, which has its own last bits; vectors are the same for all.
			if s, err = s.With(cmdlib.Options{Engine: reference.New()}); err != nil {
				t.Fatal(err)
			}
			if _, err := open("blocks", 3).read(0); (err != nil) != kind.solved {
				t.Errorf("of another engine: %v", err)
			}
			if _, err := kind.open(s, filepath.Join(dir, "absent"), dir); err == nil || !strings.Contains(err.Error(), "absent") {
				t.Errorf("%v, want %v", err, fs.ErrNotExist)
			}
		})
	}
}

// Each answer is the one to its line alone.
func TestAnswers(t *testing.T) {
	space := openEnglish(t)
	dir := t.TempDir()
	file, pairsFile := filepath.Join(dir, "texts"), filepath.Join(dir, "pairs")
	write(t, file, texts...)
	write(t, pairsFile, pairs...)
	must := func(b *Batch, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		b.size = 3
		return joined(t, b)
	}
	is := func(what, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
		}
	}
	var want strings.Builder
	for name, space := range map[string]*cmdlib.Space{"vectors": space, "transport": space.ByTransport()} {
		want.Reset()
		for _, line := range pairs {
			a, b, _ := strings.Cut(line, "\t")
			if c, err := space.Compare(t.Context(), a, b); err == nil {
				fmt.Fprintln(&want, number(c.Distance))
			} else {
				fmt.Fprintln(&want, "unknown")
			}
		}
		is("distances", must(Distances(space, pairsFile, filepath.Join(dir, "distances by "+name))), want.String())

		want.Reset()
		for i, text := range texts {
			found, err := space.Neighbours(t.Context(), text, 2)
			if err != nil {
				fmt.Fprintf(&want, "%d\tunknown\n", i+1)
				continue
			}
			for _, n := range found.Nearest {
				fmt.Fprintf(&want, "%d\t%s\t%s\n", i+1, number(n.Distance), n.Word)
			}
		}
		is("neighbours", must(Neighbours(space, file, 2, filepath.Join(dir, "neighbours by "+name))), want.String())
	}

	want.Reset()
	x := indexed(t, space)
	for i, text := range texts {
		found, err := x.Search(t.Context(), text, search.Options{N: 2, Rerank: space.ByTransport()})
		if err != nil {
			fmt.Fprintf(&want, "%d\tunknown\n", i+1)
			continue
		}
		for _, h := range found.Nearest {
			fmt.Fprintf(&want, "%d\t%s\t%s:%d\t%s\n", i+1, number(h.Distance), h.Path, h.Number, h.Text)
		}
	}
	is("search", must(Search(x, space, search.Options{N: 2, Rerank: space.ByTransport()}, file, filepath.Join(dir, "nearest"))), want.String())

	for _, combination := range []cmdlib.Combination{cmdlib.Average, cmdlib.Barycenter, cmdlib.DebiasedBarycenter} {
		s, err := space.With(cmdlib.Options{Combination: combination, Engine: cpu.New()})
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(dir, string(combination))
		must(Histograms(s, file, out+".npy"))
		shape, rows, err := npy.Read[float32](out + ".npy")
		if err != nil || !slices.Equal(shape, []int{len(texts), s.Cost.K}) {
			t.Fatal(shape, err)
		}
		for i, text := range texts {
			row, want := rows[i*s.Cost.K:][:s.Cost.K], make([]float32, s.Cost.K)
			if sentence, err := s.Sentence(t.Context(), text); err == nil {
				want = sentence.Histogram
			} else if text != "xqzzy" {
				t.Fatal(err)
			}
			if !slices.EqualFunc(row, want, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
				t.Errorf("%s of %q is not that of the text alone", combination, text)
			}
		}
	}
}

// Answers of any size are read again: what could be written is no document of foreign origin.
func TestLargeBlock(t *testing.T) {
	dir := t.TempDir()
	b := &Batch{
		Name: "answers", lines: []string{"a"}, dir: dir, size: 1,
		answer: func(context.Context, int, int) ([]byte, error) { return make([]byte, 64<<20+1), nil },
	}
	if err := os.Mkdir(b.Folder(), 0o777); err != nil {
		t.Fatal(err)
	}
	makes(t, b, 0, true)
	makes(t, b, 0, false)
	if err := b.Join(t.Context()); err != nil {
		t.Error(err)
	}
}
