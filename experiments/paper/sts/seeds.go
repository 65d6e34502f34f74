package sts

import (
	"context"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
)

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
