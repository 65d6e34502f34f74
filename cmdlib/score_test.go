package cmdlib

import (
	"errors"
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib/method"
)

// A pair is scored in the words that Sentence and Distance see: a known word with an apostrophe stays
// whole, others are lower-cased.
func TestScoreIsMinusDistance(t *testing.T) {
	pairs := []Pair{
		{A: "elephant mammal", B: "rock music"}, {A: "it's", B: "rock music"}, {A: "Rock music, silent rock!", B: "an elephant"},
		{A: "rock music", B: "qqq zzz"},
	}
	for _, c := range []struct {
		combination Combination
		method      string
	}{{Average, "average"}, {Barycenter, "comb"}, {DebiasedBarycenter, "debiased"}} {
		content := contents(t, 50, 6, 4)
		content.Settings.Sentence.Combination, content.Settings.Sentence.Transport = c.combination, content.Settings.Transport
		s := open(t, write(t, content))
		scores, err := s.Score(t.Context(), pairs, named(t, s, c.method), nil)
		if err != nil {
			t.Fatal(err)
		}
		if scores.Covered[3] || scores.Coverage() != 3./4 {
			t.Errorf("%s: covered %v", c.method, scores.Covered)
		}
		for i, p := range pairs[:3] {
			// Distance combines a single word neither: compare two texts, or an average of one word.
			if c.combination != Average && i == 1 {
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
	s := open(t, write(t, contents(t, 50, 6, 4)))
	pairs := []Pair{{A: "rock music", B: "music rock"}, {A: "rock music", B: "elephant mammal"}, {A: "rock elephant", B: "music"}}
	for _, name := range method.Names() {
		if name == "encoder" || name == "sent2vec" {
			continue
		}
		m := named(t, s, name)
		scores, err := s.Score(t.Context(), pairs, m, nil)
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
	if scores, err := s.Score(t.Context(), nil, named(t, s, "sif"), nil); err != nil || len(scores.Value) != 0 {
		t.Errorf("no pairs: %+v, %v", scores, err)
	}
	if _, err := s.Method("wmmd"); !errors.Is(err, ErrSettings) {
		t.Errorf("error %v of no method", err)
	}
	// What a space lacks.
	for _, name := range []string{
		"sent2vec", "encoder,file=scores.tsv", "sif,vectors=glove", "sif,weights=sif-list", "average,smoothing=0.123",
		"average,clusters=7",
	} {
		if _, err := s.Score(t.Context(), pairs, named(t, s, name), nil); !errors.Is(err, ErrSettings) {
			t.Errorf("%s: error %v, want one of settings", name, err)
		}
	}
	// Costs can be others, and the transport.
	average, err := s.Score(t.Context(), pairs, named(t, s, "average"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"average,metric=squared euclidean", "average,geometry=discrete", "average,reg=0.5", "average,compare=hellinger",
	} {
		other, err := s.Score(t.Context(), pairs, named(t, s, name), nil)
		if err != nil || slices.Equal(other.Value, average.Value) {
			t.Errorf("%s: %v, as without it (%v)", name, other.Value, err)
		}
	}
}

// named returns the method of that name.
func named(t *testing.T, s *Space, name string) method.Method {
	t.Helper()
	m, err := s.Method(name)
	if err != nil {
		t.Fatal(name, err)
	}
	return m
}

// Equal texts have the cosine 1 and equal scores to the last bit, alone and among others, whatever the order of words:
// words that the space does not know among them.
func TestEqualTextsTie(t *testing.T) {
	s := open(t, write(t, contents(t, 300, 8, 25)))
	x, again, y := "rock music elegant silent mammal qwx", "qwx music mammal silent rock elegant", "eleven word20 xyz word21 rock"
	for _, name := range []string{SIF, "nbow", "wmd", "wrd", average, comb, "average-mix"} {
		m, err := s.Method(name)
		if err != nil {
			t.Fatal(err)
		}
		bits := func(pairs ...Pair) (all []uint64) {
			scores, err := s.Score(t.Context(), pairs, m, nil)
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
	vectors, err := s.Asked(Override{Method: SIF}, s.engine)
	if err != nil {
		t.Fatal(err)
	}
	c, err := vectors.Compare(t.Context(), x, again)
	if err != nil || c.Similarity != 1 || c.Distance != 0 {
		t.Errorf("the cosine of equal texts is %v, %v", c.Similarity, err)
	}
	one, err1 := vectors.Compare(t.Context(), x, y)
	two, err2 := vectors.Compare(t.Context(), y, again)
	if err1 != nil || err2 != nil || one.Similarity != two.Similarity {
		t.Errorf("cosines of equal texts are %v and %v (%v, %v)", one.Similarity, two.Similarity, err1, err2)
	}
	d, err1 := s.Compare(t.Context(), x, y)
	e, err2 := s.Compare(t.Context(), again, y)
	if err1 != nil || err2 != nil || d.Cost != e.Cost {
		t.Errorf("distances of equal texts are %v and %v (%v, %v)", d.Cost, e.Cost, err1, err2)
	}
}
