package experiments

import (
	"context"

	"contextmover/cmdlib/score"
)

// averages sets the mean over the test groups of every row. Its interval is that of the
// draws that claims are decided by, so that a number has one interval wherever it stands.
func (s *STS) averages(ctx context.Context, w *Workspace) error {
	s.Averages = make([]Measure, len(s.Rows))
	for r, row := range s.Rows {
		var tests []Measure
		for g, group := range s.Groups {
			if group.Validation {
				continue
			}
			m, _ := Average(s.Measures[r][g])
			var err error
			if m.Draws, err = s.groupDraws(ctx, w, row, group); err != nil {
				return err
			}
			tests = append(tests, m)
		}
		s.Averages[r] = averageOf(tests)
	}
	return nil
}

// averageOf is the plain mean of the test groups, from claimDraws draws of each.
func averageOf(tests []Measure) Measure {
	m := Measure{Draws: make([]float64, claimDraws)}
	for _, t := range tests {
		m.Pearson += t.Pearson / float64(len(tests))
		m.Pairs += t.Pairs
		m.Covered += t.Covered
		for d := range t.Draws {
			m.Draws[d] += t.Draws[d] / float64(len(tests))
		}
	}
	m.Low, m.High = score.Interval(m.Draws)
	return m
}
