package hypernymy

import (
	"context"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
)

// withGeometry is a row of CMD with another ground cost: discrete, where every move between two
// clusters costs the mean of the true costs and staying costs nothing, or shuffled, where each
// cluster has the centroid of another. Neither is true any more of the words that a context stands
// for; discrete is the same both ways too, so that it cannot tell which of two terms is the wider.
func (r Row) withGeometry(geometry string) Row {
	cmd := r.Method.(CMD)
	cmd.Geometry = geometry
	r.Method, r.Key, r.Label = cmd, r.Key+", "+geometry, r.Label+", "+geometry+" cost"
	return r
}

// Geometries measures the first row of CMD with its own cost, with the shuffled and with the
// discrete one: Rows of the result, in this order. Only Sets, Rows and Measures are set.
func Geometries(ctx context.Context, w *pipeline.Workspace) (*Result, error) {
	row := paperRows(w)[1]
	h := &Result{
		Sets:     w.Profile.Hypernymy.Sets,
		Rows:     []Row{row, row.withGeometry(method.Shuffled), row.withGeometry(method.Discrete)},
		Measures: map[string]Measured{},
	}
	return h, h.score(ctx, w, h.Rows)
}
