package sts

import (
	"context"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
)

// averages sets the mean over the test groups of every row. Its interval is that of the
// draws that claims are decided by, so that a number has one interval wherever it stands.
func (s *Result) averages(ctx context.Context, w *pipeline.Workspace) error {
	s.Averages = make([]pipeline.Measure, len(s.Rows))
	for r, row := range s.Rows {
		var err error
		if s.Averages[r], err = pipeline.TestAverage(s.Groups, s.Measures[r], func(g profile.Group) ([]float64, error) {
			return s.groupDraws(ctx, w, row, g)
		}); err != nil {
			return err
		}
	}
	return nil
}
