package weights

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/show/render"
)

func TestFit(t *testing.T) {
	f := Fit{Average: 50, PrintedAverage: 49, Ours: []float64{4, 1}, Printed: []float64{1, 5}}
	g := Fit{Average: 40, PrintedAverage: 47, Ours: []float64{1, 1}, Printed: []float64{0, 1}}
	if got, want := f.Error(), math.Sqrt((9.+16)/2); got != want || f.Bias() != -0.5 {
		t.Errorf("error %v, bias %v, want %v, -0.5", got, f.Bias(), want)
	}
	if d := f.minus(g); d.Average != 10 || d.PrintedAverage != 2 || !slices.Equal(d.Ours, []float64{3, 0}) || !slices.Equal(d.Printed, []float64{1, 4}) {
		t.Errorf("difference %+v", d)
	}
	if got, want := f.both(g).Error(), math.Sqrt((9.+16+1+0)/4); got != want {
		t.Errorf("joint error %v, want %v", got, want)
	}
}

// Rows with printed counterparts are scored with each reading of their weights; a profile
// without such rows has no comparison.
func TestWeights(t *testing.T) {
	w := pipelinetest.World(t, "sts.defaults.clusters=20", "sts.defaults.iterations=20")
	if got, err := Compute(t.Context(), w); got != nil || err != nil {
		t.Fatalf("mini has no printed rows, got %v, %v", got, err)
	}
	// The small world's sets under the names of printed ones.
	group := w.Profile.STS.Groups[0]
	group.Table, group.Published = "tableS1a_sts12_detail", "STS12"
	group.Sets[0].Name, group.Sets[1].Name = "MSRpar", "MSRvid"
	w.Profile.STS.Groups = []profile.Group{group}
	printed := map[string][2]string{
		"sif": {"SIF", "SIF"}, "sif-pc": {"SIF (PC removed)", "SIF + PC removed"}, "euclidean": {"Euclidean avg.", "Euclidean avg"}, "comb": {"CoMB", "CoMB (GloVe)"},
	}
	for i := range w.Profile.STS.Rows {
		if name, ok := printed[w.Profile.STS.Rows[i].ID]; ok {
			w.Profile.STS.Rows[i].PublishedSummary, w.Profile.STS.Rows[i].PublishedDetail = "a_unsup_glove_tbc/"+name[0], "glove_tbc/"+name[1]
		}
	}
	got, err := Compute(t.Context(), w)
	if err != nil || got == nil {
		t.Fatal(got, err)
	}
	for r, reading := range got.Readings {
		for _, fits := range [][]Fit{got.SIF, got.SIFPC, got.Euclidean, got.CoMB, got.Coded} {
			if len(fits) != len(got.Readings) || len(fits[r].Ours) != 2 || fits[r].PrintedAverage == 0 {
				t.Fatalf("%s: %+v", reading.Label, fits)
			}
		}
		if uniform := reading.Transport == profile.Uniform; uniform != slices.Equal(got.CoMB[r].Ours, got.Coded[r].Ours) {
			t.Errorf("%s: CoMB %v, from the unweighted start %v: equal for uniform weights only", reading.Label, got.CoMB[r].Ours, got.Coded[r].Ours)
		}
		for q := range r {
			if slices.Equal(got.SIF[r].Ours, got.SIF[q].Ours) || slices.Equal(got.Euclidean[r].Ours, got.Euclidean[q].Ours) {
				t.Errorf("%s and %s have the same scores", reading.Label, got.Readings[q].Label)
			}
		}
	}
	if f := got.CoMB[0]; !slices.Equal(f.Printed, []float64{31.3, 61.5}) || f.PrintedAverage != 49.8 {
		t.Errorf("printed beside CoMB: %+v, want 31.3, 61.5 of Table S1 and the average 49.8", f)
	}
	list, _ := w.Profile.Row("sif")
	list = list.With("weights", profile.SIFList).With("a", 1e-4)
	if _, m, err := w.Scores(t.Context(), list, group.Sets[1]); err != nil || got.SIF[3].Ours[1] != m.Value {
		t.Errorf("SIF by the list: %v, alone %v (%v)", got.SIF[3].Ours[1], m.Value, err)
	}
	var text bytes.Buffer
	if err := render.Text(&text, got.Table(w.Profile), render.Terminal); err != nil || !strings.Contains(text.String(), "raw marginals") {
		t.Errorf("%s %v", text.String(), err)
	}
}
