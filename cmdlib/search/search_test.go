package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/internal/npz"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/search/internal/mips"
	"contextmover/cmdlib/sentence"
	"contextmover/internal/disk"
)

// randomSpace is a space of words with few large bins; each tenth word has no estimate.
func randomSpace(t testing.TB, words, k, iterations int, seed uint64) *cmdlib.Space {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	const dim = 16
	c := cmdlib.Contents{
		Vocabulary: &corpus.Vocabulary{}, Histograms: ot.Histograms{K: k, Data: make([]float32, words*k)}, Dim: dim,
		Vectors: make([]float32, words*dim), Centroids: make([]float32, k*dim), Cost: ot.Cost{K: k, Data: make([]float32, k*k)},
	}
	var text strings.Builder
	for i := range words {
		fmt.Fprintf(&text, "w%d %d\n", i, 2*words-i)
		if i%10 == 9 {
			continue
		}
		row, sum := c.Histograms.Row(i), float32(0)
		for j := range row {
			row[j] = float32(math.Pow(random.Float64(), 12))
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	for i := range c.Centroids {
		c.Centroids[i] = random.Float32()
	}
	for i := range c.Vectors {
		c.Vectors[i] = float32(random.NormFloat64())
	}
	for i := range k {
		for j := range k {
			c.Cost.Data[i*k+j] = float32(math.Hypot(float64(c.Centroids[dim*i]-c.Centroids[dim*j]), float64(c.Centroids[dim*i+1]-c.Centroids[dim*j+1])))
		}
	}
	var err error
	if c.Vocabulary, err = corpus.ReadVocabulary(writeFile(t, "vocabulary", text.String())); err != nil {
		t.Fatal(err)
	}
	c.Settings = cmdlib.Settings{
		Encoding:  cmdlib.Encoding{A: 1e-3},
		Transport: ot.Settings{Reg: 0.05, MaxIter: iterations},
		Sentence:  cmdlib.SentenceSettings{Combination: cmdlib.Average, Weighting: sentence.Weighting{Scheme: sentence.InverseMarginal, A: 1e-3}},
	}
	c.Settings.Ground.Metric, c.Settings.Ground.Normalisation = "euclidean", "median"
	dir := filepath.Join(t.TempDir(), "space")
	if err := cmdlib.Write(t.Context(), dir, c); err != nil {
		t.Fatal(err)
	}
	s, err := cmdlib.Open(dir, cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func writeFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// randomText has sentences of words of the space, each about one of some topics, among
// them unknown words, lines without any, empty ones, and sentences that occur again.
func randomText(words, sentences int, seed uint64) []string {
	random := rand.New(rand.NewPCG(seed, 2))
	var lines []string
	for i := range sentences {
		if i > 10 && random.IntN(10) == 0 {
			lines = append(lines, lines[random.IntN(i)])
			continue
		}
		var tokens []string
		topic := random.IntN(words)
		for range random.IntN(12) {
			tokens = append(tokens, fmt.Sprintf("w%d", (topic+random.IntN(8))%words))
			if random.IntN(15) == 0 {
				tokens = append(tokens, "unknown")
			}
		}
		lines = append(lines, strings.Join(tokens, " "))
	}
	return lines
}

func text(paths ...string) corpus.Text { return corpus.Text{Files: paths, Tokenised: true} }

func newIndex(t testing.TB, s *cmdlib.Space, paths ...string) *Index {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "index")
	if _, err := Write(t.Context(), dir, s, text(paths...), "", nil); err != nil {
		t.Fatal(err)
	}
	return open(t, dir, s)
}

func open(t testing.TB, dir string, s *cmdlib.Space) *Index {
	t.Helper()
	x, err := Open(dir, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// once makes hits with the same text one.
func once(hits []Hit) (list []Hit) {
	first := make(map[string]int)
	for _, h := range hits {
		if i, ok := first[h.Text]; ok {
			list[i].Equal++
			continue
		}
		first[h.Text], h.Equal = len(list), 1
		list = append(list, h)
	}
	return list
}

// all is the result of solving the problems of all lines.
func all(t testing.TB, s *cmdlib.Space, query string, lines []string) (hits []Hit) {
	t.Helper()
	return ordered(t, s.ByTransport(), query, lines)
}

// ordered are all lines, by the distances that a space says they have from a query.
func ordered(t testing.TB, s *cmdlib.Space, query string, lines []string) (hits []Hit) {
	t.Helper()
	pairs := make([]cmdlib.Pair, len(lines))
	for i, line := range lines {
		pairs[i] = cmdlib.Pair{A: query, B: line}
	}
	distances, err := s.Distances(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range distances {
		if !math.IsNaN(d) {
			hits = append(hits, Hit{Distance: d, Text: lines[i], Number: int64(i) + 1, Position: int64(i)})
		}
	}
	slices.SortFunc(hits, nearer)
	return hits
}

// Of an index of fewer than a thousand sentences reranking finds what solving all finds, bit for bit, by every
// combination of words and with sentences that occur more than once.
func TestRerankEqualsBruteForce(t *testing.T) {
	lines := randomText(400, 900, 3)
	file := writeFile(t, "text", strings.Join(lines, "\n")+"\n")
	s := randomSpace(t, 400, 12, 100, 5)
	x := newIndex(t, s, file)
	for _, combination := range []cmdlib.Combination{cmdlib.Average, cmdlib.Barycenter} {
		asked, err := s.With(cmdlib.Options{Combination: combination, Settings: ot.Settings{Reg: 0.07}, Engine: cpu.New()})
		if err != nil {
			t.Fatal(err)
		}
		for i, query := range []string{"w1 w2 w3", "w20", "w77 w300 nothing", lines[17] + " w5"} {
			n := []int{10, 1, 3, 900}[i]
			want := once(all(t, asked, query, lines))
			found, err := x.Search(t.Context(), query, Options{N: n, Rerank: asked})
			if err != nil {
				t.Fatal(err)
			}
			if len(want) < 300 || found.Compared != 900 || found.Transported != int64(len(want)) {
				t.Errorf("%q: %d compared, %d solved, want %d", query, found.Compared, found.Transported, len(want))
			}
			want = want[:min(n, len(want))]
			if len(found.Nearest) != len(want) {
				t.Fatalf("%q: %d sentences, want %d", query, len(found.Nearest), len(want))
			}
			for j, got := range found.Nearest {
				if want[j].Path = file; got != want[j] {
					t.Fatalf("%q: hit %d is %+v, want %+v", query, j, got, want[j])
				}
			}
		}
	}
}

// Of an index of fewer than a hundred sentences those by nearest words are what comparing all finds, whether the space
// is asked to compare so or does by itself, and whatever number is asked for.
func TestNearestWordsEqualBruteForce(t *testing.T) {
	lines := randomText(400, 90, 3)
	file := writeFile(t, "text", strings.Join(lines, "\n")+"\n")
	s := randomSpace(t, 400, 12, 100, 5)
	byWords, err := s.With(cmdlib.Options{Method: cmdlib.Nearest, Engine: cpu.New()})
	if err != nil {
		t.Fatal(err)
	}
	for x, o := range map[*Index]Options{newIndex(t, s, file): {Rerank: byWords}, newIndex(t, byWords, file): {}} {
		if got := x.Method(o); got != cmdlib.Nearest {
			t.Errorf("ordered by %s", got)
		}
		for _, n := range []int{3, 90} {
			query := lines[17] + " w5"
			want := once(ordered(t, byWords, query, lines))
			want = want[:min(n, len(want))]
			o.N = n
			found, err := x.Search(t.Context(), query, o)
			if err != nil || len(found.Nearest) != len(want) || found.Transported != 0 {
				t.Fatalf("%+v, %v, want %d sentences", found, err, len(want))
			}
			for i, got := range found.Nearest {
				if want[i].Path = file; got != want[i] {
					t.Fatalf("hit %d is %+v, want %+v", i, got, want[i])
				}
			}
			// A document is as near as its nearest sentence, also where as many are asked for as are compared.
			o.N, o.Documents = mostCompared-reserve, true
			found, err = x.Search(t.Context(), query, o)
			if err != nil || found.Nearest[0].Distance != want[0].Distance || found.Nearest[0].Text != want[0].Text {
				t.Errorf("documents %+v, %v, want that of %+v first", found, err, want[0])
			}
			o.Documents = false
		}
	}
}

// Of a larger index the thousand sentences nearest by vectors are solved, and ordered by that.
func TestRerankThousand(t *testing.T) {
	s := randomSpace(t, 400, 12, 100, 5)
	lines := slices.DeleteFunc(randomText(400, 6000, 3), func(line string) bool { return !strings.Contains(line, "w") })
	x := newIndex(t, s, writeFile(t, "text", strings.Join(lines, "\n")+"\n"))
	byVectors, err := x.Search(t.Context(), "w1 w2 w3", Options{N: mostTransported})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, h := range byVectors.Nearest {
		texts = append(texts, h.Text)
	}
	want := all(t, s, "w1 w2 w3", texts)
	found, err := x.Search(t.Context(), "w1 w2 w3", Options{N: 20, Rerank: s})
	if err != nil || len(found.Nearest) != 20 || found.Transported > mostTransported {
		t.Fatalf("%+v, %v", found, err)
	}
	for i, h := range found.Nearest {
		if h.Distance != want[i].Distance {
			t.Errorf("hit %d at %v, want %v", i, h.Distance, want[i].Distance)
		}
	}
}

// An index of an old one and of new text is the same, byte for byte, as one of all text, with lists or without; and
// what cannot be is said.
func TestWrite(t *testing.T) {
	s := randomSpace(t, 100, 6, 50, 1)
	lines := randomText(100, 900, 1)
	first := writeFile(t, "first", strings.Join(lines[:500], "\n")+"\n")
	second := writeFile(t, "second", strings.Join(lines[500:], "\n")+"\n")
	a, b := int64(len(betweenBlanks(lines[:500]))), int64(len(betweenBlanks(lines[500:])))
	for _, from := range []int64{1 << 40, 1} {
		lists(t, from)
		dir := t.TempDir()
		at := func(name string) string { return filepath.Join(dir, "new", name) }
		for i, step := range []struct {
			to, old string
			paths   []string
			want    Written
		}{
			{"one", "", []string{first}, Written{Files: 1, Sentences: 500, Total: 500, Documents: a, TotalDocuments: a}},
			{"none", at("one"), []string{first}, Written{Known: 1, Total: 500, TotalDocuments: a}},
			{"both", at("one"), []string{first, second}, Written{Files: 1, Known: 1, Sentences: 400, Total: 900, Documents: b, TotalDocuments: a + b}},
			{"once", "", []string{first, second}, Written{Files: 2, Sentences: 900, Total: 900, Documents: a + b, TotalDocuments: a + b}},
		} {
			written, err := Write(t.Context(), at(step.to), s, text(step.paths...), step.old, nil)
			if err != nil || *written != step.want {
				t.Errorf("step %d: %+v, %v, want %+v", i, written, err, step.want)
			}
		}
		for _, pair := range [][2]string{{"one", "none"}, {"once", "both"}} {
			x := open(t, at(pair[0]), s)
			if x.HasLists() != (from == 1) {
				t.Errorf("lists: %v", x.HasLists())
			}
			sameFiles(t, at(pair[0]), at(pair[1]))
		}
		if x := open(t, at("both"), s); !slices.Equal(x.Files, []string{first, second}) || x.Sentences != 900 {
			t.Errorf("%d sentences of %v", x.Sentences, x.Files)
		}
	}

	dir := filepath.Join(t.TempDir(), "index")
	x := newIndex(t, s, first)
	if err := os.WriteFile(first, []byte("w1 w2 w3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	other := randomSpace(t, 100, 6, 50, 2)
	nbow, err := s.With(cmdlib.Options{Method: "nbow", Engine: cpu.New()})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		dir, old, path string
		space          *cmdlib.Space
		is             error
		says           string
	}{
		"a file that has changed":    {dir, x.path, first, s, nil, first + " has changed"},
		"another space":              {dir, x.path, second, other, ErrOtherSpace, ""},
		"vectors of another method":  {dir, x.path, second, nbow, ErrOtherSpace, ""},
		"a space without vectors":    {dir, "", second, &cmdlib.Space{Data: new(cmdlib.Data)}, cmdlib.ErrNoVectors, ""},
		"no old index":               {dir, second, second, s, ErrNoIndex, ""},
		"an index is there":          {x.path, "", second, s, nil, "is there already"},
		"a folder of something else": {filepath.Dir(first), "", second, s, nil, "is there already"},
		"no text":                    {dir, "", filepath.Join(dir, "nothing"), s, os.ErrNotExist, ""},
	} {
		_, err := Write(t.Context(), test.dir, test.space, text(test.path), test.old, nil)
		if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(x.path, other); !errors.Is(err, ErrOtherSpace) {
		t.Errorf("another space: %v", err)
	}
	if _, err := Open(x.path, nbow); !errors.Is(err, ErrOtherSpace) {
		t.Errorf("vectors of another method: %v", err)
	}
	if _, err := x.Search(t.Context(), "w1", Options{}); err == nil {
		t.Error("no error for 0 sentences")
	}
	var unknown *cmdlib.UnknownError
	for _, o := range []Options{{N: 1}, {N: 1, Rerank: s}, {N: 1, Documents: true}} {
		for _, query := range []string{" ", "qwertyzz", "qwertyzz zzyx"} {
			if _, err := x.Search(t.Context(), query, o); !errors.As(err, &unknown) {
				t.Errorf("the query %q, without a known word: %v", query, err)
			}
		}
	}
}

// sameFiles compares the bytes of two indexes.
func sameFiles(t *testing.T, a, b string) {
	t.Helper()
	x, errX := os.ReadFile(a)
	y, errY := os.ReadFile(b)
	if err := errors.Join(errX, errY); err != nil || !bytes.Equal(x, y) {
		t.Errorf("%s and %s differ: %v", a, b, err)
	}
}

// The same bytes and the same answer for any number of threads.
func TestThreads(t *testing.T) {
	s := randomSpace(t, 400, 12, 100, 5)
	path := writeFile(t, "text", strings.Repeat(strings.Join(randomText(400, 5000, 8), "\n")+"\n", 20))
	lists(t, 1)
	var dirs [2]string
	var founds [2]*Found
	for i, threads := range []int{1, 5} {
		before := runtime.GOMAXPROCS(threads)
		dirs[i] = filepath.Join(t.TempDir(), "index")
		_, err := Write(t.Context(), dirs[i], s, text(path), "", nil)
		if err == nil {
			x := open(t, dirs[i], s)
			if len(x.blocks) < 3 {
				t.Errorf("%d blocks are too few for this test", len(x.blocks))
			}
			founds[i], err = x.Search(t.Context(), "w3 w4 w8", Options{N: 30, Exact: true})
		}
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
	}
	sameFiles(t, dirs[0], dirs[1])
	if a, b := founds[0], founds[1]; !slices.Equal(a.Nearest, b.Nearest) {
		t.Errorf("%+v\n%+v", a, b)
	}
	for i, h := range founds[0].Nearest { // 20 times the same, or more
		if h.Equal < 20 || h.Equal%20 > 0 || i > 0 && h.Distance < founds[0].Nearest[i-1].Distance {
			t.Errorf("hit %d: %+v", i, h)
		}
	}
}

// changed returns the file of an index with a byte of a member changed, by this part of the member.
func changed(t *testing.T, whole []byte, name string, part float64) []byte {
	t.Helper()
	from, err := npz.Read(whole, "index")
	if err != nil {
		t.Fatal(err)
	}
	member, err := from.Bytes(name)
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(whole)
	damaged[bytes.Index(whole, member)+int(part*float64(len(member)))] ^= 4
	return damaged
}

// Every byte that is changed is noticed where it is read, and so is a file that is cut.
func TestDamage(t *testing.T) {
	s := randomSpace(t, 100, 6, 50, 1)
	x := newIndex(t, s, writeFile(t, "text", strings.Join(randomText(100, 300, 1), "\n")+"\n"))
	whole, err := os.ReadFile(x.path)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "index")
	try := func(name string, damaged []byte) {
		t.Helper()
		if err := os.WriteFile(path, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		y, err := Open(path, s)
		if err == nil {
			if _, err = y.Search(t.Context(), "w1 w2", Options{N: 300}); err == nil {
				_, err = y.Search(t.Context(), "w1 w2", Options{N: 1, Documents: true})
			}
			y.Close()
		}
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNoIndex) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{manifestFile, sentencesFile, blocksFile, documentsFile, vectorsFile} {
		for part := 0.0; part < 1; part += 0.05 {
			try(name, changed(t, whole, name, part))
		}
	}
	try("", whole[:len(whole)-2])
}

// Whatever operation on the disk fails, there is no index or a whole one; the next Write succeeds, and the old index
// is what it was.
func TestWriteFaults(t *testing.T) {
	lists(t, 1)
	s := randomSpace(t, 100, 6, 50, 1)
	lines := randomText(100, 60, 1)
	first, second := writeFile(t, "first", strings.Join(lines[:30], "\n")), writeFile(t, "second", strings.Join(lines[30:], "\n"))
	old := newIndex(t, s, first)
	for fail, more := 0, true; more; fail++ {
		dir := filepath.Join(t.TempDir(), "index")
		count, broken := 0, errors.New("broken")
		restore := disk.Inject(func(disk.Op, string) error {
			count++
			if count > fail {
				return broken
			}
			return nil
		})
		_, err := Write(t.Context(), dir, s, text(second), old.path, nil)
		restore()
		if more = errors.Is(err, broken); !more && err != nil {
			t.Fatal(err)
		}
		if _, openErr := Open(dir, s); err == nil != (openErr == nil) && !errors.Is(openErr, ErrNoIndex) && openErr != nil {
			t.Fatalf("after operation %d: %v, %v", fail, err, openErr)
		}
		if _, statErr := os.Stat(dir); statErr != nil {
			if _, err := Write(t.Context(), dir, s, text(second), old.path, nil); err != nil {
				t.Errorf("after operation %d: %v", fail, err)
			}
		}
		x := open(t, dir, s)
		found, err := x.Search(t.Context(), "w1 w2", Options{N: 60, Documents: true, Exact: true})
		if err != nil || x.Sentences != 60 || len(found.Nearest) == 0 || found.Compared != 60 {
			t.Errorf("after operation %d, again: %d sentences, %+v, %v", fail, x.Sentences, found, err)
		}
		if found, err := old.Search(t.Context(), "w1 w2", Options{N: 1, Exact: true}); err != nil || found.Compared != 30 {
			t.Errorf("after operation %d, the old index: %+v, %v", fail, found, err)
		}
	}
}

// FuzzBlock reads places and text of a block with right checksums.
func FuzzBlock(f *testing.F) {
	s := randomSpace(f, 20, 3, 5, 1)
	encoder, err := s.Encoder()
	if err != nil {
		f.Fatal(err)
	}
	e, err := encode(f.Context(), encoder, []corpus.Sentence{
		{Tokens: []string{"w1", "w2"}, Text: "W1 w2", Line: 1}, {Tokens: []string{"w3"}, Text: "w3", Line: 3}, {Line: 4},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(e.places, e.text, uint32(3), e.Plain)
	f.Add([]byte("\x02"), []byte{}, uint32(2), uint32(0))
	f.Add([]byte{}, []byte("\x28\xb5\x2f\xfd"), uint32(1), uint32(1)<<31)
	f.Fuzz(func(t *testing.T, places, packed []byte, sentences, plain uint32) {
		sentences %= 1 << 10
		var blocks []byte
		for _, x := range []uint32{
			sentences, uint32(len(places)), uint32(len(packed)), plain, crc32.Checksum(places, castagnoli),
			crc32.Checksum(packed, castagnoli),
		} {
			blocks = binary.LittleEndian.AppendUint32(blocks, x)
		}
		dir := forged(t, s, &manifest{Sentences: int64(sentences), Sources: []source{{Path: "b", Sentences: int64(sentences)}}}, blocks, slices.Concat(places, packed))
		x, err := Open(dir, s)
		if errors.Is(err, ErrDamaged) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		found, err := x.Search(context.Background(), "w1 w2", Options{N: 1 << 10})
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		if err == nil && len(found.Nearest) > int(sentences) {
			t.Fatalf("%d of %d sentences", len(found.Nearest), sentences)
		}
	})
}

// forged writes an index of these blocks, with vectors of zeros and right checksums.
func forged(t *testing.T, s *cmdlib.Space, m *manifest, blocks, sentences []byte) string {
	t.Helper()
	var err error
	if m.Vectors.Dim == 0 {
		m.Vectors, err = encodingOf(s)
	}
	m.Format, m.Space = format, s.Identity()
	text, errM := json.Marshal(m)
	n, size := int(max(0, min(m.Sentences, 1<<10))), mips.Size(s.Dim)
	path := filepath.Join(t.TempDir(), "index")
	errW := npz.Write(path, func(w *npz.Writer) error {
		return errors.Join(w.AddBytes(manifestFile, text), w.AddBytes(blocksFile, blocks), w.AddBytes(documentsFile, packed(nil)),
			w.AddBytes(sentencesFile, sentences), npz.AddArray(w, vectorsFile, []int{n, size}, make([]uint8, n*size)))
	})
	if err := errors.Join(err, errM, errW); err != nil {
		t.Fatal(err)
	}
	return path
}

// FuzzManifest reads an index.json with a right checksum.
func FuzzManifest(f *testing.F) {
	s := randomSpace(f, 20, 3, 5, 1)
	f.Add(int64(0), int64(0), int64(0), 16, false)
	f.Add(int64(1)<<62, int64(-1), int64(7), -1, true)
	f.Fuzz(func(t *testing.T, sentences, of, documents int64, dim int, lists bool) {
		m := &manifest{Sentences: sentences, Documents: documents, Sources: []source{{Path: "p", Sentences: of}}}
		encoding, err := encodingOf(s)
		if err != nil {
			t.Fatal(err)
		}
		m.Vectors = encoding
		m.Vectors.Dim, m.Vectors.Lists = dim, lists
		x, err := Open(forged(t, s, m, nil, nil), s)
		if err != nil {
			return
		}
		defer x.Close()
		if _, err := x.Search(context.Background(), "w1 w2", Options{N: 3}); err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
	})
}

// Lines that are not UTF-8 are counted, with the place of the first.
func TestInvalidText(t *testing.T) {
	s := randomSpace(t, 20, 3, 5, 1)
	sound, other := writeFile(t, "a", "w1 w2\nw3\n"), writeFile(t, "b", "w1\nw2 \xff\nw3\n\xfe\xfe w4\n")
	added, err := Write(t.Context(), filepath.Join(t.TempDir(), "index"), s, text(sound, other), "", nil)
	if err != nil || added.Invalid != 2 || added.FirstInvalid != other+":2" {
		t.Errorf("%+v, %v", added, err)
	}
}
