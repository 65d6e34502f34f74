package sts

import (
	"io"
	"math"
	"slices"
	"testing"

	"contextmover/experiments/figure"
	"contextmover/experiments/pipelinetest"
	"contextmover/experiments/profile"
)

// A step's gain is the difference of the scores in the table, with an interval of the same pairs; unseen groups
// stand beside the average, which they are no part of, and lack the pairs that the validation group has.
func TestSteps(t *testing.T) {
	w := pipelinetest.World(t, `sts.steps=["chosen-sif", "chosen-sif-pc"]`, "sts.select.vectors.a=[1e-3, 1e-4]", "sts.select.vectors.pc_batch=[0]")
	w.Profile.STS.Rows = slices.DeleteFunc(w.Profile.STS.Rows, func(r profile.Row) bool { return r.ID != "chosen-sif" && r.ID != "chosen-sif-pc" })
	without, err := Compute(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	groups := slices.Clone(w.Profile.STS.Groups)
	at := slices.IndexFunc(groups, func(g profile.Group) bool { return !g.Validation })
	whole := groups[at].Sets[0]
	validation := groups[slices.IndexFunc(groups, func(g profile.Group) bool { return g.Validation })].Sets[0]
	// The validation set once more, as if it had not been seen: nothing may be left of it.
	w.Profile.STS.Groups = append(groups, profile.Group{Name: "again", Table: "again", Unseen: true, Sets: []profile.Set{{Name: "twice", File: validation.File}}})
	if pairs, err := w.ReadPairs(t.Context(), w.Profile.STS.Groups[len(groups)].Sets[0]); err != nil || len(pairs.Pairs) != 0 {
		t.Fatalf("%d pairs of the validation set count as unseen, %v", len(pairs.Pairs), err)
	}
	w.Profile.STS.Groups = append(groups, profile.Group{Name: "beside", Table: "beside", Unseen: true, Sets: []profile.Set{{Name: "other", File: whole.File}}})
	r, err := Compute(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := r.steps(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(steps) != 2 || len(steps[0].Scores) != 2 || steps[0].Gains != nil || len(steps[1].Gains) != 2 {
		t.Fatalf("%d steps", len(steps))
	}
	if r.Averages[1].Value != without.Averages[1].Value {
		t.Errorf("the average is %v with an unseen group, %v without", r.Averages[1].Value, without.Averages[1].Value)
	}
	for i, g := range steps[1].Gains {
		if want := steps[1].Scores[i].Value - steps[0].Scores[i].Value; math.Abs(g.Value-want) > 1e-9 || !(g.Low <= g.Value && g.Value <= g.High) {
			t.Errorf("gain %d: %v [%v, %v], want %v", i, g.Value, g.Low, g.High, want)
		}
	}
	output, err := Run(t.Context(), w)
	if err != nil || len(output.Figures) != 1 {
		t.Fatalf("%d figures, %v", len(output.Figures), err)
	}
	if err := figure.SVG(io.Discard, output.Figures[0]); err != nil {
		t.Error(err)
	}
}
