// Package reference solves transport problems with obvious loops in float64, in the
// log domain throughout: the oracle that other engines are compared with. It is
// exact to rounding for every λ, and a few hundred times slower than the engine
// cpu: a distance costs 2·K² exponentials an iteration.
//
// Bins without mass are left out, which is equivalent to (1) of package ot.
package reference

import (
	"context"
	"math"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/internal/overrelax"
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
	results := make([]ot.Result, min(chunk, len(p.Pairs)))
	for first := 0; first < len(p.Pairs); first += chunk {
		n := min(chunk, len(p.Pairs)-first)
		err := parallel.Blocks(ctx, n, 1, func(i, _ int) error {
			s := newScaling(p, first+i)
			err := s.solve(ctx, p)
			results[i] = s.Result
			return err
		})
		if err != nil {
			return err
		}
		if err := yield(first, results[:n]); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Plan implements ot.Engine.
func (Engine) Plan(ctx context.Context, p *ot.Problem, pair int) (*ot.Plan, error) {
	if err := p.CheckPair(pair); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	s := newScaling(p, pair)
	if err := s.solve(ctx, p); err != nil {
		return nil, err
	}
	mass, potential := s.Whole(s.plan,
		func(j int) float64 { return s.reg * (s.g[j] - elementary.Log(s.Target[j])) })
	return p.Plan(pair, s.Result, mass, potential), nil
}

// scaling is one pair's problem on the bins that carry mass: the plan is
// T_ij = exp(f_i + g_j − M_ij/λ).
type scaling struct {
	*ot.Support
	reg   float64
	f, g  []float64 // logarithms of the scalings u and v
	terms []float64
	ot.Result
}

func newScaling(p *ot.Problem, pair int) *scaling {
	s := p.Support(pair)
	n, m := len(s.Source), len(s.Target)
	return &scaling{
		Support: s, reg: p.Reg, f: make([]float64, n), g: make([]float64, m), terms: make([]float64, max(n, m)),
	}
}

func (s *scaling) plan(i, j int) float64 {
	return elementary.Exp(s.f[i] + s.g[j] - s.Support.Cost[i*len(s.g)+j]/s.reg)
}

// column is ln (Kᵀu)_j.
func (s *scaling) column(j int) float64 {
	for i, f := range s.f {
		s.terms[i] = f - s.Support.Cost[i*len(s.g)+j]/s.reg
	}
	return logSumExp(s.terms[:len(s.f)])
}

func (s *scaling) solve(ctx context.Context, p *ot.Problem) error {
	// Logarithms of the divisors (K v)_i and of the next (Kᵀu)_j.
	slack, rows, columns := p.Slack(), make([]float64, len(s.f)), make([]float64, len(s.g))
	relaxing := p.Accelerate && p.Tol > 0 && p.Penalty == 0
	var pace overrelax.Pace
	for s.Iterations < p.MaxIter && !s.Converged {
		if err := ctx.Err(); err != nil {
			return err
		}
		omega := 1.
		if relaxing && s.Iterations > 0 {
			omega = pace.Omega()
		}
		for j, b := range s.Target {
			s.g[j] = relaxed(s.g[j], elementary.Log(b)-float64((1-slack)*s.column(j)), omega)
		}
		s.Iterations++
		looked := s.Iterations%10 == 0 || s.Iterations == p.MaxIter
		switch {
		case looked: // the plan must have the row sums a
			omega = 1
		case relaxing:
			omega = pace.Omega()
		}
		for i, a := range s.Source {
			for j, g := range s.g {
				s.terms[j] = g - s.Support.Cost[i*len(s.g)+j]/s.reg
			}
			divisor := logSumExp(s.terms[:len(s.g)])
			s.f[i], rows[i] = relaxed(s.f[i], elementary.Log(a)-float64((1-slack)*divisor), omega), divisor
		}
		if looked {
			difference, moved := 0.0, 0.0
			for j, b := range s.Target {
				columns[j] = s.column(j)
				sum := elementary.Exp(s.g[j] + columns[j])
				difference += math.Abs(sum - float64(b*elementary.Exp(slack*columns[j])))
				moved += sum
			}
			s.MarginalError = p.MarginalError(difference, moved)
			s.Converged = p.Tol > 0 && s.MarginalError <= p.Tol
			pace.Look(s.Iterations, s.MarginalError)
		}
	}
	for i := range s.Source {
		for j := range s.Target {
			mass := s.plan(i, j)
			s.Result.Cost += float64(mass * s.Support.Cost[i*len(s.g)+j])
			if p.Penalty > 0 {
				s.Moved += mass
			}
		}
	}
	switch {
	case !p.Values:
	case slack > 0:
		s.Value = p.UnbalancedValue(s.Source, rows, s.Target, columns)
	default:
		for i, a := range s.Source {
			s.Value += float64(s.reg * a * (s.f[i] - elementary.Log(a)))
		}
		for j, b := range s.Target {
			s.Value += float64(s.reg * b * (s.g[j] - elementary.Log(b)))
		}
	}
	return nil
}

// relaxed relaxes the logarithm of a scaling.
func relaxed(old, next, omega float64) float64 {
	if omega == 1 {
		return next
	}
	return math.Ln2 * overrelax.Log2(old/math.Ln2, next/math.Ln2, omega)
}

// logSumExp returns ln Σ exp(x_i) for finite x_i.
func logSumExp(x []float64) float64 {
	largest := x[0]
	for _, y := range x {
		largest = max(largest, y)
	}
	var sum float64
	for _, y := range x {
		sum += elementary.Exp(y - largest)
	}
	return largest + elementary.Log(sum)
}
