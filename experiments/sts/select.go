package sts

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
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/store"
)

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// selectRow chooses the settings of a row: those of the profile's grid for its method
// that score best on the validation group, the earlier of equals. Only the
// validation group's files are read. What was tried comes back best first. A deadline
// that is not zero ends it with errBudget.
func selectRow(ctx context.Context, w *pipeline.Workspace, row profile.Row, deadline time.Time) (profile.Row, []pipeline.Candidate, error) {
	grid, ok := w.Profile.STS.Select[row.Method]
	if !ok {
		return row, nil, fmt.Errorf("profile %s has no grid [sts.select.%s]", w.Profile.Name, row.Method)
	}
	settings := grid.Rows(row)
	if len(settings) == 0 {
		return row, nil, fmt.Errorf("the grid [sts.select.%s] of profile %s is empty", row.Method, w.Profile.Name)
	}
	slices.SortStableFunc(settings, func(a, b profile.Row) int {
		return pipeline.CompareEstimates(w.RowEstimates(a), w.RowEstimates(b))
	})
	var tried []pipeline.Candidate
	for i, s := range settings {
		validation, err := validate(ctx, w, s, deadline)
		if err != nil {
			return row, nil, err
		}
		tried = append(tried, pipeline.Candidate{For: row.ID, Row: s, Validation: validation})
		slog.Debug("tried", "row", row.ID, "setting", i+1, "of", len(settings), "validation", validation)
	}
	slices.SortStableFunc(tried, func(a, b pipeline.Candidate) int { return cmp.Compare(b.Validation, a.Validation) })
	best := tried[0].Row
	slog.Info("chosen", "row", row.ID, "tried", len(tried), "validation", fmt.Sprintf("%.1f", tried[0].Validation))
	return best, tried, nil
}

// Tune goes on from the chosen settings of each row of the profile that has
// select = true. A Euclidean average without a mix tries all of [sts.tune.grid]; a row
// with a mix also starts from what was found for the row without. Then one setting
// after the other is varied over [sts.tune.search] and kept where the validation group
// improves, until none improves any more. Every setting tried is kept in the store, so
// a search that was interrupted, or ran out of its budget, continues where it was.
//
// The rows come back with the best settings known, their measures, and in Tried all that
// was tried for them, best first; Unfinished names those whose search has not come to
// its end. A row whose grid [sts.select] has not been tried whole is left out. Measuring
// what was found comes on top of the budget.
func Tune(ctx context.Context, w *pipeline.Workspace, budget time.Duration) (*Result, error) {
	deadline := time.Now().Add(budget)
	result := &Result{Groups: w.Profile.STS.Groups}
	rows := slices.DeleteFunc(slices.Clone(w.Profile.STS.Rows), func(r profile.Row) bool { return !r.Select })
	// Averages are cheap: they come to their end before barycenters use up the budget.
	slices.SortStableFunc(rows, func(a, b profile.Row) int {
		return cmp.Or(
			compareBool(a.Method != profile.Euclidean, b.Method != profile.Euclidean),
			compareBool(a.Mix > 0, b.Mix > 0),
		)
	})
	for i, row := range rows {
		// Each row gets its share of what is left.
		share := time.Until(deadline) / time.Duration(len(rows)-i)
		s := tuning{workspace: w, deadline: time.Now().Add(share), seen: map[profile.Row]bool{}}
		waits := false // for a row without a mix
		for _, b := range rows[:i] {
			if row.Mix > 0 && b.Mix == 0 && b.Method == row.Method && b.Block == row.Block {
				waits = waits || slices.Contains(result.Unfinished, b.ID)
				s.start(row, b.ID, result.Rows)
			}
		}
		err := s.search(ctx, row)
		if err != nil && !errors.Is(err, errBudget) {
			return nil, fmt.Errorf("tuning row %q: %w", row.ID, err)
		}
		finished := err == nil && !waits
		if !finished {
			result.Unfinished = append(result.Unfinished, row.ID)
		}
		slog.Info("tuned", "row", row.ID, "tried", len(s.tried), "validation", fmt.Sprintf("%.2f", s.best.Validation), "end_reached", finished)
		if s.tried == nil {
			continue
		}
		slices.SortStableFunc(s.tried, func(a, b pipeline.Candidate) int { return cmp.Compare(b.Validation, a.Validation) })
		result.Rows = append(result.Rows, s.best.Row)
		result.Tried = append(result.Tried, s.tried...)
	}
	var err error
	if result.Measures, err = w.MeasureRows(ctx, result.Rows); err != nil {
		return nil, err
	}
	return result, result.averages(ctx, w)
}

// tuning is the search for the settings of one row.
type tuning struct {
	workspace *pipeline.Workspace
	deadline  time.Time
	starts    []profile.Row
	best      pipeline.Candidate
	tried     []pipeline.Candidate
	seen      map[profile.Row]bool
}

// errBudget ends a search at its deadline.
var errBudget = errors.New("the budget is used up")

// start adds, to where the search for a row with a mix starts, what was found for the
// row of the given id, which has none, with the row's mix.
func (s *tuning) start(row profile.Row, id string, found []profile.Row) {
	for _, f := range found {
		if f.ID == id {
			f.ID, f.Label, f.PublishedSummary, f.PublishedDetail = row.ID, row.Label, row.PublishedSummary, row.PublishedDetail
			f.Mix, f.PointWeights, f.PointA, f.RemovePC, f.PCBatch = row.Mix, row.PointWeights, row.PointA, row.RemovePC, row.PCBatch
			s.starts = append(s.starts, f)
		}
	}
}

// search tries until nothing improves, or returns an errBudget.
func (s *tuning) search(ctx context.Context, row profile.Row) error {
	chosen, tried, err := selectRow(ctx, s.workspace, row, s.deadline)
	if err != nil {
		return err
	}
	s.best = pipeline.Candidate{For: row.ID, Row: chosen, Validation: tried[0].Validation}
	for _, c := range tried {
		s.tried = append(s.tried, c)
		s.seen[c.Row] = true
	}
	tune, starts := s.workspace.Profile.STS.Tune, s.starts
	if row.Method == profile.Euclidean && row.Mix == 0 {
		starts = tune.Grid.Rows(chosen)
		slices.SortStableFunc(starts, func(a, b profile.Row) int {
			return pipeline.CompareEstimates(s.workspace.RowEstimates(a), s.workspace.RowEstimates(b))
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
		s.seen[row] = true
		validation, err := validate(ctx, s.workspace, row, s.deadline)
		if err != nil {
			return err
		}
		c := pipeline.Candidate{For: s.best.For, Row: row, Validation: validation}
		s.tried = append(s.tried, c)
		if validation > s.best.Validation {
			s.best = c
		}
	}
	return nil
}

// validate scores a setting on the validation group. Settings that differ in their
// mix and principal component only share one artefact, because they share the
// combined histograms. After the deadline, unless that is zero, it only finds what was
// scored before, and else returns errBudget.
func validate(ctx context.Context, w *pipeline.Workspace, row profile.Row, deadline time.Time) (float64, error) {
	var group profile.Group
	for _, g := range w.Profile.STS.Groups {
		if g.Validation {
			group = g
		}
	}
	params := struct {
		Score pipeline.ScoreParams `json:"score"`
		Sets  []string             `json:"sets"`
	}{Score: w.ScoreParams(row)}
	stage := store.Stage{Name: "sts-validation", Version: 2}
	for _, set := range group.Sets {
		params.Sets = append(params.Sets, set.Name)
		inputs, err := w.ScoreInputs(row, set)
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
	if !deadline.IsZero() && time.Now().After(deadline) && !w.Store.Has(stage) {
		return 0, errBudget
	}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		var o outcome
		for _, set := range group.Sets {
			scores, pairs, err := w.Score(ctx, row, set)
			if err != nil {
				return err
			}
			r, err := score.Pearson(scores.Value, pairs.Gold)
			if err != nil {
				return fmt.Errorf("%s: %w", set.Name, err)
			}
			o.Sets = append(o.Sets, 100*r)
			o.Average += 100 * r / float64(len(group.Sets))
		}
		return store.WriteJSON(filepath.Join(dir, "validation.json"), o)
	})
	if err != nil {
		return 0, err
	}
	var o outcome
	err = store.ReadJSON(filepath.Join(dir, "validation.json"), &o)
	return o.Average, err
}
