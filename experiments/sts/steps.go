package sts

import (
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/score"
	"contextmover/experiments/figure"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/render"
)

// stepsTable is the id of the table and of the figure.
const stepsTable = "sts_steps"

// A Step is a row of the profile's steps.
type Step struct {
	Row profile.Row
	// Scores are that of the mean of the test groups and of each group that is unseen; Gains, nil of the first row,
	// are what they are above those of the row before, on the same pairs, with the settings that each sample chooses.
	Scores, Gains []score.Estimate
}

// Steps returns the rows of the profile's steps, in order.
func (s *Result) steps(ctx context.Context, w *pipeline.Workspace) ([]Step, error) {
	var all []Step
	for _, id := range w.Profile.STS.Steps {
		r := slices.IndexFunc(s.Rows, func(row profile.Row) bool { return row.ID == id })
		step := Step{Row: s.Rows[r], Scores: []score.Estimate{s.Averages[r].Estimate}}
		for g, group := range s.Groups {
			if !group.Unseen {
				continue
			}
			m, _ := pipeline.Average(s.Measures[r][g])
			var err error
			if m.Draws, err = s.groupDraws(ctx, w, s.Rows[r], group); err != nil {
				return nil, err
			}
			m.Bound()
			step.Scores = append(step.Scores, m.Estimate)
		}
		if len(all) > 0 {
			for i, before := range all[len(all)-1].Scores {
				step.Gains = append(step.Gains, step.Scores[i].Minus(before))
			}
		}
		all = append(all, step)
	}
	return all, nil
}

// stepNames are the columns of steps: the test groups together, and each unseen one.
func stepNames(p *profile.Profile) []string {
	names := []string{"average"}
	for _, g := range p.STS.Groups {
		if g.Unseen {
			names = append(names, g.Name)
		}
	}
	return names
}

// tableOfSteps shows what each step brings.
func tableOfSteps(p *profile.Profile, steps []Step) *render.Table {
	t := &render.Table{
		ID: stepsTable, Label: "method",
		Title: fmt.Sprintf("Sentence similarity, what each step brings (profile %s)", p.Name),
		Notes: []string{
			"Pearson × 100; average: the mean of the test groups. gain: the difference from the row above on the " +
				"same pairs; an interval without 0 is a gain, or a loss, that other pairs would also show. Each " +
				"row's settings are chosen on the validation group, anew by each draw of an interval.",
		},
	}
	for _, name := range stepNames(p) {
		t.Columns = append(t.Columns, render.Column{Group: name, Name: "score", Digits: 1},
			render.Column{Group: name, Name: "gain", Digits: 1, Unmarked: true})
	}
	for _, s := range steps {
		row := render.Row{Key: s.Row.ID, Label: s.Row.Label}
		for i, e := range s.Scores {
			gain := render.Cell{Text: "–"}
			if s.Gains != nil {
				gain = pipeline.Cell(s.Gains[i])
			}
			row.Cells = append(row.Cells, pipeline.Cell(e), gain)
		}
		t.Add("", row)
	}
	return t
}

// figureOfSteps shows the gains.
func figureOfSteps(p *profile.Profile, steps []Step) *figure.Figure {
	panel := figure.NewIntervals("points above the step before, Pearson × 100", stepNames(p)...)
	for _, s := range steps[1:] {
		panel.Names = append(panel.Names, s.Row.Label)
		for i, g := range s.Gains {
			panel.Series[i].Add(g.Value, g.Low, g.High)
		}
	}
	return panel.Figure(figure.Figure{
		ID: stepsTable, Title: "Sentence similarity, what each step brings",
		Caption: "Gains over the step before on the same pairs, in points of Pearson × 100, with 95 % bootstrap " +
			"intervals that contain the choice of settings.",
		Provenance: figure.Provenance{Profile: p.Name},
	}, 60, 24)
}
