package sts

import (
	"context"
	"slices"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/results"
)

// withSeed returns the quantities of the rows that quantities stand for, their settings as they
// are, in a workspace of a further seed. Only rows with the paper's settings on its
// kind of vectors have more seeds: chosen ones were chosen on the vectors of the first, and
// their intervals contain the choice instead.
func (s *Result) withSeed(
	ctx context.Context, further *pipeline.Workspace, quantities []results.Quantity,
) ([]results.Quantity, error) {
	again := &Result{Groups: s.Groups}
	for _, row := range s.Rows {
		if pipeline.Variant(row) != results.Paper && row.Block != ablationBlock {
			continue
		}
		if slices.ContainsFunc(quantities, func(q results.Quantity) bool {
			return q.Source == row.ID && q.Draws != nil
		}) {
			again.Rows = append(again.Rows, row)
		}
	}
	var err error
	if again.Measures, err = further.MeasureRows(ctx, again.Rows); err != nil {
		return nil, err
	}
	return again.quantities(ctx, further)
}
