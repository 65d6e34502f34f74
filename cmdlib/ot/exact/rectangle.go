package exact

import (
	"context"
	"errors"
	"fmt"
	"math"

	"contextmover/cmdlib/ot"
)

// Rectangle implements ot.Engine.
func (Engine) Rectangle(ctx context.Context, b *ot.Batch, r *ot.Rectangle) (ot.Result, error) {
	if b.Penalty != 0 {
		return ot.Result{}, fmt.Errorf("exact: unbalanced transport without regularisation: %w", errors.ErrUnsupported)
	}
	t, err := optimum(ctx, r.Source, r.Target, r.Cost)
	if err != nil {
		return ot.Result{}, err
	}
	result := ot.Result{Iterations: t.pivots, Converged: true}
	n, m := len(r.Source), len(r.Target)
	sums := make([]float64, m)
	for arc, mass := range t.plan {
		result.Cost += float64(mass * r.Cost[arc])
		sums[arc%m] += mass
	}
	for j, mass := range r.Target {
		result.MarginalError += math.Abs(sums[j] - mass)
	}
	if b.Values {
		source, target := t.duals(n, m, r.Cost)
		for i, a := range r.Source {
			result.Value += float64(a * source[i])
		}
		for j, x := range r.Target {
			result.Value += float64(x * target[j])
		}
		result.Value = max(0, result.Value)
	}
	return result, nil
}
