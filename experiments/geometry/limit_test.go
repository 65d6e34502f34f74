package geometry

import (
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/sentence"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/pipelinetest"
)

// A bin for each context is histograms with a cluster for each context, whatever bins are divided by.
func TestUnclustered(t *testing.T) {
	w := pipelinetest.World(t)
	row, _ := w.Profile.Row("euclidean")
	h := row.Histograms()
	a, err := w.Associations(t.Context(), sppmi.Params{Smoothing: h.Smoothing, Shift: h.Shift})
	if err != nil {
		t.Fatal(err)
	}
	each := make([]int32, a.Cols)
	for i := range each {
		each[i] = int32(i)
	}
	probability, err := w.Probability(t.Context(), h.Weighting.Marginal())
	if err != nil {
		t.Fatal(err)
	}
	read, err := w.ReadPairs(t.Context(), w.Profile.STS.Groups[0].Sets[0])
	if err != nil {
		t.Fatal(err)
	}
	pairs := append([]sentence.Pair{{A: read.Pairs[0].A}, {}}, read.Pairs[:40]...) // two that are not covered
	for _, normalisation := range []estimate.Normalisation{estimate.None, estimate.Total, estimate.ClusterSize} {
		row := row.With("normalisation", normalisation).With("beta", 0.5)
		e, err := estimate.Histograms(t.Context(), a, each, a.Cols, estimate.Params{Normalisation: normalisation, Beta: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		c, err := newContexts(t.Context(), w, row)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.score(t.Context(), pairs)
		if err != nil {
			t.Fatal(err)
		}
		average := sentence.HistogramAverage{Estimates: e, Weighting: h.Weighting.Of(), Probability: probability}
		for d, divergence := range sentence.Divergences() {
			want, err := sentence.Overlap{Combiner: average, Between: divergence.Between}.Score(t.Context(), pairs)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range want.Value {
				// Histograms are rounded once more where they are dense; near 0 a root makes more of it.
				if y := got[d*len(pairs)+i]; math.Abs(x*x-y*y) > 1e-6 {
					t.Errorf("%s, %s, pair %d: %v, want %v", normalisation, divergence, i, y, x)
				}
			}
		}
	}
}

// The table has a row for every number of clusters and one without, whose
// scores the differences are from; what the store has is what was computed.
func TestLimit(t *testing.T) {
	w := pipelinetest.World(t, `geometry.rows=["euclidean", "comb"]`, "geometry.vary.clusters=[5]")
	all, err := ComputeLimit(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	var bins []string
	for _, l := range all {
		bins = append(bins, l.Bins)
	}
	if want := []string{"K = 5", "K = 60", eachContext}; !slices.Equal(bins, want) {
		t.Fatalf("%q, want %q", bins, want)
	}
	for _, l := range all[:2] {
		for d, m := range l.Minus {
			if want := l.Scores[d].Value - all[2].Scores[d].Value; math.Abs(m.Value-want) > 1e-9 || !(m.Low <= m.Value && m.Value <= m.High) {
				t.Errorf("%s: difference %v [%v, %v], want %v", l.Bins, m.Value, m.Low, m.High, want)
			}
		}
	}
	again, err := unclustered(t.Context(), w, all[2].Row)
	if err != nil {
		t.Fatal(err)
	}
	for d, s := range again {
		if s.Value != all[2].Scores[d].Value {
			t.Errorf("%v from the store, %v before", s.Value, all[2].Scores[d].Value)
		}
	}
	for _, table := range limitTables(all, w.Profile) {
		for _, b := range table.Blocks {
			for _, row := range b.Rows {
				if len(row.Cells) != len(table.Columns) {
					t.Errorf("%s: %d cells in %d columns", row.Label, len(row.Cells), len(table.Columns))
				}
			}
		}
	}
	if n := len(limitQuantities(all)); n != 4*3+4*2 {
		t.Errorf("%d quantities", n)
	}
}
