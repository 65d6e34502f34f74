package cmdlib

import (
	"errors"
	"math"
	"testing"
)

// A pair is scored in the words that Sentence and Distance see: a known word with an apostrophe stays
// whole, others are lower-cased.
func TestScoreIsMinusDistance(t *testing.T) {
	pairs := []Pair{
		{"elephant mammal", "rock music"}, {"it's", "rock music"}, {"Rock music, silent rock!", "an elephant"},
		{"rock music", "qqq zzz"},
	}
	for _, c := range []struct {
		combination Combination
		method      ScoreMethod
	}{{Average, CMDAverage}, {Barycenter, CoMB}, {DebiasedBarycenter, Debiased}} {
		content := contents(t, 50, 6, 4)
		content.Settings.Sentence.Combination, content.Settings.Sentence.Transport = c.combination, content.Settings.Transport
		s := open(t, write(t, content))
		scores, err := s.Score(t.Context(), pairs, ScoreParams{Method: c.method})
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
			d, err := s.Distance(t.Context(), p.A, p.B)
			// The cost is computed anew from the centroids, in float32.
			if err != nil || math.Abs(d.Cost+scores.Value[i]) > 1e-5 {
				t.Errorf("%s, pair %d: distance %v, %v; score %v", c.method, i, d, err, scores.Value[i])
			}
		}
	}
}

func TestScore(t *testing.T) {
	s := open(t, write(t, contents(t, 50, 6, 4)))
	pairs := []Pair{{"rock music", "music rock"}, {"rock music", "elephant mammal"}, {"rock elephant", "music"}}
	for _, method := range ScoreMethods() {
		scores, err := s.Score(t.Context(), pairs, ScoreParams{Method: method})
		if err != nil {
			t.Fatal(method, err)
		}
		// The order of words does not count, so no pair is more similar than the first.
		if scores.Coverage() != 1 || scores.Value[0] < scores.Value[1] || scores.Value[0] < scores.Value[2] {
			t.Errorf("%s: %+v", method, scores)
		}
		_, err = s.Score(t.Context(), pairs, ScoreParams{Method: method, RemovePC: true})
		if want := method == CMDAverage || method == CoMB || method == Debiased; errors.Is(err, ErrSettings) != want {
			t.Errorf("%s without its principal component: %v", method, err)
		}
	}
	if _, err := s.Score(t.Context(), pairs, ScoreParams{Method: "wmd"}); !errors.Is(err, ErrSettings) {
		t.Errorf("error %v", err)
	}
	if scores, err := s.Score(t.Context(), nil, ScoreParams{Method: SIF}); err != nil || len(scores.Value) != 0 {
		t.Errorf("no pairs: %+v, %v", scores, err)
	}
}
