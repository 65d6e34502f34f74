package sts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
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

// Tune goes on from the chosen settings of each row of the profile that has select = true. One setting after the
// other is varied over [sts.tune] and kept where the validation group improves, until none improves any more. Every
// row is treated the same, and starts from its own grid alone. Every setting tried is kept in the store, so a search
// that was interrupted, or ran out of its budget, continues where it was.
//
// Several processes may search together, as the parts of one search: they share a store, begin at
// different rows and settings, and find what others have scored before. Each ends when the whole search
// has come to its end, so that it does not matter how many of them there are, or whether one is killed.
// A part does not measure what was found: a search that is no part does, and finds all settings scored.
//
// The rows come back with the best settings known, their measures, and in Tried all that was tried for them, best
// first. Unfinished names those whose search has not come to its end, and whose settings are therefore not the
// search's choice. A row whose grid [sts.select] has not been tried whole is left out. Measuring what was found comes
// on top of the budget.
func Tune(ctx context.Context, w *pipeline.Workspace, budget time.Duration, part Part) (*Result, error) {
	deadline := time.Now().Add(budget)
	result := &Result{Groups: w.Profile.STS.Groups}
	rows := slices.DeleteFunc(slices.Clone(w.Profile.STS.Rows), func(r profile.Row) bool { return !r.Select })
	searches := make([]tuning, len(rows))
	for done, i := range part.order(len(rows)) {
		// Each row gets its share of what is left.
		share := time.Until(deadline) / time.Duration(len(rows)-done)
		s := &searches[i]
		*s = tuning{workspace: w, deadline: time.Now().Add(share), part: part, seen: map[profile.Row]bool{}}
		if s.err = s.search(ctx, rows[i]); s.err != nil && !errors.Is(s.err, errBudget) {
			return nil, fmt.Errorf("tuning row %q: %w", rows[i].ID, s.err)
		}
		slog.Info("tuned", "row", rows[i].ID, "tried", len(s.tried), "validation",
			fmt.Sprintf("%.2f", s.best.Value), "end_reached", s.err == nil)
	}
	for i, s := range searches {
		if s.err != nil {
			result.Unfinished = append(result.Unfinished, rows[i].ID)
		}
		if s.tried == nil {
			continue
		}
		slices.SortStableFunc(s.tried, func(a, b pipeline.Trial[profile.Row]) int {
			return cmp.Compare(b.Value, a.Value)
		})
		result.Rows = append(result.Rows, s.best.Row)
		result.Tried = append(result.Tried, s.tried...)
	}
	if part.N > 1 {
		return result, nil
	}
	var err error
	if result.Measures, err = w.MeasureRows(ctx, result.Rows); err != nil {
		return nil, err
	}
	return result, result.averages(ctx, w)
}

// Part is the I-th of N parts of a search, from 1; the zero value is all of it.
type Part struct{ I, N int }

// order returns the numbers from 0 to n−1 in the order in which a part goes through them: first its own,
// which follow each other, and then those of the others from their ends, which is where those come last.
func (p Part) order(n int) []int {
	parts := max(p.N, 1)
	var order []int
	for turn := range parts {
		own := (max(p.I, 1) - 1 + turn) % parts
		numbers := make([]int, 0, n/parts+1)
		for i := own * n / parts; i < (own+1)*n/parts; i++ {
			numbers = append(numbers, i)
		}
		if turn > 0 {
			slices.Reverse(numbers)
		}
		order = append(order, numbers...)
	}
	return order
}

// tuning is the search for the settings of one row.
type tuning struct {
	workspace *pipeline.Workspace
	deadline  time.Time
	part      Part
	best      pipeline.Trial[profile.Row]
	tried     []pipeline.Trial[profile.Row]
	seen      map[profile.Row]bool
	err       error
}

// ahead scores settings in the part's order, so that the search
// finds them. Those that share combined histograms stay together.
func (s *tuning) ahead(ctx context.Context, rows []profile.Row) error {
	if s.part.N < 2 {
		return nil
	}
	var groups [][]profile.Row
	places := map[method.Method]int{} // of combined histograms
	for _, row := range rows {
		if s.seen[row] {
			continue
		}
		combined := method.Combination(row.Method)
		at, there := places[combined]
		if !there {
			at = len(groups)
			places[combined] = at
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], row)
	}
	for _, i := range s.part.order(len(groups)) {
		for _, row := range groups[i] {
			if _, err := validate(ctx, s.workspace, row, s.deadline); err != nil {
				return err
			}
		}
	}
	return nil
}

// errBudget ends a search at its deadline.
var errBudget = errors.New("the budget is used up")

// search tries until nothing improves, or returns an errBudget.
func (s *tuning) search(ctx context.Context, row profile.Row) error {
	if err := s.ahead(ctx, s.workspace.Profile.Candidates(row)); err != nil {
		return err
	}
	_, tried, err := choose(ctx, s.workspace, []profile.Row{row}, s.deadline)
	if err != nil {
		return err
	}
	s.best = tried[0]
	for _, c := range tried {
		s.tried = append(s.tried, c)
		s.seen[c.Row] = true
	}
	p := s.workspace.Profile
	for before := (profile.Row{}); before != s.best.Row; {
		before = s.best.Row
		for _, coordinate := range p.STS.Tune.For(row).Coordinates(row.Method) {
			if err := s.try(ctx, p.Settings(coordinate, s.best.Row)); err != nil {
				return err
			}
		}
	}
	return nil
}

// try validates settings that have not been tried, and keeps the best.
func (s *tuning) try(ctx context.Context, rows []profile.Row) error {
	if err := s.ahead(ctx, rows); err != nil {
		return err
	}
	for _, row := range rows {
		if s.seen[row] {
			continue
		}
		s.seen[row] = true
		validation, err := validate(ctx, s.workspace, row, s.deadline)
		if err != nil {
			return err
		}
		c := pipeline.Trial[profile.Row]{Row: row, Estimate: score.Estimate{Value: validation}}
		s.tried = append(s.tried, c)
		if validation > s.best.Value {
			s.best = c
		}
	}
	return nil
}

// validate scores a setting on the validation group.
func validate(ctx context.Context, w *pipeline.Workspace, row profile.Row, deadline time.Time) (float64, error) {
	group, err := w.ValidationGroup()
	if err != nil {
		return 0, err
	}
	v, err := store.Get(ctx, w.Store, validationNode(w, row, group, deadline))
	return v.Average, err
}

// validationNode has what a setting scores on the validation group. Settings that differ in their
// mix and principal component only share one artefact, because they share the
// combined histograms. After the deadline, unless that is zero, it is only found where it was
// made before, and else errBudget.
func validationNode(
	w *pipeline.Workspace, row profile.Row, group profile.Group, deadline time.Time,
) store.Node[pipeline.Validation] {
	params := struct {
		Method pipeline.MethodParams `json:"method"`
		Sets   []string              `json:"sets"`
	}{Method: w.MethodParams(row.Method)}
	var inputs []store.Input
	for _, set := range group.Sets {
		params.Sets = append(params.Sets, set.Name)
		inputs = append(inputs, w.Inputs(row.Method, set)...)
	}
	return store.Node[pipeline.Validation]{
		Name: "sts-validation", Version: 3, Params: params, Inputs: inputs, Shared: w.RowShared(row),
		Parts: pipeline.ValidationParts,
		Make: func(ctx context.Context) (v pipeline.Validation, err error) {
			if !deadline.IsZero() && time.Now().After(deadline) {
				return v, errBudget
			}
			for _, set := range group.Sets {
				scores, pairs, err := w.Score(ctx, row, set)
				if err != nil {
					return v, err
				}
				r, err := score.Pearson(scores.Value, pairs.Gold)
				if err != nil {
					return v, fmt.Errorf("%s: %w", set.Name, err)
				}
				v.Sets = append(v.Sets, 100*r)
				v.Average += 100 * r / float64(len(group.Sets))
			}
			return v, nil
		},
	}
}
