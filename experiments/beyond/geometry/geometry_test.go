package geometry

import (
	"io"
	"math"
	"testing"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/show/figure"
)

// The true geometry at a row's own λ is the row itself; others have other scores; with hardly any entropy a discrete cost
// orders pairs of averages as their total variation does.
func TestGeometry(t *testing.T) {
	w := pipelinetest.World(t, `geometry.rows=["euclidean", "comb"]`, "geometry.vary.reg=[0.1, 0.5]", `geometry.vary.metric=["angular"]`, "geometry.vary.clusters=[20]")
	r, err := Compute(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Variants) != 7 || len(r.Plain) != 2 {
		t.Fatalf("%d variants and %d rows", len(r.Variants), len(r.Plain))
	}
	for _, v := range r.Variants {
		if v.Scores[0].Value == v.Scores[1].Value || v.Scores[0].Value == v.Scores[2].Value {
			t.Errorf("%s: scores %v, %v, %v of three costs", v.Row.ID, v.Scores[0].Value, v.Scores[1].Value, v.Scores[2].Value)
		}
		for g, m := range v.Minus {
			if want := v.Scores[g+1].Value - v.Scores[0].Value; m.Value != want || !(m.Low <= m.Value && m.Value <= m.High) {
				t.Errorf("%s: difference %v [%v, %v], want %v", v.Row.ID, m.Value, m.Low, m.High, want)
			}
		}
	}
	row, _ := w.Profile.Row("comb")
	base := r.Plain[1].Scores[0].Value - r.Plain[1].Minus[0].Value
	if own := r.Variants[4]; row.Histograms().Reg != 0.1 || own.Row.ID != "comb" || math.Abs(own.Scores[0].Value-base) > 1e-9 {
		t.Errorf("%v with the row's own λ, %v of the row", own.Scores[0].Value, base)
	}

	row, _ = w.Profile.Row("euclidean")
	row = row.With("geometry", method.Discrete).With("reg", 0.01).With("iterations", 2000).With("clip", 0.)
	moved := row.With("geometry", method.TrueGeometry).With("compare", "total variation")
	for _, group := range w.Profile.STS.Groups {
		if !group.Validation {
			continue
		}
		for _, set := range group.Sets {
			x, _, err := w.Scores(t.Context(), row, set)
			if err != nil {
				t.Fatal(err)
			}
			y, _, err := w.Scores(t.Context(), moved, set)
			if err != nil {
				t.Fatal(err)
			}
			if c, err := score.Spearman(x, y); err != nil || c < 0.99 {
				t.Errorf("%s: rank correlation %v of discrete transport and total variation (%v)", set.Name, c, err)
			}
		}
	}
	if err := figure.SVG(io.Discard, r.Figure(w)); err != nil {
		t.Error(err)
	}
	for _, table := range r.Tables(w.Profile) {
		for _, b := range table.Blocks {
			for _, row := range b.Rows {
				if len(row.Cells) != len(table.Columns) {
					t.Errorf("%s, %s: %d cells in %d columns", table.ID, row.Label, len(row.Cells), len(table.Columns))
				}
			}
		}
	}
}
