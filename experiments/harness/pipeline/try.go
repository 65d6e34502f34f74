package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"contextmover/experiments/harness/profile"
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

// Try scores the settings of each of the rows by the nodes that validate returns, and returns those of row r, best
// first, the earlier of equals, as tried[r].
func (w *Workspace) Try(ctx context.Context, rows []profile.Row, settings func(row profile.Row) []profile.Row,
	validate func(setting profile.Row) store.Node[Validation]) (tried [][]Candidate, err error) {
	var all []Candidate
	for _, row := range rows {
		for _, s := range settings(row) {
			all = append(all, Candidate{For: row.ID, Row: s})
		}
	}
	found, order, err := Search(ctx, w.Store, all, func(c Candidate) store.Node[Validation] {
		node := validate(c.Row)
		node.Of = fmt.Sprintf("choosing the settings of row %q", c.For)
		return node
	}, func(v Validation) float64 { return v.Average })
	if err != nil {
		return nil, err
	}
	best := make([]Candidate, len(all))
	for place, i := range order {
		best[place] = all[i]
		best[place].Validation = found[i].Average
	}
	for _, row := range rows {
		own := slices.DeleteFunc(slices.Clone(best), func(c Candidate) bool { return c.For != row.ID })
		slog.Info("chosen", "row", row.ID, "tried", len(own), "validation", fmt.Sprintf("%.1f", own[0].Validation))
		tried = append(tried, own)
	}
	return tried, nil
}

// Search returns what the nodes of settings have, and the order of the settings by what they score: best first, the
// earlier of equals.
func Search[S, T any](ctx context.Context, s *store.Store, settings []S, node func(S) store.Node[T],
	score func(T) float64) (found []T, order []int, err error) {
	nodes := make([]store.Node[T], len(settings))
	for i, setting := range settings {
		nodes[i], order = node(setting), append(order, i)
	}
	if found, err = store.All(ctx, s, nodes); err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score(found[b]), score(found[a])) })
	return found, order, nil
}

// Candidate is one setting tried on the validation group.
type Candidate struct {
	For string // the row it was tried for
	Row profile.Row
	// Validation is the plain mean over the sets of the validation group.
	Validation float64
}
