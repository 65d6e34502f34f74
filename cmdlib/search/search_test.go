package search

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
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
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/sentence"
	"contextmover/internal/disk"
)

func TestMain(m *testing.M) {
	fromPotentials = 1000 // so that all bounds are tested
	os.Exit(m.Run())
}

// Without potentials the result is the same.
func TestSmallIndex(t *testing.T) {
	s := randomSpace(t, 400, 12, true, 100, 5)
	x := newIndex(t, s, writeFile(t, "text", strings.Join(randomText(400, 3000, 7), "\n")))
	with, err := x.Search(t.Context(), "w5 w6 w7", 20)
	if err != nil {
		t.Fatal(err)
	}
	defer func(n int64) { fromPotentials = n }(fromPotentials)
	fromPotentials = 1 << 40
	without, err := x.Search(t.Context(), "w5 w6 w7", 20)
	if err != nil || !slices.Equal(with.Nearest, without.Nearest) || with.Bounded >= without.Bounded {
		t.Errorf("%+v\n%+v, %v", with, without, err)
	}
}

// randomSpace is a space of words with few large bins; each tenth word has no estimate. Its cost is symmetric or not.
func randomSpace(t testing.TB, words, k int, symmetric bool, iterations int, seed uint64) *cmdlib.Space {
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
			if !symmetric {
				c.Cost.Data[i*k+j] += random.Float32() / 4
			}
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
	if _, err := Add(t.Context(), dir, s, text(paths...), nil); err != nil {
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

// all is the result of solving all problems.
func all(t testing.TB, s *cmdlib.Space, query string, lines []string) (hits []Hit) {
	t.Helper()
	pairs := make([]cmdlib.Pair, len(lines))
	for i, line := range lines {
		pairs[i] = cmdlib.Pair{A: query, B: line}
	}
	distances, err := s.PairDistances(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range distances {
		if d.Known {
			hits = append(hits, Hit{Distance: d.Cost, Text: lines[i], Position: int64(i)})
		}
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Position, b.Position))
	})
	return hits
}

// Search must find what solving all finds, bit for bit, with sentences
// that occur more than once, and for plans that miss their histograms.
func TestSearchEqualsBruteForce(t *testing.T) {
	const words = 400
	lines := randomText(words, 6000, 3)
	first, second := writeFile(t, "first", strings.Join(lines[:3500], "\n")+"\n"), writeFile(t, "second", strings.Join(lines[3500:], "\n"))
	for _, test := range []struct {
		symmetric  bool
		iterations int
		most       float64 // share that is solved, of all queries
	}{{true, 100, 0.2}, {false, 100, 0.4}, {true, 3, 1}} {
		t.Run(fmt.Sprintf("symmetric %v, %d iterations", test.symmetric, test.iterations), func(t *testing.T) {
			s := randomSpace(t, words, 12, test.symmetric, test.iterations, 5)
			x := newIndex(t, s, first, second)
			var solved, compared int64
			queries := []string{"w1 w2 w3", "w20", "w77 w300 nothing", lines[17] + " w5", "w399 w398 w0"}
			for i, query := range queries {
				n := []int{10, 1, 3, 50, 7000}[i]
				want := all(t, s, query+" unknown", lines)
				found, err := x.Search(t.Context(), query, n)
				if err != nil {
					t.Fatal(err)
				}
				if found.Compared != int64(len(want)) {
					t.Errorf("%q: %d sentences compared, want %d", query, found.Compared, len(want))
				}
				want = once(want)
				want = want[:min(n, len(want))]
				if len(found.Nearest) != len(want) {
					t.Fatalf("%q: %d sentences, want %d", query, len(found.Nearest), len(want))
				}
				for j, got := range found.Nearest {
					want[j].Path, want[j].Number = first, want[j].Position+1
					if want[j].Position >= 3500 {
						want[j].Path, want[j].Number = second, want[j].Position-3499
					}
					if got != want[j] {
						t.Fatalf("%q: hit %d is %+v, want %+v", query, j, got, want[j])
					}
				}
				if n < 7000 {
					solved, compared = solved+found.Solved, compared+found.Compared
				}
			}
			if share := float64(solved) / float64(compared); share > test.most {
				t.Errorf("%.2f of the problems are solved, expected at most %.2f", share, test.most)
			}
		})
	}
}

// The same on novels and articles in the space of English words.
func TestSearchRealText(t *testing.T) {
	dir := os.Getenv("CONTEXTMOVER_DATA")
	if dir == "" {
		t.Skip("SKIPPED: set CONTEXTMOVER_DATA to the data folder to test on real data")
	}
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var lines []string
	for _, name := range []string{"corpora/books-00.txt.zst", "corpora/wiki-00.txt.zst"} {
		some := errors.New("enough")
		have := len(lines)
		_, err := corpus.Pieces(t.Context(), text(filepath.Join(dir, name)), nil, func(sentences []corpus.Sentence) ([]corpus.Sentence, error) { return sentences, nil }, func(sentences []corpus.Sentence) error {
			for _, sentence := range sentences[:600] {
				lines = append(lines, strings.Join(sentence.Tokens, " "))
			}
			return some
		})
		if !errors.Is(err, some) || len(lines) != have+600 {
			t.Fatalf("%s: %v, %d sentences", name, err, len(lines))
		}
	}
	x := newIndex(t, s, writeFile(t, "text", strings.Join(lines, "\n")+"\n"))
	for _, query := range []string{"the king spoke to the people", "a company that makes engines"} {
		found, err := x.Search(t.Context(), query, 10)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range once(all(t, s, query, lines))[:10] {
			if got := found.Nearest[i]; got.Distance != want.Distance || got.Text != want.Text || got.Position != want.Position {
				t.Errorf("%q: hit %d is %+v, want %+v", query, i, got, want)
			}
		}
		if found.Solved > found.Compared/3 {
			t.Errorf("%q: %d of %d problems are solved", query, found.Solved, found.Compared)
		}
	}
}

// A bound is below the cost of exact transport, for solutions of the dual problem that come from anywhere.
func TestPotentialsBoundFromBelow(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	near := 0
	for round := range 200 {
		k := 1 + random.IntN(10)
		histogram := func() []float32 {
			h, sum := make([]float32, k), float32(0)
			for i := range h {
				if random.IntN(3) > 0 || i == k-1 {
					h[i] = random.Float32()
				}
				sum += h[i]
			}
			for i := range h {
				h[i] /= sum
			}
			return h
		}
		c := ot.Cost{K: k, Data: make([]float32, k*k)}
		for i := range c.Data {
			c.Data[i] = random.Float32()
		}
		a, b := histogram(), histogram()
		p := &ot.Problem{Cost: c, Rows: ot.Histograms{K: k, Data: slices.Concat(a, b)}, Pairs: []ot.Pair{{Source: 0, Target: 1}}, Settings: ot.Settings{Reg: 1, MaxIter: 1}}
		plan, err := exact.New().Plan(t.Context(), p, 0)
		if err != nil {
			t.Fatal(err)
		}
		f := plan.F
		if round%2 == 0 {
			for i := range f {
				f[i] = random.NormFloat64()
			}
		}
		g := make([]float32, k)
		bound := feasible(c, a, f, g)
		for j, mass := range b {
			bound += float64(mass) * float64(g[j])
		}
		if bound > plan.Cost+1e-5 {
			t.Fatalf("round %d: bound %v, cost %v", round, bound, plan.Cost)
		}
		if bound > plan.Cost-1e-4 {
			near++
		}
	}
	if near < 100 {
		t.Errorf("%d bounds of optimal potentials are the cost, expected 100 or more", near)
	}
	g := make([]float32, 2)
	if offset := feasible(ot.Cost{K: 2, Data: make([]float32, 4)}, []float32{1, 0}, []float64{math.NaN(), 0}, g); offset != 0 || g[0] != 0 || g[1] != 0 {
		t.Errorf("potentials that are no numbers give %v, %v", offset, g)
	}
}

// The third bound is below the distance, and near it where few iterations suffice.
func TestThirdBounds(t *testing.T) {
	for _, test := range []struct {
		symmetric bool
		reg, near float64
	}{{true, 0.2, 0.9}, {false, 0.2, 0.9}, {true, 0.02, -10}, {false, 0.005, -10}} {
		s := randomSpace(t, 400, 12, test.symmetric, 3000, 5)
		s.Settings.Transport.Reg = test.reg
		x := newIndex(t, s, writeFile(t, "text", "w1\n"))
		run := &searching{Index: x}
		var list []candidate
		sentences, err := s.Sentences(t.Context(), randomText(400, 300, 9))
		if err != nil {
			t.Fatal(err)
		}
		for _, sentence := range sentences {
			if h := sentence.Histogram; h != nil {
				list, run.query = append(list, candidate{Of: content{histogram: h}}), h
			}
		}
		bounds, err := run.thirdBounds(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		rows, pairs := run.problems(list)
		results, err := s.Transport(t.Context(), rows, pairs)
		if err != nil {
			t.Fatal(err)
		}
		ratio := 0.0
		for i, r := range results {
			if slack := 1.5*r.MarginalError*x.largest + 1e-5; bounds[i] > r.Cost+slack {
				t.Errorf("λ = %v, sentence %d: bound %v, distance %v, marginal error %v", test.reg, i, bounds[i], r.Cost, r.MarginalError)
			}
			ratio += bounds[i] / r.Cost / float64(len(results))
		}
		if ratio < test.near {
			t.Errorf("λ = %v, symmetric %v: bounds are %.2f of the distances", test.reg, test.symmetric, ratio)
		}
	}
}

// An index grows by what is new, and is then as if it had been made at once but for its files.
func TestAdd(t *testing.T) {
	s := randomSpace(t, 100, 6, true, 50, 1)
	lines := randomText(100, 900, 1)
	first, second := writeFile(t, "first", strings.Join(lines[:500], "\n")+"\n"), writeFile(t, "second", strings.Join(lines[500:], "\n")+"\n")
	dir := filepath.Join(t.TempDir(), "new", "index")
	a, b := int64(len(betweenBlanks(lines[:500]))), int64(len(betweenBlanks(lines[500:])))
	for i, step := range []struct {
		paths []string
		want  Added
	}{
		{[]string{first}, Added{Files: 1, Sentences: 500, Total: 500, Documents: a, AllDocuments: a}},
		{[]string{first}, Added{Known: 1, Total: 500, AllDocuments: a}},
		{[]string{first, second}, Added{Files: 1, Known: 1, Sentences: 400, Total: 900, Documents: b, AllDocuments: a + b}},
	} {
		added, err := Add(t.Context(), dir, s, text(step.paths...), nil)
		if err != nil || *added != step.want {
			t.Errorf("step %d: %+v, %v, want %+v", i, added, err, step.want)
		}
	}
	grown, once := open(t, dir, s), newIndex(t, s, first, second)
	if grown.Sentences != 900 {
		t.Errorf("%d sentences", grown.Sentences)
	}
	x, err := grown.Search(t.Context(), "w1 w2", 20)
	if err != nil {
		t.Fatal(err)
	}
	y, err := once.Search(t.Context(), "w1 w2", 20)
	if err != nil || !slices.Equal(x.Nearest, y.Nearest) {
		t.Errorf("%+v\n%+v, %v", x, y, err)
	}
	sameDocuments(t, grown, once, "w1 w2", 20)

	if err := os.WriteFile(first, []byte("w1 w2 w3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Add(t.Context(), dir, s, text(first), nil); err == nil || !strings.Contains(err.Error(), first+" has changed") {
		t.Errorf("a file that has changed: %v", err)
	}
	other := randomSpace(t, 99, 6, true, 50, 1)
	if _, err := Add(t.Context(), dir, other, text(first), nil); !errors.Is(err, ErrOtherSpace) {
		t.Errorf("another space: %v", err)
	}
	if _, err := Open(dir, other); !errors.Is(err, ErrOtherSpace) {
		t.Errorf("another space: %v", err)
	}
	if _, err := Open(t.TempDir(), s); !errors.Is(err, ErrNoIndex) {
		t.Errorf("no index: %v", err)
	}
	if _, err := Add(t.Context(), filepath.Dir(first), s, text(second), nil); err == nil || !strings.Contains(err.Error(), "left as it is") {
		t.Errorf("a folder of something else: %v", err)
	}
	if _, err := Add(t.Context(), dir, s, text(filepath.Join(dir, "nothing")), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no text: %v", err)
	}
	barycenters, err := s.Asked(cmdlib.Override{Combination: cmdlib.Barycenter}, cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, barycenters); !errors.Is(err, ErrCombination) {
		t.Errorf("a space of barycenters: %v", err)
	}
	if _, err := grown.Search(t.Context(), "w1", 0); err == nil {
		t.Error("no error for 0 sentences")
	}
	var unknown *cmdlib.UnknownError
	if _, err := grown.Search(t.Context(), "nothing", 1); !errors.As(err, &unknown) {
		t.Errorf("an unknown query: %v", err)
	}
}

// The same bytes and the same answer for any number of threads.
func TestThreads(t *testing.T) {
	s := randomSpace(t, 400, 12, true, 100, 5)
	path := writeFile(t, "text", strings.Repeat(strings.Join(randomText(400, 5000, 8), "\n")+"\n", 20))
	var bytesOf [2][]byte
	var founds [2]*Found
	for i, threads := range []int{1, 5} {
		before := runtime.GOMAXPROCS(threads)
		dir := filepath.Join(t.TempDir(), "index")
		_, err := Add(t.Context(), dir, s, text(path), nil)
		if err == nil {
			bytesOf[i], err = os.ReadFile(filepath.Join(dir, "000001.sentences"))
		}
		if err == nil {
			x := open(t, dir, s)
			if len(x.blocks) < 3 {
				t.Errorf("%d blocks are too few for this test", len(x.blocks))
			}
			founds[i], err = x.Search(t.Context(), "w3 w4 w8", 30)
		}
		runtime.GOMAXPROCS(before)
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(bytesOf[0], bytesOf[1]) {
		t.Error("the index depends on the number of threads")
	}
	if a, b := founds[0], founds[1]; !slices.Equal(a.Nearest, b.Nearest) || a.Solved != b.Solved || a.Bounded != b.Bounded {
		t.Errorf("%+v\n%+v", a, b)
	}
	for i, h := range founds[0].Nearest { // 20 times the same, or more
		if h.Equal < 20 || h.Equal%20 > 0 || i > 0 && h.Distance < founds[0].Nearest[i-1].Distance {
			t.Errorf("hit %d: %+v", i, h)
		}
	}
}

// Every byte that is changed is noticed, if it is read at all.
func TestDamage(t *testing.T) {
	s := randomSpace(t, 100, 6, true, 50, 1)
	x := newIndex(t, s, writeFile(t, "text", strings.Join(randomText(100, 300, 1), "\n")+"\n"))
	want, err := x.Search(t.Context(), "w1 w2", 300)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{ManifestFile, "000001.sentences"} {
		path := filepath.Join(x.dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		try := func(what string, damaged []byte) {
			if err := os.WriteFile(path, damaged, 0o666); err != nil {
				t.Fatal(err)
			}
			y, err := Open(x.dir, s)
			var got *Found
			if err == nil {
				if got, err = y.Search(t.Context(), "w1 w2", 300); err == nil {
					_, err = y.SearchDocuments(t.Context(), "w1 w2", 1)
				}
				y.Close()
			}
			if err == nil && !slices.Equal(got.Nearest, want.Nearest) {
				t.Errorf("%s of %s: another answer and no error", what, name)
			}
			if err != nil && (!errors.Is(err, ErrDamaged) && !strings.Contains(err.Error(), "format") || !strings.Contains(err.Error(), name)) {
				t.Errorf("%s of %s: %v", what, name, err)
			}
			if err == nil && name != ManifestFile && !strings.Contains(what, "byte 0 ") {
				t.Errorf("%s of %s is not noticed", what, name)
			}
		}
		random := rand.New(rand.NewPCG(1, 1))
		for range 60 {
			at := len(segmentMark) + random.IntN(len(whole)-len(segmentMark))
			damaged := bytes.Clone(whole)
			damaged[at] ^= 1 << random.IntN(8)
			if name == ManifestFile && (whole[at] == ' ' || damaged[at] == ' ' || bytes.EqualFold(damaged, whole)) {
				continue // white space, and the case of names, mean nothing in JSON
			}
			try(fmt.Sprintf("byte %d", at), damaged)
		}
		try("the last byte less", whole[:len(whole)-2])
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(x.dir, "000001.sentences")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(x.dir, s); !errors.Is(err, ErrDamaged) {
		t.Errorf("a file is missing: %v", err)
	}
}

// Whatever operation on the disk fails, the index is then what it was, and the next Add succeeds.
func TestAddFaults(t *testing.T) {
	lists(t, 1)
	s := randomSpace(t, 100, 6, true, 50, 1)
	lines := randomText(100, 60, 1)
	first, second := writeFile(t, "first", strings.Join(lines[:30], "\n")), writeFile(t, "second", strings.Join(lines[30:], "\n"))
	for fail, more := 0, true; more; fail++ {
		dir := filepath.Join(t.TempDir(), "index")
		if _, err := Add(t.Context(), dir, s, text(first), nil); err != nil {
			t.Fatal(err)
		}
		count, broken := 0, errors.New("broken")
		restore := disk.Inject(func(disk.Op, string) error {
			count++
			if count > fail {
				return broken
			}
			return nil
		})
		_, err := Add(t.Context(), dir, s, text(second), nil)
		restore()
		if more = errors.Is(err, broken); !more && err != nil {
			t.Fatal(err)
		}
		x, openErr := Open(dir, s)
		if openErr != nil {
			t.Fatalf("after operation %d: %v", fail, openErr)
		}
		if n := x.Sentences; n != 30 && n != 60 || err == nil && n != 60 {
			t.Errorf("after operation %d: %d sentences, %v", fail, n, err)
		}
		x.Close()
		if _, err := Add(t.Context(), dir, s, text(second), nil); err != nil {
			t.Errorf("after operation %d: %v", fail, err)
		}
		x = open(t, dir, s)
		found, err := x.SearchDocuments(t.Context(), "w1 w2", 60)
		if err != nil || x.Sentences != 60 || found.Compared != x.Documents {
			t.Errorf("after operation %d, again: %d sentences, %d of %d documents, %v", fail, x.Sentences, found.Compared, x.Documents, err)
		}
	}
}

// FuzzBlock reads words and text of a block with right checksums.
func FuzzBlock(f *testing.F) {
	s := randomSpace(f, 20, 3, true, 5, 1)
	e, err := encode(f.Context(), s, []corpus.Sentence{
		{Tokens: []string{"w1", "w2"}, Text: "W1 w2", Line: 1}, {Tokens: []string{"w3"}, Text: "w3", Line: 3}, {Line: 4},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(e.words, e.places, e.text, uint32(3), e.Plain)
	f.Add([]byte("\x02\x01\x02\x00"), []byte("\x02"), []byte{}, uint32(2), uint32(0))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), []byte{}, []byte("\x28\xb5\x2f\xfd"), uint32(1), uint32(1)<<31)
	f.Fuzz(func(t *testing.T, words, places, packed []byte, sentences, plain uint32) {
		sentences %= 1 << 16
		dir := t.TempDir()
		file := slices.Concat([]byte(segmentMark), words, places, packed)
		var directory []byte
		for _, x := range []uint32{
			sentences, uint32(len(words)), uint32(len(places)), uint32(len(packed)), plain, crc32.Checksum(words, castagnoli),
			crc32.Checksum(places, castagnoli), crc32.Checksum(packed, castagnoli),
		} {
			directory = binary.LittleEndian.AppendUint32(directory, x)
		}
		file = append(file, directory...)
		m := &manifest{Format: format, Segments: []segment{{
			File: "a", Bytes: int64(len(file)), Blocks: 1, Sentences: int64(sentences), Directory: crc32.Checksum(directory, castagnoli),
			Sources: []source{{Path: "b", Sentences: int64(sentences)}},
		}}}
		m.Vocabulary, m.Words = vocabulary(s)
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "a"), file, 0o666), m.write(dir)); err != nil {
			t.Fatal(err)
		}
		x, err := Open(dir, s)
		if errors.Is(err, ErrDamaged) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		found, err := x.Search(context.Background(), "w1 w2", 3)
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		if err == nil && found.Compared > int64(sentences) {
			t.Fatalf("%d of %d sentences", found.Compared, sentences)
		}
	})
}

// FuzzManifest reads an index.json with a right checksum.
func FuzzManifest(f *testing.F) {
	s := randomSpace(f, 20, 3, true, 5, 1)
	sum, words := vocabulary(s)
	f.Add("a", int64(8), 0, int64(0), int64(0))
	f.Add("../a", int64(-8), -1, int64(1)<<62, int64(-1))
	f.Fuzz(func(t *testing.T, file string, size int64, blocks int, sentences, of int64) {
		dir := t.TempDir()
		m := &manifest{Format: format, Vocabulary: sum, Words: words, Segments: []segment{{File: file, Bytes: size, Blocks: blocks, Sentences: sentences, Sources: []source{{Path: "p", Sentences: of}}}}}
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "a"), []byte(segmentMark), 0o666), m.write(dir)); err != nil {
			t.Fatal(err)
		}
		x, err := Open(dir, s)
		if err != nil {
			return
		}
		defer x.Close()
		if _, err := x.Search(context.Background(), "w1 w2", 3); err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
	})
}

// Landmarks are means of histograms: histograms. They are found once, and where a text has
// fewer sentences that differ than there are to be groups, the result is that of solving all.
func TestLandmarks(t *testing.T) {
	s := randomSpace(t, 400, 12, true, 100, 5)
	x := newIndex(t, s, writeFile(t, "text", strings.Join(randomText(400, 3000, 7), "\n")))
	first, err := x.Search(t.Context(), "w5 w6 w7", 20)
	if err != nil {
		t.Fatal(err)
	}
	l := x.ofSentences
	if len(l.means) != mostStages*width*12 {
		t.Fatalf("%d numbers in the means", len(l.means))
	}
	for i := 0; i < len(l.means); i += 12 {
		sum := 0.0
		for _, v := range l.means[i : i+12] {
			sum += float64(v)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("mean %d sums to %v", i/12, sum)
		}
	}
	again, err := x.Search(t.Context(), "w5 w6 w7", 20)
	if err != nil || x.ofSentences != l || !slices.Equal(first.Nearest, again.Nearest) || first.Bounded != again.Bounded {
		t.Errorf("the second search differs from the first: %v", err)
	}

	few := newIndex(t, s, writeFile(t, "few", strings.Repeat("w1 w2 w3\nw4 w6\nw11 w12 w13\n", 1000)))
	with, err := few.Search(t.Context(), "w5 w6 w7", 2000)
	if err != nil || few.ofSentences == nil || few.ofSentences.means == nil {
		t.Fatalf("no landmarks: %v", err)
	}
	defer func(n int64) { fromPotentials = n }(fromPotentials)
	fromPotentials = 1 << 40
	without, err := few.Search(t.Context(), "w5 w6 w7", 2000)
	if err != nil || !slices.Equal(with.Nearest, without.Nearest) {
		t.Errorf("other sentences without potentials: %v", err)
	}
}

// What many additions have written is joined: a few files, none left behind, with the answers of an index that was made
// at once.
func TestCompact(t *testing.T) {
	s := randomSpace(t, 100, 6, true, 50, 1)
	lines, dir := randomText(100, 450, 3), filepath.Join(t.TempDir(), "index")
	var files []string
	for i := range 45 {
		part := slices.Clone(lines[10*i : 10*(i+1)])
		part[4] = ""
		files = append(files, writeFile(t, fmt.Sprintf("text%02d", i), strings.Join(part, "\n")+"\n"))
	}
	for _, file := range files {
		if _, err := Add(t.Context(), dir, s, text(file), nil); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	many, once := open(t, dir, s), newIndex(t, s, files...)
	if n := len(many.manifest.Segments); n > 7 || len(entries) > 2*n+2 {
		t.Errorf("%d segments, %d files", n, len(entries))
	}
	a, errA := many.Search(t.Context(), "w1 w2", 450)
	b, errB := once.Search(t.Context(), "w1 w2", 450)
	if err := errors.Join(errA, errB); err != nil || !slices.Equal(a.Nearest, b.Nearest) {
		t.Errorf("other sentences, %v", err)
	}
	a, errA = many.SearchDocuments(t.Context(), "w1 w2", 90)
	b, errB = once.SearchDocuments(t.Context(), "w1 w2", 90)
	if err := errors.Join(errA, errB); err != nil || len(a.Nearest) != 90 || len(b.Nearest) != 90 {
		t.Fatalf("%v: %d and %d documents", err, len(a.Nearest), len(b.Nearest))
	}
	for i, hit := range a.Nearest {
		if want := b.Nearest[i]; hit.Line() != want.Line() || hit.Distance != want.Distance {
			t.Errorf("document %d: %s, expected %s", i, hit.Line(), want.Line())
		}
	}
}

// Lines that are not UTF-8 are counted, with the place of the first.
func TestInvalidText(t *testing.T) {
	s := randomSpace(t, 20, 3, true, 5, 1)
	sound, other := writeFile(t, "a", "w1 w2\nw3\n"), writeFile(t, "b", "w1\nw2 \xff\nw3\n\xfe\xfe w4\n")
	added, err := Add(t.Context(), filepath.Join(t.TempDir(), "index"), s, text(sound, other), nil)
	if err != nil || added.Invalid != 2 || added.FirstInvalid != other+":2" {
		t.Errorf("%+v, %v", added, err)
	}
}
