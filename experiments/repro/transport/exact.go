package transport

import (
	"context"
	"fmt"
	"math"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/parallel"
)

// chunk is how many pairs are solved between two calls of yield.
const chunk = 64

// exactDistances solves all pairs without regularisation. It calls yield with their number and the results of some,
// in order.
func exactDistances(ctx context.Context, p *pairs[float64], yield func(n int, results []ot.Result) error) error {
	for first := 0; first < p.n; first += chunk {
		results := make([]ot.Result, min(chunk, p.n-first))
		if err := parallel.Blocks(ctx, len(results), 1, func(i, _ int) error {
			plan, err := exactPlan(ctx, p, first+i)
			if err == nil {
				results[i] = plan.Result
			}
			return err
		}); err != nil {
			return err
		}
		if err := yield(p.n, results); err != nil {
			return err
		}
	}
	return nil
}

// exactPlan solves pair i. Its costs and masses are those of the files, to the last bit, but for the sums of the two
// histograms, which are made 1.
func exactPlan(ctx context.Context, p *pairs[float64], i int) (*ot.Plan, error) {
	a, b := p.pair(i)
	source, target := normalised(p.a[a*p.k:][:p.k]), normalised(p.b[b*p.k:][:p.k])
	r, err := exact.Solve(ctx, source, target, p.cost)
	if err != nil {
		return nil, cli.BadData(fmt.Errorf("%s, pair %d: %w", p.file, i, err))
	}

	t := &ot.Plan{Rows: p.k, Cols: p.k, Mass: r.Plan, F: r.U, G: r.V}
	t.Result = ot.Result{Cost: r.Cost, Iterations: r.Pivots, Converged: true}
	for j, want := range target {
		var column float64
		for i := range source {
			column += r.Plan[i*p.k+j]
		}
		t.MarginalError += math.Abs(column - want)
	}
	return t, nil
}

// normalised returns a histogram divided by its sum.
func normalised(row []float64) []float64 {
	total := sum(row)
	scaled := make([]float64, len(row))
	for i, x := range row {
		scaled[i] = x / total
	}
	return scaled
}
