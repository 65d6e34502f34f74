package sts

import (
	"context"

	"contextmover/experiments/pipeline"
)

// averages sets the mean over the test groups of every row. Its interval is that of the
// draws that claims are decided by, so that a number has one interval wherever it stands.
func (s *Result) averages(ctx context.Context, w *pipeline.Workspace) error {
	s.Averages = make([]pipeline.Measure, len(s.Rows))
	for r, row := range s.Rows {
		var tests []pipeline.Measure
		for g, group := range s.Groups {
			if group.Validation {
				continue
			}
			m, _ := pipeline.Average(s.Measures[r][g])
			var err error
			if m.Draws, err = w.GroupDraws(ctx, row, group); err != nil {
				return err
			}
			tests = append(tests, m)
		}
		s.Averages[r] = pipeline.AverageOf(tests)
	}
	return nil
}
