package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"contextmover/cmdlib/score"
	profile "contextmover/experiments/profiles"
	"contextmover/experiments/store"
)

// Candidate is one setting tried on the validation group.
type Candidate struct {
	For string // the row it was tried for
	Row profile.Row
	// Validation is the plain mean over the sets of the validation group.
	Validation float64
}

// selectRow chooses the settings of a row: those of the profile's grid for its method
// that score best on the validation group, the earlier of equals. Only the
// validation group's files are read. What was tried comes back best first.
func (w *Workspace) selectRow(ctx context.Context, row profile.Row) (profile.Row, []Candidate, error) {
	grid, ok := w.Profile.STS.Select[row.Method]
	if !ok {
		return row, nil, fmt.Errorf("profile %s has no grid [sts.select.%s]", w.Profile.Name, row.Method)
	}
	settings := grid.Rows(row)
	if len(settings) == 0 {
		return row, nil, fmt.Errorf("the grid [sts.select.%s] of profile %s is empty", row.Method, w.Profile.Name)
	}
	slices.SortStableFunc(settings, func(a, b profile.Row) int {
		return compareEstimates(w.rowEstimates(a), w.rowEstimates(b))
	})
	var tried []Candidate
	for i, s := range settings {
		validation, err := w.validate(ctx, s)
		if err != nil {
			return row, nil, err
		}
		tried = append(tried, Candidate{row.ID, s, validation})
		slog.Debug("tried", "row", row.ID, "setting", i+1, "of", len(settings), "validation", validation)
	}
	slices.SortStableFunc(tried, func(a, b Candidate) int { return cmp.Compare(b.Validation, a.Validation) })
	best := tried[0].Row
	slog.Info("chosen", "row", row.ID, "tried", len(tried), "validation", fmt.Sprintf("%.1f", tried[0].Validation))
	return best, tried, nil
}

// TuneSTS goes on from the chosen settings of each row of the profile that has
// select = true. A Euclidean average without a mix tries all of [sts.tune.grid]; a row
// with a mix also starts from what was found for the row without. Then one setting
// after the other is varied over [sts.tune.search] and kept where the validation group
// improves, until none improves any more. Every setting tried is kept in the store, so
// a search that was interrupted, or ran out of its budget, continues where it was; done
// tells whether all rows came to their end.
//
// The rows come back with the settings found and, in Tried, all that was tried for
// them, best first.
func (w *Workspace) TuneSTS(ctx context.Context, budget time.Duration) (result *STS, done bool, err error) {
	deadline := time.Now().Add(budget)
	result, done = &STS{Groups: w.Profile.STS.Groups}, true
	rows := slices.DeleteFunc(slices.Clone(w.Profile.STS.Rows), func(r profile.Row) bool { return !r.Select })
	// Averages are cheap: they come to their end before barycenters use up the budget.
	slices.SortStableFunc(rows, func(a, b profile.Row) int {
		return cmp.Or(
			compareBool(a.Method != profile.Euclidean, b.Method != profile.Euclidean),
			compareBool(a.Mix > 0, b.Mix > 0),
		)
	})
	for _, row := range rows {
		best, tried, err := w.selectRow(ctx, row)
		if err != nil {
			return nil, false, fmt.Errorf("choosing the settings of row %q: %w", row.ID, err)
		}
		s := tuning{workspace: w, deadline: deadline, best: Candidate{row.ID, best, tried[0].Validation}, seen: map[profile.Row]bool{}}
		for _, c := range tried {
			s.tried = append(s.tried, c)
			s.seen[c.Row] = true
		}
		finished, err := s.run(ctx, result.Rows)
		if err != nil {
			return nil, false, fmt.Errorf("tuning row %q: %w", row.ID, err)
		}
		done = done && finished
		slog.Info("tuned", "row", row.ID, "tried", len(s.tried), "validation", fmt.Sprintf("%.2f", s.best.Validation), "end_reached", finished)
		slices.SortStableFunc(s.tried, func(a, b Candidate) int { return cmp.Compare(b.Validation, a.Validation) })
		result.Rows = append(result.Rows, s.best.Row)
		result.Tried = append(result.Tried, s.tried...)
	}
	result.Measures, err = w.measureRows(ctx, result.Rows)
	return result, done, err
}

// tuning is the search for the settings of one row.
type tuning struct {
	workspace *Workspace
	deadline  time.Time
	best      Candidate
	tried     []Candidate
	seen      map[profile.Row]bool
}

// errBudget ends a search at its deadline.
var errBudget = errors.New("the budget is used up")

// run searches until nothing improves. It returns false if the deadline ended it. Of
// found, rows tuned before, those without a mix are starts for one with it.
func (s *tuning) run(ctx context.Context, found []profile.Row) (bool, error) {
	err := s.search(ctx, found)
	if errors.Is(err, errBudget) {
		return false, nil
	}
	return err == nil, err
}

func (s *tuning) search(ctx context.Context, found []profile.Row) error {
	tune, row := s.workspace.Profile.STS.Tune, s.best.Row
	var starts []profile.Row
	if row.Mix > 0 {
		for _, f := range found {
			if f.Mix == 0 && f.Method == row.Method && f.Block == row.Block {
				f.ID, f.Label, f.PublishedSummary, f.PublishedDetail = row.ID, row.Label, row.PublishedSummary, row.PublishedDetail
				f.Mix, f.PointWeights, f.PointA, f.RemovePC, f.PCBatch = row.Mix, row.PointWeights, row.PointA, row.RemovePC, row.PCBatch
				starts = append(starts, f)
			}
		}
	} else if row.Method == profile.Euclidean {
		starts = tune.Grid.Rows(row)
		slices.SortStableFunc(starts, func(a, b profile.Row) int {
			return compareEstimates(s.workspace.rowEstimates(a), s.workspace.rowEstimates(b))
		})
	}
	if err := s.try(ctx, starts); err != nil {
		return err
	}
	for before := (profile.Row{}); before != s.best.Row; {
		before = s.best.Row
		for _, coordinate := range tune.Search.Coordinates() {
			if err := s.try(ctx, coordinate.Rows(s.best.Row)); err != nil {
				return err
			}
		}
	}
	return nil
}

// try validates settings that have not been tried, and keeps the best.
func (s *tuning) try(ctx context.Context, rows []profile.Row) error {
	for _, row := range rows {
		if s.seen[row] {
			continue
		}
		if time.Now().After(s.deadline) {
			return errBudget
		}
		s.seen[row] = true
		validation, err := s.workspace.validate(ctx, row)
		if err != nil {
			return err
		}
		c := Candidate{s.best.For, row, validation}
		s.tried = append(s.tried, c)
		if validation > s.best.Validation {
			s.best = c
		}
	}
	return nil
}

// validate scores a setting on the validation group. Settings that differ in their
// mix and principal component only share one artefact, because they share the
// combined histograms.
func (w *Workspace) validate(ctx context.Context, row profile.Row) (float64, error) {
	var group profile.Group
	for _, g := range w.Profile.STS.Groups {
		if g.Validation {
			group = g
		}
	}
	params := struct {
		Score scoreParams `json:"score"`
		Sets  []string    `json:"sets"`
	}{Score: w.scoreParams(row)}
	stage := store.Stage{Name: "sts-validation", Version: 1}
	for _, set := range group.Sets {
		params.Sets = append(params.Sets, set.Name)
		inputs, err := w.scoreInputs(row, set)
		if err != nil {
			return 0, err
		}
		stage.Inputs = append(stage.Inputs, inputs...)
	}
	stage.Params = params
	type outcome struct {
		Sets    []float64 `json:"sets"`
		Average float64   `json:"average"`
	}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		var o outcome
		for _, set := range group.Sets {
			scores, pairs, err := w.score(ctx, row, set)
			if err != nil {
				return err
			}
			r, err := score.Pearson(scores.Value, pairs.gold)
			if err != nil {
				return fmt.Errorf("%s: %w", set.Name, err)
			}
			o.Sets = append(o.Sets, 100*r)
			o.Average += 100 * r / float64(len(group.Sets))
		}
		return writeJSON(filepath.Join(dir, "validation.json"), o)
	})
	if err != nil {
		return 0, err
	}
	var o outcome
	err = readJSON(filepath.Join(dir, "validation.json"), &o)
	return o.Average, err
}
