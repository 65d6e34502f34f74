package cmdlib

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/internal/npz"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
	"contextmover/cmdlib/sentence"
	"contextmover/cmdlib/sppmi"
)

// contents makes a random space; word 3 has no estimate.
func contents(t testing.TB, words, k, dim int) Contents {
	t.Helper()
	random := rand.New(rand.NewPCG(uint64(words), uint64(k)))
	names, counts := make([]string, words), make([]int64, words)
	for i := range names {
		names[i], counts[i] = fmt.Sprintf("word%d", i), int64(10*words/(i+1)+1)
	}
	copy(names, []string{"elephant", "mammal", "eleven", "silent", "rock", "music", "it's", "elegant"})
	v, err := corpus.NewVocabulary(names, counts)
	if err != nil {
		t.Fatal(err)
	}
	c := Contents{
		Vocabulary: v, Dim: dim,
		Histograms: ot.Histograms{K: k, Data: make([]float32, words*k)},
		Vectors:    make([]float32, words*dim), Centroids: make([]float32, k*dim),
		Settings: Settings{
			SPPMI:     sppmi.Params{Smoothing: 0.55, Shift: 5},
			Estimate:  estimate.Params{Normalisation: estimate.Total, Beta: 1},
			Ground:    ground.Params{Metric: ground.Angular, Normalisation: ground.Median, Reg: 0.1},
			Transport: ot.Settings{Reg: 0.1, MaxIter: 50},
			Sentence: SentenceSettings{
				Combination: Average, Weighting: sentence.Weighting{Scheme: sentence.InverseMarginal, A: 1e-3},
			},
			Encoding: Encoding{A: 1e-3, Components: 2},
		},
		Provenance: map[string]any{"corpus": "random", "seed": 1.0},
	}
	for i := range words {
		sum := float32(0)
		row := c.Histograms.Row(i)
		for j := range row {
			row[j] = float32(random.ExpFloat64())
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	clear(c.Histograms.Row(3))
	for _, x := range [][]float32{c.Vectors, c.Centroids} {
		for i := range x {
			x[i] = float32(random.NormFloat64())
		}
	}
	g, err := ground.New(c.Centroids, k, dim, c.Settings.Ground)
	if err != nil {
		t.Fatal(err)
	}
	c.Cost = g.Cost
	return c
}

func write(t testing.TB, c Contents) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "space")
	if err := Write(t.Context(), path, c); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string) *Space {
	t.Helper()
	s, err := Open(path, reference.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestRoundTrip(t *testing.T) {
	c := contents(t, 50, 6, 4)
	dir := write(t, c)
	if err := Verify(t.Context(), dir); err != nil {
		t.Error(err)
	}
	s := open(t, dir)
	if !slices.Equal(s.Words, c.Vocabulary.Words) || !slices.Equal(s.Counts, c.Vocabulary.Counts) {
		t.Error("another vocabulary")
	}
	if s.Dim != c.Dim || s.Cost.K != 6 || decoded(t, s).K != 6 {
		t.Errorf("dimension %d, %d and %d bins", s.Dim, s.Cost.K, decoded(t, s).K)
	}
	for name, x := range map[string][2][]float32{
		"histograms": {decoded(t, s).Data, c.Histograms.Data}, "vectors": {s.Vectors, c.Vectors},
		"centroids": {s.Centroids, c.Centroids}, "cost": {s.Cost.Data, c.Cost.Data},
	} {
		if !slices.Equal(x[0], x[1]) {
			t.Errorf("other %s", name)
		}
	}
	if s.Settings != c.Settings || fmt.Sprint(s.Provenance) != fmt.Sprint(c.Provenance) {
		t.Errorf("settings %+v, provenance %v", s.Settings, s.Provenance)
	}
	if !s.Has("elephant") || s.Has("silent") || s.Has("unicorn") {
		t.Error("Has is wrong")
	}
	entries, _ := os.ReadDir(filepath.Dir(dir))
	if len(entries) != 1 {
		t.Errorf("left beside the space: %v", entries)
	}
}

// A space replaces a file, whole or not at all, and no folder.
func TestWriteReplaces(t *testing.T) {
	space := write(t, contents(t, 50, 6, 4))
	if err := Write(t.Context(), space, contents(t, 40, 5, 4)); err != nil {
		t.Fatal(err)
	}
	if s := open(t, space); len(s.Words) != 40 {
		t.Error("the space was not replaced")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Write(ended, space, contents(t, 50, 6, 4)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if s := open(t, space); len(s.Words) != 40 {
		t.Error("a space that was not written replaces another")
	}
	precious := filepath.Join(t.TempDir(), "thesis.tex")
	if err := os.WriteFile(precious, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{precious, t.TempDir()} {
		errW, errP := Write(t.Context(), path, contents(t, 40, 5, 4)), open(t, space).Pack(t.Context(), path, Packing{})
		for _, err := range []error{errW, errP} {
			if err == nil || !strings.Contains(err.Error(), path+" is there and is no space") {
				t.Errorf("error %v", err)
			}
		}
	}
	if text, err := os.ReadFile(precious); err != nil || string(text) != "precious" {
		t.Errorf("the file is %q, %v", text, err)
	}
}

func TestWriteErrors(t *testing.T) {
	for want, spoil := range map[string]func(*Contents){
		"no vocabulary":                                      func(c *Contents) { c.Vocabulary = nil },
		"expected at least 1 of each":                        func(c *Contents) { c.Dim = 0 },
		"35 costs for 6 bins":                                func(c *Contents) { c.Cost.Data = c.Cost.Data[:35] },
		"the cost from bin 1 to bin 0 is NaN":                func(c *Contents) { c.Cost.Data[6] = float32(math.NaN()) },
		"entries of histograms of 6 bins":                    func(c *Contents) { c.Histograms.Data = c.Histograms.Data[6:] },
		"bin 0 of the histogram of \"mammal\" is":            func(c *Contents) { c.Histograms.Data[6] = -1 },
		"the histogram of \"eleven\" sums to":                func(c *Contents) { c.Histograms.Row(2)[1] += 0.5 },
		"coordinates of vectors":                             func(c *Contents) { c.Vectors = c.Vectors[1:] },
		"coordinates of centroids":                           func(c *Contents) { c.Centroids = nil },
		"settings of distances: ot: the regularisation is 0": func(c *Contents) { c.Settings.Transport.Reg = 0 },
		"number of iterations is 0":                          func(c *Contents) { c.Settings.Transport.MaxIter = 0 },
		"tolerance is -1":                                    func(c *Contents) { c.Settings.Transport.Tol = -1 },
		`unknown combination "mean", expected one of: average, barycenter, debiased barycenter`: func(c *Contents) {
			c.Settings.Sentence.Combination = "mean"
		},
		`settings of the ground cost: ground: unknown metric "taxicab"`:        func(c *Contents) { c.Settings.Ground.Metric = "taxicab" },
		"settings of sentences: sentence: inverse marginal weights with a = 0": func(c *Contents) { c.Settings.Sentence.Weighting.A = 0 },
		"settings of barycenters": func(c *Contents) { c.Settings.Sentence.Combination = Barycenter },
	} {
		c := contents(t, 50, 6, 4)
		c.Cost.Data = slices.Clone(c.Cost.Data)
		spoil(&c)
		parent := t.TempDir()
		if err := Write(t.Context(), filepath.Join(parent, "space"), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		if entries, _ := os.ReadDir(parent); len(entries) != 0 {
			t.Errorf("%s: left behind: %v", want, entries)
		}
	}
}

// rewrite writes the file of a space again, with another content of a member, which has the right checksum.
func rewrite(t testing.TB, path, name string, change func(content []byte) []byte) {
	t.Helper()
	from, err := npz.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	if err := npz.Write(path, func(w *npz.Writer) error {
		for _, member := range from.Names() {
			content, err := from.Bytes(member)
			if err != nil {
				return err
			}
			if member == name {
				if content = change(slices.Clone(content)); content == nil {
					continue
				}
			}
			if err := w.AddBytes(member, content); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// editManifest changes what space.json says.
func editManifest(t testing.TB, path string, edit func(m map[string]any)) {
	t.Helper()
	rewrite(t, path, manifestFile, func(text []byte) []byte {
		var m map[string]any
		err := json.Unmarshal(text, &m)
		edit(m)
		if text, errW := json.Marshal(m); errors.Join(err, errW) == nil {
			return text
		}
		t.Fatal(err)
		return nil
	})
}

// A file that is no space, or one whose members do not fit together although their checksums are right, is an error
// that names the file and what is wrong.
func TestOpenErrors(t *testing.T) {
	edit := func(f func(m map[string]any)) func(t *testing.T, path string) {
		return func(t *testing.T, path string) { editManifest(t, path, f) }
	}
	replace := func(name, content string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			rewrite(t, path, name, func([]byte) []byte { return []byte(content) })
		}
	}
	without := func(name string) func(t *testing.T, path string) {
		return func(t *testing.T, path string) {
			rewrite(t, path, name, func([]byte) []byte { return nil })
		}
	}
	settings := func(f func(settings map[string]any)) func(t *testing.T, path string) {
		return edit(func(m map[string]any) { f(m["settings"].(map[string]any)) })
	}
	for want, spoil := range map[string]func(t *testing.T, path string){
		"expected a space, as repro build writes it": func(t *testing.T, path string) {
			if err := os.WriteFile(path, []byte("once upon a time"), 0o666); err != nil {
				t.Fatal(err)
			}
		},
		"not a valid zip file": func(t *testing.T, path string) { os.Truncate(path, 2000) },
		"is damaged: a folder": func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o777)); err != nil {
				t.Fatal(err)
			}
		},
		"no such file":                      func(t *testing.T, path string) { os.Remove(path) },
		"it has no space.json, only vocab":  without(manifestFile),
		"it has no cost.npy":                without("cost.npy"),
		"unexpected end of JSON":            replace(manifestFile, `{"words": 3`),
		"has format 1, this program reads":  edit(func(m map[string]any) { m["format"] = 1 }),
		"read in the form \"old\"":          edit(func(m map[string]any) { m["text"] = "old" }),
		"0 bins":                            edit(func(m map[string]any) { m["bins"] = 0 }),
		"[50 1], expected [51 1]":           edit(func(m map[string]any) { m["words"] = 51 }),
		"[6 4], expected [6 5]":             edit(func(m map[string]any) { m["dim"] = 5 }),
		"9 bits, expected 3, 4 or 8":        edit(func(m map[string]any) { m["bits"] = 9 }),
		"7 sources of each word":            edit(func(m map[string]any) { m["sources"] = 7 }),
		"a reference for estimates without": edit(func(m map[string]any) { m["reference"] = map[string]any{"window": 5, "total": 1} }),
		"settings of distances: ot":         settings(func(s map[string]any) { s["transport"] = nil }),
		`unknown weighting "best"`: settings(func(s map[string]any) {
			s["sentence"].(map[string]any)["weighting"].(map[string]any)["scheme"] = "best"
		}),
		// With these a question would take for ever, or has no answer.
		"1000000000 iterations, expected at most 1000000": settings(func(s map[string]any) {
			s["transport"].(map[string]any)["max_iterations"] = 1e9
		}),
		"smoothing -1e+300": settings(func(s map[string]any) { s["sppmi"].(map[string]any)["smoothing"] = -1e300 }),
		"β is 1e+300":       settings(func(s map[string]any) { s["estimate"].(map[string]any)["beta"] = 1e300 }),
		"vocab.txt:2: \"mammal\", expected a word, a blank and its count": replace(vocabularyFile, "elephant 3\nmammal\n"),
		"vocab.txt:3: word \"b\" again, first in line 2":                  replace(vocabularyFile, "a 3\nb 2\nb 1\n"),
	} {
		path := write(t, contents(t, 50, 6, 4))
		spoil(t, path)
		_, err := Open(path, reference.New())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := Open(write(t, contents(t, 50, 6, 4)), nil); err == nil {
		t.Error("no error without an engine")
	}
}

// A flipped bit in any member, of a whole space and of a packed one, is noticed where the member is first needed, and
// by Verify. So is a member that somebody has replaced, with the right checksum.
func TestDamage(t *testing.T) {
	s, c := explained(t)
	paths := map[string]string{"whole": write(t, c), "packed": filepath.Join(t.TempDir(), "small.space")}
	if err := s.Pack(t.Context(), paths["packed"], Packing{}); err != nil {
		t.Fatal(err)
	}
	for kind, path := range paths {
		open(t, path)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		from, err := npz.Read(whole, path)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(from.Names()); n < 11 {
			t.Errorf("%s: %d members", kind, n)
		}
		for _, name := range from.Names() {
			content, err := from.Bytes(name)
			if err != nil {
				t.Fatal(err)
			}
			at := bytes.Index(whole, content)
			for _, i := range []int{0, len(content) / 3, len(content) - 1} {
				spoilt := slices.Clone(whole)
				spoilt[at+i] ^= 1 << (i % 8)
				if err := os.WriteFile(path, spoilt, 0o666); err != nil {
					t.Fatal(err)
				}
				s, err := Open(path, reference.New())
				if err == nil {
					_, err = s.Histograms()
				}
				for _, err := range []error{err, Verify(t.Context(), path)} {
					if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path+": "+name+" is damaged: its checksum is") {
						t.Errorf("%s: byte %d of %s is another one: error %v", kind, i, name, err)
					}
				}
			}
		}
		if err := os.WriteFile(path, whole, 0o666); err != nil {
			t.Fatal(err)
		}
		rewrite(t, path, "cost.npy", func(cost []byte) []byte { cost[len(cost)-2] ^= 1; return cost })
		if err := Verify(t.Context(), path); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "have the identity") {
			t.Errorf("%s: another cost: error %v", kind, err)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Verify(ended, write(t, c)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

func TestDistanceAndPlan(t *testing.T) {
	c := contents(t, 50, 6, 4)
	s := open(t, write(t, c))
	got, err := s.Compare(t.Context(), "elephant", "mammal")
	if err != nil {
		t.Fatal(err)
	}
	want, err := ot.Distances(t.Context(), reference.New(), &ot.Problem{
		Settings: ot.Settings{Reg: 0.1, MaxIter: 50}, Cost: c.Cost, Rows: c.Histograms, Pairs: []ot.Pair{{Source: 0, Target: 1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Result != want[0] {
		t.Errorf("distance %+v, want %+v", got, want[0])
	}
	explained, err := s.Explain(t.Context(), "elephant", "mammal", 1)
	if err != nil {
		t.Fatal(err)
	}
	plan := explained.Plan
	cost := 0.0
	for i, m := range plan.Mass {
		cost += m * float64(c.Cost.Data[i])
	}
	if math.Abs(cost-got.Cost) > 1e-9 || plan.Rows != 6 {
		t.Errorf("the plan costs %v, the distance is %v", cost, got.Cost)
	}
}

// Pairs that are compared together have the distances that each has by itself, whatever combines their words.
func TestDistances(t *testing.T) {
	texts := []string{"elephant", "mammal", "rock music", "Elephant", "eleven silent music", "nothing known", "silent", "elephant unknownword", "rock music"}
	for _, combination := range []Combination{Average, Barycenter, DebiasedBarycenter, SIF, Nearest} {
		c := contents(t, 50, 6, 4)
		wantKnown := 64 // silent has a vector, and no estimate
		vectors := combination == SIF || combination == Nearest
		if vectors {
			chosen := Chosen{Method: string(combination)}
			c.Settings.Defaults = Defaults{Texts: chosen, Words: chosen}
		} else {
			wantKnown = 49
			c.Settings.Sentence.Combination = combination
			c.Settings.Sentence.Transport = ot.Settings{Reg: 0.1, MaxIter: 30}
		}
		s := open(t, write(t, c))
		var pairs []Pair
		for _, a := range texts {
			for _, b := range texts {
				pairs = append(pairs, Pair{A: a, B: b})
			}
		}
		got, err := s.Distances(t.Context(), pairs)
		if err != nil {
			t.Fatal(err)
		}
		known := 0
		for i, p := range pairs {
			want, err := s.Compare(t.Context(), p.A, p.B)
			var unknown *UnknownError
			if errors.As(err, &unknown) {
				if !math.IsNaN(got[i]) {
					t.Errorf("%s, %v: %v, want NaN", combination, p, got[i])
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			known++
			if got[i] != want.Distance || want.Vectors() != vectors {
				t.Errorf("%s, %v: %v, want %v", combination, p, got[i], want.Distance)
			}
		}
		if known != wantKnown {
			t.Errorf("%s: %d pairs of known texts, want %d", combination, known, wantKnown)
		}
	}
	s := open(t, write(t, contents(t, 50, 6, 4)))
	if got, err := s.Distances(t.Context(), []Pair{{A: "nothing known", B: "here"}}); err != nil || len(got) != 1 || !math.IsNaN(got[0]) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestSentence(t *testing.T) {
	c := contents(t, 50, 6, 4)
	s := open(t, write(t, c))
	got, err := s.Sentence(t.Context(), "Rock music, silent rock!")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Words, []string{"rock", "music", "rock"}) || !slices.Equal(got.Unknown, []string{",", "silent", "!"}) {
		t.Errorf("words %q, unknown %q", got.Words, got.Unknown)
	}
	p := c.Vocabulary.Probability()
	rock, music := 2*1e-3/(1e-3+p[4]), 1e-3/(1e-3+p[5])
	for k, x := range got.Histogram {
		want := (rock*float64(c.Histograms.Row(4)[k]) + music*float64(c.Histograms.Row(5)[k])) / (rock + music)
		if math.Abs(float64(x)-want) > 1e-6 {
			t.Errorf("bin %d is %v, want %v", k, x, want)
		}
	}
	// A sentence of one word is that word.
	word, err := s.Compare(t.Context(), "rock", "music")
	if err != nil {
		t.Fatal(err)
	}
	one, err := s.Compare(t.Context(), "Rock?", "the unheard music")
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(word.Cost-one.Cost) > 1e-6 {
		t.Errorf("words are at %v, sentences of them at %v", word.Cost, one.Cost)
	}
	for _, combination := range []Combination{Barycenter, DebiasedBarycenter} {
		c.Settings.Sentence.Combination, c.Settings.Sentence.Transport = combination, ot.Settings{Reg: 0.1, MaxIter: 100}
		s := open(t, write(t, c))
		got, err := s.Sentence(t.Context(), "rock music")
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, x := range got.Histogram {
			sum += float64(x)
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("%s: the histogram sums to %v", combination, sum)
		}
	}
}

func TestNeighboursBruteForce(t *testing.T) {
	s := open(t, write(t, contents(t, 4200, 4, 3))) // more than a batch
	for _, query := range []string{"elephant", "Elephant", "rock music"} {
		got, err := s.Neighbours(t.Context(), query, 7)
		if err != nil {
			t.Fatal(err)
		}
		var want []Neighbour
		for _, w := range s.Words {
			if w == strings.ToLower(query) || w == "silent" {
				continue
			}
			q, err := s.Sentence(t.Context(), query)
			if err != nil {
				t.Fatal(err)
			}
			if len(q.Words) == 1 {
				q.Histogram = s.row(0)
			}
			id, _ := s.ID(w)
			r, err := ot.Distances(t.Context(), s.Engine, s.moving(q.Histogram, s.row(id)))
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, Neighbour{w, r[0].Cost})
		}
		slices.SortStableFunc(want, func(a, b Neighbour) int {
			if a.Distance < b.Distance {
				return -1
			}
			return 1
		})
		if !slices.Equal(got.Nearest, want[:7]) {
			t.Errorf("neighbours of %q: %v, want %v", query, got.Nearest, want[:7])
		}
	}
	all, err := open(t, write(t, contents(t, 20, 4, 3))).Neighbours(t.Context(), "rock", 100)
	if err != nil || len(all.Nearest) != 18 { // all but rock and silent
		t.Errorf("%+v of 20 words, %v", all, err)
	}
}

func TestUnknownWords(t *testing.T) {
	s := open(t, write(t, contents(t, 50, 6, 4)))
	for query, want := range map[string]string{
		"elefant": `unknown word "elefant" (did you mean "elegant" or "elephant"?)`,
		"rcok":    `unknown word "rcok" (did you mean "rock"?)`,
		"silent":  `unknown word "silent" (in the vocabulary, but associated with no context)`,
		"zyzzyva": `unknown word "zyzzyva"`,
	} {
		_, err := s.Compare(t.Context(), "rock", query)
		var unknown *UnknownError
		if !errors.As(err, &unknown) || !slices.Equal(unknown.Words, []string{query}) || err.Error() != "cmdlib: "+want {
			t.Errorf("%v, want %s", err, want)
		}
		if _, again := s.Explain(t.Context(), query, "rock", 1); again == nil || again.Error() != err.Error() {
			t.Errorf("Explain says %v, Compare %v", again, err)
		}
	}
	for text, want := range map[string]string{
		"elefants sleep soundly here always": `no word of the text "elefants sleep soundly here always" is known: "elefants"`,
		"":                                   `the text "" has no words`,
	} {
		_, err := s.Neighbours(t.Context(), text, 3)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if _, err := s.Compare(t.Context(), "rock", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := s.Neighbours(t.Context(), "rock", 0); err == nil {
		t.Error("no error for no neighbours")
	}
}

func TestConcurrentUse(t *testing.T) {
	s := open(t, write(t, contents(t, 50, 6, 4)))
	want, err := s.Neighbours(t.Context(), "rock music", 5)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if got, err := s.Neighbours(t.Context(), "rock music", 5); err != nil || !slices.Equal(got.Nearest, want.Nearest) {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	wg.Wait()
}

// Every notebook cell is a new process, which opens the space again: that neither reads the
// large files nor touches what is mapped of them.
func TestOpenReadsNoData(t *testing.T) {
	if read(t) == 0 || resident(t, "") == 0 {
		t.Skip("SKIPPED: only Linux says what is read and what is in memory")
	}
	const words, bins, dim = 20000, 200, 240 // more of vectors than Open compares with a checksum
	path := write(t, contents(t, words, bins, dim))
	before := read(t)
	s := open(t, path)
	n, mapped := read(t)-before, resident(t, path)
	if !s.Has("elephant") {
		t.Fatal("not there")
	}
	const data = 4 * words * (bins + dim)
	t.Logf("of %d bytes and more %d were read, and %d are in memory", data, n, mapped)
	if max(n, mapped) > data/10 {
		t.Errorf("opening %d bytes reads %d, and has %d in memory", data, n, mapped)
	}
}

// read returns how many bytes this process has read so far.
func read(t *testing.T) (bytes int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return 0
	}
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &bytes); err != nil {
		t.Fatal(err)
	}
	return bytes
}

// resident returns how many bytes of mapped files in the folder, or of all that is mapped,
// are in memory.
func resident(t *testing.T, dir string) (bytes int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		return 0
	}
	counts := false
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		switch {
		case !strings.HasSuffix(fields[0], ":"): // the first line of a mapping ends with its file
			counts = strings.HasPrefix(fields[len(fields)-1], dir)
		case counts && fields[0] == "Rss:":
			kilobytes, err := strconv.Atoi(fields[1])
			if err != nil {
				t.Fatal(err)
			}
			bytes += 1024 * kilobytes
		}
	}
	return bytes
}

func FuzzReadWords(f *testing.F) {
	for _, seed := range []string{"", "a 1\nb 2\n", "a 1", "a\n", " 1\n", "a -1\n", "a 1\na 2\n", "a 9223372036854775807\nb 1\n", "a 1\n\nb 2\n", "a 1\r\n", "a 99999999999999999999\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Data
		if err := s.setWords(text); err != nil {
			return
		}
		words := s.words
		if len(words) != len(s.counts) {
			t.Fatalf("%d words, %d counts", len(words), len(s.counts))
		}
		total := int64(0)
		for _, n := range s.counts {
			total += n
		}
		if total < 0 || total != s.tokens {
			t.Fatalf("%d tokens, the counts sum to %d", s.tokens, total)
		}
		for i, w := range words {
			if id, ok := s.id(w); !ok || id != int32(i) {
				t.Fatalf("word %d is found at %d, %v", i, id, ok)
			}
			if strings.ContainsAny(w, " \n") || w == "" {
				t.Fatalf("word %q", w)
			}
		}
		if _, ok := s.id("\n"); ok {
			t.Fatal("found a word that is not there")
		}
	})
}
