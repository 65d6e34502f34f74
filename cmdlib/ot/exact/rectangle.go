package exact

import (
	"context"
	"errors"
	"fmt"
	"math"

	"contextmover/cmdlib/ot"
)

// Rectangle implements ot.RectangleEngine.
func (Engine) Rectangle(ctx context.Context, b *ot.Batch, r *ot.Rectangle) (ot.Result, error) {
	if b.Penalty != 0 {
		return ot.Result{}, fmt.Errorf("exact: unbalanced transport without regularisation: %w", errors.ErrUnsupported)
	}
	solved, err := Solve(ctx, r.Source, r.Target, r.Cost)
	if err != nil {
		return ot.Result{}, err
	}
	result := ot.Result{Cost: solved.Cost, Iterations: solved.Pivots, Converged: true}
	m := len(r.Target)
	for j, mass := range r.Target {
		sum := 0.0
		for i := range r.Source {
			sum += solved.Plan[i*m+j]
		}
		result.MarginalError += math.Abs(sum - mass)
	}
	if b.Values {
		for i, a := range r.Source {
			result.Value += float64(a * solved.U[i])
		}
		for j, x := range r.Target {
			result.Value += float64(x * solved.V[j])
		}
		result.Value = max(0, result.Value)
	}
	return result, nil
}
