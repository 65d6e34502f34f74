package geometry

import (
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib/score"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/pipelinetest"
	"contextmover/experiments/profile"
)

// What is contrasted in both halves is the difference of correlations over those pairs alone.
func TestWhere(t *testing.T) {
	w := pipelinetest.World(t, `geometry.rows=["euclidean", "comb"]`, "geometry.vary.reg=[0.1]", "geometry.vary.metric=[]", "geometry.vary.clusters=[]")
	all, err := ComputeWhere(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3*len(properties) {
		t.Fatalf("%d contrasts of %d properties", len(all), len(properties))
	}
	for _, c := range all {
		if c.Minus.Value != c.From.Value-c.Below.Value || !(c.Below.Low <= c.Below.Value && c.Below.Value <= c.Below.High) {
			t.Errorf("%s, %s: %v, %v, difference %v", c.Property, c.Label, c.Below, c.From, c.Minus.Value)
		}
	}

	average, _ := w.Profile.Row("euclidean")
	comb, _ := w.Profile.Row("comb")
	at := slices.IndexFunc(all, func(c Contrast) bool { return c.Property == properties[0].name && c.Row.ID == "comb" }) + 1 // after that of the discrete cost
	var want [2][]float64
	for _, group := range w.Profile.STS.Groups {
		if group.Validation {
			continue
		}
		var sets [2][]float64
		for _, set := range group.Sets {
			pairs, err := w.ReadPairs(t.Context(), set)
			if err != nil {
				t.Fatal(err)
			}
			var words []float64
			for _, p := range pairs.Pairs {
				words = append(words, float64(len(p.A)+len(p.B)))
			}
			sorted := slices.Sorted(slices.Values(words))
			var r [2][2]float64
			for i, row := range []profile.Row{comb, average} {
				values, _, err := w.Scores(t.Context(), row, set)
				if err != nil {
					t.Fatal(err)
				}
				var x, gold [2][]float64
				for p, n := range words {
					h := 0
					if n >= sorted[len(sorted)/2] {
						h = 1
					}
					x[h], gold[h] = append(x[h], values[p]), append(gold[h], pairs.Gold[p])
				}
				for h := range x {
					if len(x[0]) < leastPairs || len(x[1]) < leastPairs {
						t.Fatalf("%s: halves of %d and %d pairs: the test wants larger sets", set.Name, len(x[0]), len(x[1]))
					}
					if r[h][i], err = score.Pearson(x[h], gold[h]); err != nil {
						t.Fatal(err)
					}
				}
			}
			for h := range r {
				sets[h] = append(sets[h], 100*(r[h][1]-r[h][0]))
			}
		}
		for h, d := range sets {
			sum := 0.0
			for _, x := range d {
				sum += x / float64(len(d))
			}
			want[h] = append(want[h], sum)
		}
	}
	for h, got := range []score.Estimate{all[at].Below, all[at].From} {
		sum := 0.0
		for _, x := range want[h] {
			sum += x / float64(len(want[h]))
		}
		if math.Abs(got.Value-sum) > 1e-9 {
			t.Errorf("half %d: average − barycenter %v, want %v (%s)", h, got.Value, sum, all[at].Label)
		}
	}
	for _, table := range whereTables(all, w.Profile) {
		if len(table.Blocks) != len(properties) {
			t.Errorf("%d blocks", len(table.Blocks))
		}
	}
}

func TestCommonWords(t *testing.T) {
	for _, c := range []struct {
		a, b sentence.Sentence
		want float64
	}{
		{sentence.Sentence{1, 2, 2}, sentence.Sentence{2, 3}, 1. / 3},
		{sentence.Sentence{1, 2}, sentence.Sentence{2, 1, 1}, 1},
		{sentence.Sentence{1}, sentence.Sentence{2}, 0},
		{nil, nil, 0},
	} {
		if got := common(sentence.Pair{A: c.a, B: c.b}); got != c.want {
			t.Errorf("%v, %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
