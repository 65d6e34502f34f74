package systems

import (
	"math"
	"strings"
	"testing"

	"contextmover/cmdlib/score"
	"contextmover/experiments/figure"
	"contextmover/experiments/pipelinetest"
	"contextmover/experiments/render"
)

// Every system has a score, and costs something; the rank correlation is that of all pairs of a group together.
func TestSystems(t *testing.T) {
	w := pipelinetest.World(t, "sent2vec.epochs=1", "sent2vec.dim=10", "glove.epochs=2", `systems.rows=["sif-pc", "comb", "chosen-comb-mix"]`,
		"sts.select.transport.smoothing=[]", "sts.select.transport.shift=[]", "sts.select.transport.metric=[]", "sts.select.transport.a=[]",
		"sts.select.transport.point_a=[]", "sts.select.vectors.a=[]")
	out, err := Run(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	cells := map[string][]render.Cell{}
	for _, b := range out.Tables[0].Blocks {
		for _, r := range b.Rows {
			cells[r.Key] = r.Cells
		}
	}
	if len(cells) != 3 || len(out.Figures) != 1 || len(out.Figures[0].Panels[0].Curves.Curves) != 3 {
		t.Fatalf("%d rows and %d figures", len(cells), len(out.Figures))
	}
	if err := figure.SVG(new(strings.Builder), out.Figures[0]); err != nil {
		t.Error(err)
	}
	for id, c := range cells {
		for i, name := range []string{"Pearson", "Spearman", "training", "scoring", "memory", "tokens"} {
			if c[i].Value == nil || math.IsNaN(*c[i].Value) || i > 1 && *c[i].Value <= 0 {
				t.Errorf("%s: %s is %v", id, name, c[i])
			}
		}
	}
	if *cells["comb"][4].Value <= *cells["sif-pc"][4].Value {
		t.Error("histograms take no memory")
	}
	row, _ := w.Profile.Row("comb")
	mean, groups := 0.0, 0.0
	for _, g := range w.Profile.STS.Groups {
		if g.Validation {
			continue
		}
		var x, y []float64
		for _, set := range g.Sets {
			s, pairs, err := w.Score(t.Context(), row, set)
			if err != nil {
				t.Fatal(err)
			}
			x, y = append(x, s.Value...), append(y, pairs.Gold...)
		}
		r, err := score.Spearman(x, y)
		if err != nil {
			t.Fatal(err)
		}
		mean += 100 * r
		groups++
	}
	if got := *cells["comb"][1].Value; math.Abs(got-mean/groups) > 1e-9 {
		t.Errorf("Spearman %v, want %v", got, mean/groups)
	}
}

func TestNoSystems(t *testing.T) {
	out, err := Run(t.Context(), pipelinetest.World(t))
	if err != nil || len(out.Tables)+len(out.Figures)+len(out.Quantities) != 0 {
		t.Errorf("%v, %v", out, err)
	}
}
