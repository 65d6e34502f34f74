package wordsim

import (
	"maps"
	"math"
	"slices"
	"testing"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
)

// The blocks of the profile mini, with fewer clusters.
const (
	smallPaper  = "wordsim.blocks.paper.method=average-mix,smoothing=0.15,shift=1,clusters=20,cost_normalisation=log2,clip=0,mix=0.8"
	smallChosen = "wordsim.blocks.chosen.method=average-mix,smoothing=0.15,shift=1,clusters=20,metric=angular,spherical=true,clip=0,mix=0.8"
)

func TestWordSimilarity(t *testing.T) {
	w := pipelinetest.World(t, smallPaper, smallChosen)
	result, err := Compute(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Rows) != 6 || len(result.Measures) != 6 || len(slices.Concat(slices.Collect(maps.Values(result.Tried))...)) != 6+18 {
		t.Fatalf("%d rows, %d of measures, %d settings tried", len(result.Rows), len(result.Measures), len(result.Tried))
	}
	for r, row := range result.Rows {
		for s, m := range result.Measures[r] {
			set := result.Sets[s]
			if m.Pairs < 100 || m.Covered < 20 || m.Covered > m.Pairs || len(m.Draws) != pipeline.ClusterDraws {
				t.Errorf("%s on %s: %d of %d pairs, %d draws", row.ID, set.Name, m.Covered, m.Pairs, len(m.Draws))
			}
			if !(m.Low <= m.Value && m.Value <= m.High && m.High <= 100) {
				t.Errorf("%s on %s: %v not in [%v, %v]", row.ID, set.Name, m.Value, m.Low, m.High)
			}
			// The correlation once more, from the scores themselves.
			scores, err := scoreSet(t.Context(), w, row, set)
			if err != nil {
				t.Fatal(err)
			}
			rho, err := score.Spearman(scores.value, scores.gold)
			if err != nil || math.Abs(100*rho-m.Value) > 1e-9 || len(scores.value) != m.Covered {
				t.Errorf("%s on %s: %v of %d pairs, again %v of %d, %v", row.ID, set.Name, m.Value, m.Covered, 100*rho, len(scores.value), err)
			}
		}
	}
	// A chosen row's settings are the best that were tried for it, and its score on the
	// validation set is the one it was chosen by.
	for r, row := range result.Rows {
		if !row.Select {
			continue
		}
		tried := result.Tried[row.ID]
		if !slices.IsSortedFunc(tried, func(a, b pipeline.Trial[profile.Row]) int { return int(math.Copysign(1, b.Value-a.Value)) }) {
			t.Errorf("%s: not sorted", row.ID)
		}
		validation, _ := result.split(result.Measures[r])
		if row != tried[0].Row || math.Abs(tried[0].Value-Average(validation).Value) > 1e-9 {
			t.Errorf("%s: chosen %v, best %v with %v", row.ID, Average(validation).Value, tried[0].Value, tried[0].Row)
		}
	}
	again, err := Compute(t.Context(), w)
	if err != nil || !slices.EqualFunc(again.Measures[5], result.Measures[5], func(a, b pipeline.Measure) bool {
		return a.Value == b.Value && slices.Equal(a.Draws, b.Draws)
	}) {
		t.Errorf("another result from the store: %v", err)
	}
	for _, table := range result.Tables(w.Profile) {
		if len(table.Blocks) == 0 {
			t.Errorf("table %s is empty", table.ID)
		}
	}
}

// With all but a thousandth of its mass on the words' vectors, CMD under an angular cost
// orders pairs as the cosine does, but for near ties.
func TestMixTendsToCosine(t *testing.T) {
	w := pipelinetest.World(t, smallChosen+",mix=0.999", "wordsim.blocks.chosen.select=false")
	rows := w.Profile.WordSim.Blocks[1].Rows()
	set := w.Profile.WordSim.Sets[1]
	cosine, err := scoreSet(t.Context(), w, rows[0], set)
	if err != nil {
		t.Fatal(err)
	}
	mix, err := scoreSet(t.Context(), w, rows[2], set)
	if err != nil {
		t.Fatal(err)
	}
	rho, err := score.Spearman(cosine.value, mix.value)
	if err != nil || rho < 0.999 {
		t.Errorf("correlation of cosine and CMD with m = 0.999: %v, %v", rho, err)
	}
}

func TestAverageWordsAndPooled(t *testing.T) {
	constant := func(x float64) []float64 { return slices.Repeat([]float64{x}, pipeline.ClusterDraws) }
	m := Average([]pipeline.Measure{
		{Estimate: score.Estimate{Value: 10, Draws: constant(8)}, Pairs: 40, Covered: 30},
		{Estimate: score.Estimate{Value: 50, Draws: constant(40)}, Pairs: 10, Covered: 10},
	})
	if m.Value != 20 || m.Pairs != 50 || m.Covered != 40 || m.Low != 16 || m.High != 16 {
		t.Errorf("%v of %d pairs, %d covered, in [%v, %v]", m.Value, m.Pairs, m.Covered, m.Low, m.High)
	}
	// The paper's own average: 35.0 and 35.9 (Table 3).
	n := []int{30, 285, 771, 65, 1493, 998, 144, 352, 251, 203, 130, 2999}
	for want, rhos := range map[float64][]float64{
		35.0: {67.8, 66.8, 61.7, 73.7, 33.7, 34.8, 26.4, 53.5, 40.9, 68.2, 54.5, 19.4},
		35.9: {69.6, 67.8, 62.1, 73.1, 38.9, 33.9, 23.6, 55.3, 44.1, 69.2, 53.0, 18.9},
	} {
		var sets []pipeline.Measure
		for i, rho := range rhos {
			sets = append(sets, pipeline.Measure{Estimate: score.Estimate{Value: rho}, Covered: n[i]})
		}
		if got := Average(sets).Value; math.Abs(got-want) > 0.05 {
			t.Errorf("average %v, printed %v", got, want)
		}
	}
	// Two sets on different scales, each ordered perfectly, and alike where they meet.
	rho, err := pooled([]measured{
		{value: []float64{1, 2, 3, 4}, gold: []float64{10, 20, 30, 40}},
		{value: []float64{1.5, 2.5, 3.5, 4.5}, gold: []float64{0.1, 0.2, 0.3, 0.4}},
	})
	if err != nil || rho < 97 || rho > 99 { // ranks of gold: 1.5 1.5 3.5 3.5 …
		t.Errorf("pooled correlation %v, %v", rho, err)
	}
	if _, err := pooled([]measured{{value: []float64{1}, gold: []float64{1}}}); err == nil {
		t.Error("no error for a single pair")
	}
}

// With hardly any entropy a discrete cost orders pairs of words as their total variation does.
func TestFlatCostIsTotalVariation(t *testing.T) {
	w := pipelinetest.World(t, smallPaper)
	flat := w.Profile.WordSim.Blocks[0].Rows()[1].With("geometry", method.Discrete).With("reg", 0.01).With("iterations", 2000)
	plain := flat.With("geometry", method.TrueGeometry).With("compare", "total variation")
	set := w.Profile.WordSim.Sets[0]
	x, err := scoreSet(t.Context(), w, flat, set)
	if err != nil {
		t.Fatal(err)
	}
	y, err := scoreSet(t.Context(), w, plain, set)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := score.Spearman(x.value, y.value); err != nil || c < 0.99 {
		t.Errorf("rank correlation %v (%v)", c, err)
	}
}
