package exact

import (
	"context"
	"errors"
	"fmt"
	"math"

	"contextmover/cmdlib/ot"
	"contextmover/internal/parallel"
)

// Engine is an ot.Engine that solves pairs by Solve. Problem.Settings are not used: there is no
// regularisation, and every result is converged. Result.Iterations are pivots, and Plan.Bound
// and Result.Value are the value of the dual solution, Plan.F and Plan.G. It has no barycenters.
type Engine struct{}

// New returns the engine.
func New() Engine { return Engine{} }

// Name returns "exact".
func (Engine) Name() string { return "exact" }

// Prepare returns the engine: it keeps nothing.
func (e Engine) Prepare(ot.Cost) ot.Engine { return e }

// chunk is how many pairs are solved between two calls of yield.
const chunk = 64

// Distances implements ot.Engine.
func (e Engine) Distances(ctx context.Context, p *ot.Problem, yield func(first int, results []ot.Result) error) error {
	if err := validate(p); err != nil {
		return err
	}
	return parallel.Chunks(ctx, len(p.Pairs), chunk, 1, func(pair int) (ot.Result, error) {
		plan, err := pairPlan(ctx, p, pair)
		if err != nil {
			return ot.Result{}, err
		}
		return plan.Result, nil
	}, yield)
}

// Plan implements ot.Engine.
func (Engine) Plan(ctx context.Context, p *ot.Problem, pair int) (*ot.Plan, error) {
	if err := validate(p); err != nil {
		return nil, err
	}
	if err := p.CheckPair(pair); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return pairPlan(ctx, p, pair)
}

// Barycenters returns an error that is errors.ErrUnsupported.
func (Engine) Barycenters(context.Context, *ot.BarycenterProblem, func(int, []ot.Barycenter) error) error {
	return fmt.Errorf("exact: barycenters without regularisation: %w", errors.ErrUnsupported)
}

// validate checks all but the settings.
func validate(p *ot.Problem) error {
	if p.Penalty != 0 {
		return fmt.Errorf("exact: unbalanced transport without regularisation: %w; partial transport it has",
			errors.ErrUnsupported)
	}
	q := *p
	q.Settings = ot.Settings{Reg: math.MaxFloat64, MaxIter: 1}
	return q.Validate()
}

func pairPlan(ctx context.Context, p *ot.Problem, pair int) (*ot.Plan, error) {
	source, target, cost := p.Explicit(pair)
	r, err := Solve(ctx, source, target, cost)
	if err != nil {
		return nil, fmt.Errorf("pair %d: %w", pair, err)
	}
	n := len(target)
	plan := &ot.Plan{Rows: len(source), Cols: n, Mass: r.Plan, F: r.U, G: r.V}
	plan.Result = ot.Result{Cost: r.Cost, Iterations: r.Pivots, Converged: true}
	for i, a := range source {
		plan.Bound += float64(a * r.U[i])
	}
	for j, b := range target {
		plan.Bound += float64(b * r.V[j])
		sum := 0.0
		for i := range source {
			sum += r.Plan[i*n+j]
		}
		plan.MarginalError += math.Abs(sum - b)
	}
	plan.Bound = max(0, plan.Bound)
	if p.Values {
		plan.Value = plan.Bound
	}
	return plan, nil
}
