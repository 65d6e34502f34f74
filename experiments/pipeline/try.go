package pipeline

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"

	"contextmover/experiments/profile"
)

// Try scores the settings of each of the rows by validate, and returns those of row r, best first, the
// earlier of equals, as tried[r]. Settings of all rows that share estimates are scored one after the other,
// so that these are made once.
func (w *Workspace) Try(rows []profile.Row, settings func(row profile.Row) []profile.Row, validate func(setting profile.Row) (float64, error)) (tried [][]Candidate, err error) {
	var all []Candidate
	for _, row := range rows {
		for _, s := range settings(row) {
			all = append(all, Candidate{For: row.ID, Row: s})
		}
	}
	slices.SortStableFunc(all, func(a, b Candidate) int {
		return CompareEstimates(w.RowEstimates(a.Row), w.RowEstimates(b.Row))
	})
	for i := range all {
		c := &all[i]
		if c.Validation, err = validate(c.Row); err != nil {
			return nil, fmt.Errorf("choosing the settings of row %q: %w", c.For, err)
		}
		slog.Debug("tried", "row", c.For, "setting", i+1, "of", len(all), "validation", c.Validation)
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(b.Validation, a.Validation) })
	for _, row := range rows {
		own := slices.DeleteFunc(slices.Clone(all), func(c Candidate) bool { return c.For != row.ID })
		slog.Info("chosen", "row", row.ID, "tried", len(own), "validation", fmt.Sprintf("%.1f", own[0].Validation))
		tried = append(tried, own)
	}
	return tried, nil
}

// Candidate is one setting tried on the validation group.
type Candidate struct {
	For string // the row it was tried for
	Row profile.Row
	// Validation is the plain mean over the sets of the validation group.
	Validation float64
}
