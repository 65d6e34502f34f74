package cmdlib

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
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
	dir := filepath.Join(t.TempDir(), "space")
	if err := Write(t.Context(), dir, c); err != nil {
		t.Fatal(err)
	}
	return dir
}

func open(t testing.TB, dir string) *Space {
	t.Helper()
	s, err := Open(dir, reference.New())
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

func TestWriteReplacesSpacesOnly(t *testing.T) {
	dir := write(t, contents(t, 50, 6, 4))
	if err := Write(t.Context(), dir+"/", contents(t, 40, 5, 4)); err != nil {
		t.Fatal(err)
	}
	if s := open(t, dir); len(s.Words) != 40 {
		t.Error("the space was not replaced")
	}
	empty := t.TempDir()
	if err := Write(t.Context(), empty, contents(t, 40, 5, 4)); err != nil {
		t.Errorf("into an empty folder: %v", err)
	}
	other := t.TempDir()
	precious := filepath.Join(other, "thesis.tex")
	if err := os.WriteFile(precious, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), other, contents(t, 40, 5, 4)); err == nil || !strings.Contains(err.Error(), "neither empty nor a space") {
		t.Errorf("into a folder with other files: %v", err)
	}
	if _, err := os.Stat(precious); err != nil {
		t.Error(err)
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

// A file of the user's in the folder of a space stays there when the space is written anew.
func TestWriteKeepsOtherFiles(t *testing.T) {
	dir := write(t, contents(t, 50, 6, 4))
	notes := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("precious"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), dir, contents(t, 40, 5, 4)); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(notes); err != nil || string(text) != "precious" {
		t.Errorf("the file is %q, %v", text, err)
	}
	if s := open(t, dir); len(s.Words) != 40 {
		t.Errorf("%d words in the new space, want 40", len(s.Words))
	}
	if err := os.Remove(filepath.Join(dir, manifestFile)); err != nil {
		t.Fatal(err)
	}
	if err := Replaceable(dir); err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "neither empty nor a space") {
		t.Errorf("error %v of a folder that is no space", err)
	}
}

func TestOpenAndVerifyErrors(t *testing.T) {
	edit := func(f func(m map[string]any)) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, manifestFile)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var m map[string]any
			if err := json.Unmarshal(data, &m); err != nil {
				t.Fatal(err)
			}
			delete(m, "checksum") // as somebody who changes settings has to
			f(m)
			if data, err = json.Marshal(m); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for want, spoil := range map[string]func(t *testing.T, dir string){
		"is not a space: it has no space.json": func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, manifestFile)) },
		"unexpected end of JSON":               func(t *testing.T, dir string) { os.Truncate(filepath.Join(dir, manifestFile), 20) },
		"format 2, this program reads":         edit(func(m map[string]any) { m["format"] = 2 }),
		"0 bins":                               edit(func(m map[string]any) { m["bins"] = 0 }),
		"has 50 words, but space.json says 51": edit(func(m map[string]any) { m["words"] = 51 }),
		"centroids.npy has the shape [6 4], but by space.json it is 6×5": edit(func(m map[string]any) { m["dim"] = 5 }),
		"settings of distances": edit(func(m map[string]any) {
			m["settings"].(map[string]any)["transport"] = nil
		}),
		`unknown weighting "best"`: edit(func(m map[string]any) {
			s := m["settings"].(map[string]any)["sentence"].(map[string]any)
			s["weighting"].(map[string]any)["scheme"] = "best"
		}),
		"vectors.npy": func(t *testing.T, dir string) { os.Truncate(filepath.Join(dir, vectorsFile), 300) },
		"cost.npy":    func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, costFile)) },
		"vocab.txt:2: \"mammal\", expected a word, a blank and its count": func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, vocabularyFile), []byte("elephant 3\nmammal\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		},
		"vocab.txt:3: word \"b\" again, first in line 2": func(t *testing.T, dir string) {
			edit(func(m map[string]any) { m["words"] = 3 })(t, dir)
			if err := os.WriteFile(filepath.Join(dir, vocabularyFile), []byte("a 3\nb 2\nb 1\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		},
		"vocab.txt: no such": func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, vocabularyFile)) },
	} {
		dir := write(t, contents(t, 50, 6, 4))
		spoil(t, dir)
		if _, err := Open(dir, reference.New()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	dir := write(t, contents(t, 50, 6, 4))
	if _, err := Open(dir, nil); err == nil {
		t.Error("no error without an engine")
	}
	path := filepath.Join(dir, histogramsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-3] ^= 1
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Verify(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "histograms.npy is damaged") {
		t.Errorf("a changed bit: %v", err)
	}
	edit(func(m map[string]any) { delete(m["sha256"].(map[string]any), vocabularyFile) })(t, dir)
	if err := Verify(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "no checksum of vocab.txt") {
		t.Errorf("a missing checksum: %v", err)
	}
}

// Open notices a flipped bit anywhere in space.json and in every file of a small space.
func TestOpenNoticesDamage(t *testing.T) {
	dir := write(t, contents(t, 50, 6, 4))
	open(t, dir)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 7 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for i := range data {
			if e.Name() != manifestFile && i%97 != 0 && i != len(data)-1 {
				continue
			}
			data[i] ^= 1 << (i % 8)
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
			if e.Name() == manifestFile {
				_, err = readManifest(dir) // with which Open begins
			} else {
				_, err = Open(dir, reference.New())
			}
			if err == nil {
				t.Errorf("%s: byte %d (%q) is another one, and nothing is said", e.Name(), i, data[i])
			} else if !strings.Contains(err.Error(), dir) {
				t.Errorf("%s: byte %d: the error does not name the file: %v", e.Name(), i, err)
			}
			data[i] ^= 1 << (i % 8)
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	open(t, dir)
}

// A space whose settings somebody has changed, having removed the checksum, opens, but Verify says that it cannot tell about the settings.
func TestVerifyChangedSettings(t *testing.T) {
	dir := write(t, contents(t, 50, 6, 4))
	path := filepath.Join(dir, manifestFile)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	older := regexp.MustCompile(`,\s*"checksum": "[0-9a-f]{64}"`).ReplaceAll(data, nil)
	if len(older) == len(data) {
		t.Fatal("there is no checksum")
	}
	if err := os.WriteFile(path, older, 0o666); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if err := Verify(t.Context(), dir); !errors.Is(err, ErrUnverified) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want ErrUnverified", err)
	}
	if err := os.Remove(filepath.Join(dir, costFile)); err != nil {
		t.Fatal(err)
	}
	if err := Verify(t.Context(), dir); err == nil || errors.Is(err, ErrUnverified) {
		t.Errorf("error %v, want that a file is missing", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Verify(ended, dir); !errors.Is(err, context.Canceled) {
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
			r, err := ot.Distances(t.Context(), s.engine, s.problem(q.Histogram, s.row(id)))
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
	const words, bins, dim = 20000, 200, 60 // of histograms and vectors more than Open takes for small
	dir := write(t, contents(t, words, bins, dim))
	before := read(t)
	s := open(t, dir)
	n, mapped := read(t)-before, resident(t, dir)
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
	path := filepath.Join(f.TempDir(), "vocab.txt")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		var s Space
		if err := s.readWords(path); err != nil {
			return
		}
		words, x := s.Words, s.index
		if len(words) != len(s.Counts) {
			t.Fatalf("%d words, %d counts", len(words), len(s.Counts))
		}
		total := int64(0)
		for _, n := range s.Counts {
			total += n
		}
		if total < 0 || total != s.tokens {
			t.Fatalf("%d tokens, the counts sum to %d", s.tokens, total)
		}
		for i, w := range words {
			if id, ok := x.id(w); !ok || id != int32(i) {
				t.Fatalf("word %d is found at %d, %v", i, id, ok)
			}
			if strings.ContainsAny(w, " \n") || w == "" {
				t.Fatalf("word %q", w)
			}
		}
		if _, ok := x.id("\n"); ok {
			t.Fatal("found a word that is not there")
		}
	})
}
