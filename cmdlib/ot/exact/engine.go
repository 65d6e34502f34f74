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

var errPenalty = fmt.Errorf("exact: unbalanced transport without regularisation: %w; partial transport it has",
	errors.ErrUnsupported)

// validate checks all but the settings.
func validate(p *ot.Problem) error {
	if p.Penalty != 0 {
		return errPenalty
	}
	q := *p
	q.Settings = ot.Settings{Reg: math.MaxFloat64, MaxIter: 1}
	return q.Validate()
}

func pairPlan(ctx context.Context, p *ot.Problem, pair int) (*ot.Plan, error) {
	source, target, cost := p.Explicit(pair)
	t, result, err := solved(ctx, source, target, cost)
	if err != nil {
		return nil, fmt.Errorf("pair %d: %w", pair, err)
	}
	plan := &ot.Plan{Result: result, Rows: len(source), Cols: len(target), Mass: make([]float64, len(cost))}
	for arc, mass := range t.plan {
		plan.Mass[arc] = mass
	}
	plan.F, plan.G = t.duals(len(source), len(target), cost)
	if plan.Bound = dualValue(source, plan.F, target, plan.G); p.Values {
		plan.Value = plan.Bound
	}
	return plan, nil
}

// Rectangle implements ot.Engine.
func (Engine) Rectangle(ctx context.Context, b *ot.Batch, r *ot.Rectangle) (ot.Result, error) {
	if b.Penalty != 0 {
		return ot.Result{}, errPenalty
	}
	t, result, err := solved(ctx, r.Source, r.Target, r.Cost)
	if err == nil && b.Values {
		f, g := t.duals(len(r.Source), len(r.Target), r.Cost)
		result.Value = dualValue(r.Source, f, r.Target, g)
	}
	return result, err
}

// solved returns the optimal tree of a problem, and what is told of it but for values.
func solved(ctx context.Context, source, target, cost []float64) (*tree, ot.Result, error) {
	t, err := optimum(ctx, source, target, cost)
	if err != nil {
		return nil, ot.Result{}, err
	}
	result := ot.Result{Iterations: t.pivots, Converged: true}
	sums := make([]float64, len(target))
	for arc, mass := range t.plan {
		result.Cost += float64(mass * cost[arc])
		sums[arc%len(target)] += mass
	}
	for j, mass := range target {
		result.MarginalError += math.Abs(sums[j] - mass)
	}
	return t, result, nil
}

// dualValue is Σ a_i f_i + Σ b_j g_j, which is never below 0 but for rounding.
func dualValue(a, f, b, g []float64) (sum float64) {
	for i, x := range a {
		sum += float64(x * f[i])
	}
	for j, x := range b {
		sum += float64(x * g[j])
	}
	return max(0, sum)
}
