// Package reference solves transport problems with obvious loops in float64, in the
// log domain throughout: the oracle that other engines are compared with. It is
// exact to rounding for every λ, and a few hundred times slower than the engine
// cpu: a distance costs 2·K² exponentials an iteration.
//
// Bins without mass are left out, which is equivalent to (1) of package ot.
package reference

import (
	"context"
	"slices"
	"sync"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/internal/limit"
	"contextmover/cmdlib/ot/internal/scaling"
	"contextmover/internal/elementary"
	"contextmover/internal/parallel"
)

// Engine is the reference implementation of ot.Engine.
type Engine struct{}

// New returns the engine.
func New() Engine { return Engine{} }

// Name returns "reference".
func (Engine) Name() string { return "reference" }

// Prepare returns the engine: it keeps nothing.
func (e Engine) Prepare(ot.Cost) ot.Engine { return e }

// Rectangle implements ot.Engine.
func (e Engine) Rectangle(ctx context.Context, b *ot.Batch, r *ot.Rectangle) (ot.Result, error) {
	return r.Solve(ctx, e, b)
}

// chunk is how many problems are solved between two calls of yield.
const chunk = 64

// Distances implements ot.Engine.
func (Engine) Distances(ctx context.Context, p *ot.Problem, yield func(first int, results []ot.Result) error) error {
	if err := p.Validate(); err != nil {
		return err
	}
	return parallel.Chunks(ctx, len(p.Pairs), chunk, 1, func(pair int) (ot.Result, error) {
		s, err := scaling.Pair(ctx, p, pair, softmins)
		if err != nil {
			return ot.Result{}, err
		}
		return s.Result, nil
	}, yield)
}

// Plan implements ot.Engine.
func (Engine) Plan(ctx context.Context, p *ot.Problem, pair int) (*ot.Plan, error) {
	if err := p.CheckPair(pair); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	s, err := scaling.Pair(ctx, p, pair, softmins)
	if err != nil {
		return nil, err
	}
	return p.Plan(pair, s.Result, s.Mass, s.Potential), nil
}

// Barycenters implements ot.Engine.
func (Engine) Barycenters(
	ctx context.Context, p *ot.BarycenterProblem, yield func(first int, results []ot.Barycenter) error,
) error {
	if err := p.Validate(); err != nil {
		return err
	}
	solver := &scaling.Barycenters{
		BarycenterProblem: p, Softmin: softmins, Precision: limit.Double,
		Rates: sync.OnceValue(func() limit.Rates { return limit.NewRates(p) }),
	}
	return parallel.Chunks(ctx, len(p.Offsets)-1, chunk, 1, func(group int) (ot.Barycenter, error) {
		return solver.Solve(ctx, group, make([]float32, p.Cost.K))
	}, yield)
}

// softmin computes soft minima of a cost as they are written.
type softmin struct {
	cost  func(i, j int) float64
	terms []float64
}

func softmins(n, m int, cost func(i, j int) float64) scaling.Softmin {
	return &softmin{cost, make([]float64, max(n, m))}
}

// Columns implements scaling.Softmin.
func (s *softmin) Columns(dst, f []float64) {
	for j := range dst {
		for i, x := range f {
			s.terms[i] = x - s.cost(i, j)
		}
		dst[j] = logSum(s.terms[:len(f)])
	}
}

// Rows implements scaling.Softmin.
func (s *softmin) Rows(dst, g []float64) {
	for i := range dst {
		for j, x := range g {
			s.terms[j] = x - s.cost(i, j)
		}
		dst[i] = logSum(s.terms[:len(g)])
	}
}

// logSum returns log2 Σ 2^x_i for finite x_i.
func logSum(x []float64) float64 {
	largest := slices.Max(x)
	var sum float64
	for _, y := range x {
		sum += elementary.Exp2(y - largest)
	}
	return largest + elementary.Log2(sum)
}
