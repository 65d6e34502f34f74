package sts

import (
	"context"
	"time"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/store"
)

// Files lists the files of sentence pairs, of encoders, and of frequencies if a row weighs by them.
func Files(p *profile.Profile) (files []string) {
	for _, g := range p.STS.Groups {
		for _, s := range g.Sets {
			files = append(files, s.File)
		}
	}
	for _, row := range p.STS.Rows {
		for _, file := range row.Method.Needs().Files {
			files = append(files, dataset.EncoderFiles(file)...)
		}
	}
	if p.STS.UsesList() {
		files = append(files, p.STS.Frequencies)
	}
	return files
}

// IDs lists the tables and figures that Run may make for a profile.
func IDs(p *profile.Profile) []string {
	all := []string{SummaryTable, settingsTable, searchTable, present.SeedsID + "sts"}
	for _, g := range p.STS.Groups {
		all = append(all, g.Table)
	}
	return all
}

// Run makes the section's tables and quantities.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	result, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	tables, err := result.Tables(w.Profile)
	if err != nil {
		return nil, err
	}
	quantities, err := result.quantities(ctx, w)
	if err != nil {
		return nil, err
	}
	seeds := present.SeedsTable(w.Profile.Seeds.STS, w.Profile, "sts", quantities, func(q results.Quantity) bool {
		return q.Column == average
	})
	return &pipeline.Output{Tables: append(tables, seeds...), Quantities: quantities}, nil
}

// Result is the outcome of the sentence-similarity experiment.
type Result struct {
	Rows   []profile.Row // every setting resolved, chosen ones included
	Groups []profile.Group
	// Measures[r][g][s] is row r on set s of group g.
	Measures [][][]pipeline.Measure
	// Averages[r] is the mean of row r over the test groups.
	Averages []pipeline.Measure
	// Tried holds what was searched on the validation group.
	Tried pipeline.Tried
	// Choices tells how sure the chosen settings are, by the ids of the rows.
	Choices map[string]*Choice
	// Unfinished names the rows of a tuning whose search the budget ended.
	Unfinished []string
}

// choose chooses settings from the profile's candidates for each row on the validation group, whose files alone are
// read. A deadline that is not zero ends it with errBudget.
func choose(
	ctx context.Context, w *pipeline.Workspace, rows []profile.Row, deadline time.Time,
) ([]profile.Row, pipeline.Tried, error) {
	group, err := w.ValidationGroup()
	if err != nil {
		return nil, nil, err
	}
	return w.Choose(ctx, rows, w.Profile.Candidates, func(setting profile.Row) store.Node[pipeline.Validation] {
		return validationNode(w, setting, group, deadline)
	})
}

// Compute scores all rows of the profile on all its sets of sentence pairs
// (section 4.1 of the paper). Rows that ask for it get their settings from a search
// on the validation group first; the test groups are never looked at there. The bootstrap
// draws of these rows on the test groups, and the intervals, choose again: see Choice.
func Compute(ctx context.Context, w *pipeline.Workspace) (*Result, error) {
	rows, tried, err := choose(ctx, w, w.Profile.STS.Rows, time.Time{})
	if err != nil {
		return nil, err
	}
	result := &Result{Groups: w.Profile.STS.Groups, Rows: rows, Tried: tried}
	if err := measureChosen(ctx, w, result); err != nil {
		return nil, err
	}
	if err := result.addSeeds(ctx, w); err != nil {
		return nil, err
	}
	result.Averages, err = w.TestAverages(ctx, result.Rows, result.Measures, result.groupDraws(w))
	return result, err
}

// addSeeds adds the values from further seeds to the measures of rows with the paper's settings on its kind of vectors.
// Chosen settings were chosen on the vectors of the first seed, and their intervals contain the choice instead.
func (s *Result) addSeeds(ctx context.Context, w *pipeline.Workspace) error {
	var rows []profile.Row
	var measures [][][]pipeline.Measure
	for r, row := range s.Rows {
		if !row.Select && (pipeline.Variant(row) == results.Paper || row.Block == ablationBlock) {
			rows, measures = append(rows, row), append(measures, s.Measures[r])
		}
	}
	return w.ForSeeds(w.Profile.Seeds.STS, func(further *pipeline.Workspace) error {
		return further.AddValues(ctx, rows, measures)
	})
}
