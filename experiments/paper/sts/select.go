package sts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
)

// Tune goes on from the chosen settings of each row of the profile that has select = true. One setting after the
// other is varied over [sts.tune] and kept where the validation group improves, until none improves any more. Every
// row is treated the same, and starts from its own grid alone. Every setting tried is kept in the store, so a search
// that was interrupted, or ran out of its budget, continues where it was.
//
// The rows come back with the best settings known, their measures, and in Tried all that was tried for them.
// Unfinished names those whose search has not come to its end, and whose settings are therefore not the
// search's choice. A row whose grid [sts.select] has not been tried whole is left out. Measuring what was found comes
// on top of the budget.
func Tune(ctx context.Context, w *pipeline.Workspace, budget time.Duration) (*Result, error) {
	deadline := time.Now().Add(budget)
	result := &Result{Groups: w.Profile.STS.Groups, Tried: pipeline.Tried{}}
	rows := slices.DeleteFunc(slices.Clone(w.Profile.STS.Rows), func(r profile.Row) bool { return !r.Select })
	for i, row := range rows {
		// Each row gets its share of what is left.
		share := time.Until(deadline) / time.Duration(len(rows)-i)
		tried, err := search(ctx, w, row, time.Now().Add(share))
		if errors.Is(err, errBudget) {
			result.Unfinished = append(result.Unfinished, row.ID)
		} else if err != nil {
			return nil, fmt.Errorf("tuning row %q: %w", row.ID, err)
		}
		if len(tried) == 0 {
			continue
		}
		slices.SortStableFunc(tried, func(a, b pipeline.Trial[profile.Row]) int {
			return cmp.Compare(b.Value, a.Value)
		})
		result.Rows, result.Tried[row.ID] = append(result.Rows, tried[0].Row), tried
		slog.Info("tuned", "row", row.ID, "tried", len(tried), "validation", fmt.Sprintf("%.2f", tried[0].Value),
			"end_reached", err == nil)
	}
	var err error
	if result.Measures, err = w.MeasureRows(ctx, result.Rows); err != nil {
		return nil, err
	}
	result.Averages, err = w.TestAverages(ctx, result.Rows, result.Measures, w.GroupDraws)
	return result, err
}

// errBudget ends a search at its deadline.
var errBudget = errors.New("the budget is used up")

// search returns the settings that were tried for a row until nothing improved; with errBudget until the deadline.
func search(
	ctx context.Context, w *pipeline.Workspace, row profile.Row, deadline time.Time,
) (tried []pipeline.Trial[profile.Row], err error) {
	group, err := w.ValidationGroup()
	if err != nil {
		return nil, err
	}
	_, chosen, err := choose(ctx, w, []profile.Row{row}, deadline)
	if err != nil {
		return nil, err
	}
	tried = slices.Clone(chosen[row.ID])
	best, seen := tried[0], map[profile.Row]bool{}
	for _, c := range tried {
		seen[c.Row] = true
	}
	for before := (profile.Row{}); before != best.Row; {
		before = best.Row
		for _, coordinate := range w.Profile.STS.Tune.For(row).Coordinates(row.Method) {
			for _, setting := range w.Profile.Settings(coordinate, best.Row) {
				if seen[setting] {
					continue
				}
				seen[setting] = true
				v, err := store.Get(ctx, w.Store, validationNode(w, setting, group, deadline))
				if err != nil {
					return tried, err
				}
				c := pipeline.Trial[profile.Row]{Row: setting, Estimate: score.Estimate{Value: v.Average}}
				if tried = append(tried, c); c.Value > best.Value {
					best = c
				}
			}
		}
	}
	return tried, nil
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
