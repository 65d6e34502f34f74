package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
)

// A Validation is what a setting scores on the sets for validation.
type Validation struct {
	Sets    []float64 `json:"sets,omitempty"`
	Average float64   `json:"average"`
}

// ValidationParts are the files of a Validation.
func ValidationParts(v *Validation) []store.Part {
	return []store.Part{store.JSON("validation.json", v)}
}

// Choose returns the rows, those with select = true with the best of their settings, which keep its id, by the nodes
// that validate returns, and all that was tried.
func (w *Workspace) Choose(ctx context.Context, rows []profile.Row, settings func(row profile.Row) []profile.Row,
	validate func(setting profile.Row) store.Node[Validation],
) (chosen []profile.Row, tried Tried, err error) {
	var all []profile.Row
	for _, row := range rows {
		if row.Select {
			all = append(all, settings(row)...)
		}
	}
	found, err := Search(ctx, w.Store, all, func(setting profile.Row) store.Node[Validation] {
		node := validate(setting)
		node.Subject = fmt.Sprintf("choosing the settings of row %q", setting.ID)
		return node
	}, func(v Validation) score.Estimate { return score.Estimate{Value: v.Average} })
	if err != nil {
		return nil, nil, err
	}
	tried = Tried{}
	for _, t := range found {
		tried[t.Row.ID] = append(tried[t.Row.ID], t)
	}
	for _, row := range rows {
		if row.Select {
			own := tried[row.ID]
			slog.Info("chosen", "row", row.ID, "tried", len(own), "validation", fmt.Sprintf("%.1f", own[0].Value))
			row = own[0].Row
		}
		chosen = append(chosen, row)
	}
	return chosen, tried, nil
}

// Tried has the settings that were tried for rows, best first, the earlier of equals, by the rows' ids.
type Tried map[string][]Trial[profile.Row]

// ValidationGroup returns the group of sentence pairs that settings are chosen on.
func (w *Workspace) ValidationGroup() (profile.Group, error) {
	at := slices.IndexFunc(w.Profile.STS.Groups, func(g profile.Group) bool { return g.Validation })
	if at < 0 {
		return profile.Group{}, fmt.Errorf("profile %s has no group of sentence pairs with validation = true, which "+
			"settings are chosen on", w.Profile.Name)
	}
	return w.Profile.STS.Groups[at], nil
}

// A Trial is a row with one of the settings that are tried for it, and its score where settings are chosen: of
// profile.Row the plain mean over the sets of the validation group, without an interval.
type Trial[R any] struct {
	Row R
	score.Estimate
}

// Search returns rows with what they score by the nodes that they have, best first, the earlier of equals.
func Search[R, T any](ctx context.Context, s *store.Store, rows []R, node func(R) store.Node[T],
	estimate func(T) score.Estimate) (tried []Trial[R], err error) {
	nodes := make([]store.Node[T], len(rows))
	for i, row := range rows {
		nodes[i] = node(row)
	}
	found, err := store.All(ctx, s, nodes)
	for i, f := range found {
		tried = append(tried, Trial[R]{rows[i], estimate(f)})
	}
	slices.SortStableFunc(tried, func(a, b Trial[R]) int { return cmp.Compare(b.Value, a.Value) })
	return tried, err
}
