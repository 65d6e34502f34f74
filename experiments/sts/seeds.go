package sts

import (
	"context"
	"slices"
	"strings"

	"contextmover/experiments/pipeline"
	"contextmover/experiments/results"
)

// withSeed returns the quantities of the rows that quantities stand for, their settings as they
// are, in a workspace of a further seed. Rows with the paper's settings on other vectors than
// the paper's have none: no claim is decided by them.
func (s *Result) withSeed(ctx context.Context, further *pipeline.Workspace, quantities []results.Quantity) ([]results.Quantity, error) {
	again := &Result{Groups: s.Groups}
	for _, row := range s.Rows {
		if strings.HasPrefix(row.Block, results.Paper+"-") {
			continue
		}
		if slices.ContainsFunc(quantities, func(q results.Quantity) bool { return q.Source == row.ID && q.Draws != nil }) {
			again.Rows = append(again.Rows, row)
		}
	}
	var err error
	if again.Measures, err = further.MeasureRows(ctx, again.Rows); err != nil {
		return nil, err
	}
	return again.quantities(ctx, further)
}
