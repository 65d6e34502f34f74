package method

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
	"contextmover/cmdlib/sentence"
	"contextmover/cmdlib/sppmi"
)

// space returns a space of random histograms and vectors of words, whose third has no histogram.
func space(t *testing.T, words, k, dim int, combination cmdlib.Combination) *cmdlib.Space {
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
	c := cmdlib.Contents{
		Vocabulary: v, Dim: dim, Histograms: ot.Histograms{K: k, Data: make([]float32, words*k)},
		Vectors: make([]float32, words*dim), Centroids: make([]float32, k*dim),
		Settings: cmdlib.Settings{
			SPPMI:     sppmi.Params{Smoothing: 0.55, Shift: 5},
			Estimate:  estimate.Params{Normalisation: estimate.Total, Beta: 1},
			Ground:    ground.Params{Metric: ground.Angular, Normalisation: ground.Median, Reg: 0.1},
			Transport: ot.Settings{Reg: 0.1, MaxIter: 50},
			Sentence: cmdlib.SentenceSettings{
				Combination: combination, Weighting: sentence.Weighting{Scheme: sentence.InverseMarginal, A: 1e-3},
				Transport: ot.Settings{Reg: 0.1, MaxIter: 50},
			},
			Encoding: cmdlib.Encoding{A: 1e-3, Components: 2},
		},
	}
	for i := range words {
		row, sum := c.Histograms.Row(i), float32(0)
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
	dir := filepath.Join(t.TempDir(), "space")
	if err := cmdlib.Write(t.Context(), dir, c); err != nil {
		t.Fatal(err)
	}
	s, err := cmdlib.Open(dir, reference.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A pair is scored in the words that Sentence and Distance see: a known word with an apostrophe stays
// whole, others are lower-cased.
func TestScoreIsMinusDistance(t *testing.T) {
	pairs := []Pair{
		{A: "elephant mammal", B: "rock music"}, {A: "it's", B: "rock music"}, {A: "Rock music, silent rock!", B: "an elephant"},
		{A: "rock music", B: "qqq zzz"},
	}
	for _, c := range []struct {
		combination cmdlib.Combination
		method      string
	}{{cmdlib.Average, "average"}, {cmdlib.Barycenter, "comb"}, {cmdlib.DebiasedBarycenter, "debiased"}} {
		s := space(t, 50, 6, 4, c.combination)
		scores, err := ScoreIn(t.Context(), s, pairs, named(t, s, c.method), nil)
		if err != nil {
			t.Fatal(err)
		}
		if scores.Covered[3] || scores.Coverage() != 3./4 {
			t.Errorf("%s: covered %v", c.method, scores.Covered)
		}
		for i, p := range pairs[:3] {
			// Distance combines a single word neither: compare two texts, or an average of one word.
			if c.combination != cmdlib.Average && i == 1 {
				continue
			}
			d, err := s.Compare(t.Context(), p.A, p.B)
			// The cost is computed anew from the centroids, in float32.
			if err != nil || math.Abs(d.Cost+scores.Value[i]) > 1e-5 {
				t.Errorf("%s, pair %d: distance %v, %v; score %v", c.method, i, d, err, scores.Value[i])
			}
		}
	}
}

func TestScore(t *testing.T) {
	s := space(t, 50, 6, 4, cmdlib.Average)
	pairs := []Pair{{A: "rock music", B: "music rock"}, {A: "rock music", B: "elephant mammal"}, {A: "rock elephant", B: "music"}}
	for _, name := range Names() {
		if name == "encoder" || name == "sent2vec" {
			continue
		}
		m := named(t, s, name)
		scores, err := ScoreIn(t.Context(), s, pairs, m, nil)
		if err != nil {
			t.Fatal(name, err)
		}
		// The order of words does not count, so no pair is more similar than the first; but the components that are
		// removed from the first and from the second texts of a set differ.
		if name == "sif-pc" {
			continue
		}
		if scores.Coverage() != 1 || scores.Value[0] < scores.Value[1] || scores.Value[0] < scores.Value[2] {
			t.Errorf("%s: %+v", name, scores)
		}
	}
	if scores, err := ScoreIn(t.Context(), s, nil, named(t, s, "sif"), nil); err != nil || len(scores.Value) != 0 {
		t.Errorf("no pairs: %+v, %v", scores, err)
	}
	if _, err := Named(s, "wmmd"); !errors.Is(err, cmdlib.ErrSettings) {
		t.Errorf("error %v of no method", err)
	}
	// What a space lacks.
	for _, name := range []string{
		"sent2vec", "encoder,file=scores.tsv", "sif,vectors=glove", "sif,weights=sif-list", "average,smoothing=0.123",
		"average,clusters=7",
	} {
		if _, err := ScoreIn(t.Context(), s, pairs, named(t, s, name), nil); !errors.Is(err, cmdlib.ErrSettings) {
			t.Errorf("%s: error %v, want one of settings", name, err)
		}
	}
	// Costs can be others, and the transport.
	average, err := ScoreIn(t.Context(), s, pairs, named(t, s, "average"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"average,metric=squared euclidean", "average,geometry=discrete", "average,reg=0.5", "average,compare=hellinger",
	} {
		other, err := ScoreIn(t.Context(), s, pairs, named(t, s, name), nil)
		if err != nil || slices.Equal(other.Value, average.Value) {
			t.Errorf("%s: %v, as without it (%v)", name, other.Value, err)
		}
	}
}

// named returns the method of that name.
func named(t *testing.T, s *cmdlib.Space, name string) Method {
	t.Helper()
	m, err := Named(s, name)
	if err != nil {
		t.Fatal(name, err)
	}
	return m
}

// Equal texts have equal scores to the last bit, alone and among others, whatever the order of words:
// words that the space does not know among them.
func TestEqualTextsTie(t *testing.T) {
	s := space(t, 300, 8, 25, cmdlib.Average)
	x, again, y := "rock music elegant silent mammal qwx", "qwx music mammal silent rock elegant", "eleven word20 xyz word21 rock"
	for _, name := range []string{"sif", "nbow", "wmd", "wrd", "average", "comb", "average-mix"} {
		m, err := Named(s, name)
		if err != nil {
			t.Fatal(err)
		}
		bits := func(pairs ...Pair) (all []uint64) {
			scores, err := ScoreIn(t.Context(), s, pairs, m, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range scores.Value {
				all = append(all, math.Float64bits(v))
			}
			return all
		}
		alone := bits(Pair{A: x, B: y})
		others := bits(Pair{A: "word40 word41", B: "word42"}, Pair{A: again, B: y}, Pair{A: x, B: y})
		if alone[0] != others[1] || alone[0] != others[2] {
			t.Errorf("%s: %x, of equal texts among others %x", name, alone, others[1:])
		}
	}
}

// By vectors a space gives the scores of its own distances, and from a packed space they are nearly the same.
func TestScoreIsCosine(t *testing.T) {
	s := space(t, 60, 6, 8, cmdlib.Average)
	pairs := []Pair{
		{A: "elegant", B: "music rock word20 word21"}, {A: "silent music", B: "rock"}, {A: "rock qwx", B: "qwx word20 music"},
	}
	path := filepath.Join(t.TempDir(), "packed.space")
	if err := s.Pack(t.Context(), path, cmdlib.Packing{}); err != nil {
		t.Fatal(err)
	}
	packed, err := cmdlib.Open(path, reference.New())
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	for _, name := range []string{"sif", "sif,a=1e-2", "nbow", "nbow,unit=true,own=unknown and numbers", "wmd", "average-mix"} {
		scores, err1 := ScoreIn(t.Context(), s, pairs, named(t, s, name), nil)
		small, err2 := ScoreIn(t.Context(), packed, pairs, named(t, packed, name), nil)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(name, err)
		}
		for i, v := range scores.Value {
			if math.Abs(v-small.Value[i]) > 0.01*max(1, math.Abs(v)) {
				t.Errorf("%s, pair %d: %v, packed %v", name, i, v, small.Value[i])
			}
		}
		if _, err := cmdlib.ParseMethod(name); err != nil {
			continue
		}
		by, err := s.With(cmdlib.Options{Method: name})
		if err != nil {
			t.Fatal(err)
		}
		distances, err := by.Distances(t.Context(), pairs)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range distances {
			if d != 1-scores.Value[i] {
				t.Errorf("%s, pair %d: distance %v, score %v", name, i, d, scores.Value[i])
			}
		}
	}
}
