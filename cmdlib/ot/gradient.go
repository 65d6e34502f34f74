package ot

import (
	"context"
	"fmt"
	"math"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/internal/elementary"
	"contextmover/internal/parallel"
)

// Potentials are the dual potentials of a pair, those of Plan, without the plan.
type Potentials struct {
	Result
	// F and G (length n = K, or K+1 with a border) are as in Plan. They are new for each pair.
	F, G []float64
}

// PotentialsEngine is an Engine that streams potentials. Of others they are those of plans, one after the other.
type PotentialsEngine interface {
	Engine
	// Potentials is Distances, with the potentials of each pair.
	Potentials(ctx context.Context, p *Problem, yield func(first int, results []Potentials) error) error
}

// StreamPotentials solves all pairs of p and calls yield with consecutive potentials, as Engine.Distances does with
// results; the slice is used again after yield returns, F and G are not.
func StreamPotentials(
	ctx context.Context, engine Engine, p *Problem, yield func(first int, results []Potentials) error,
) error {
	if e, ok := engine.(PotentialsEngine); ok {
		return e.Potentials(ctx, p, yield)
	}
	const chunk = 64
	results := make([]Potentials, min(chunk, len(p.Pairs)))
	for first := 0; first < len(p.Pairs); first += chunk {
		n := min(chunk, len(p.Pairs)-first)
		err := parallel.Blocks(ctx, n, 1, func(i, _ int) error {
			plan, err := engine.Plan(ctx, p, first+i)
			if err == nil {
				results[i] = Potentials{plan.Result, plan.F, plan.G}
			}
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

// Gradient is a weighted sum of values of pairs with its derivatives. They are those of the converged values, by the
// envelope theorem (see Plan): after few iterations they are off by about the marginal errors.
type Gradient struct {
	// Value is Σ_p w_p·value_p.
	Value float64
	// Rows (N×K) is the derivative in each histogram, 0 for those that no pair uses. Along histograms, which sum to 1,
	// the constant in it does not matter.
	Rows []float64
	// Cost (K×K) is that in the cost: Σ_p w_p T_p, kept once.
	Cost []float64
}

// ValueGradient returns Σ_p w_p OT_λ(a_p, b_p), or with Penalty that of (9), over all pairs of p, with its gradient.
// The weights, one a pair, may have any sign. It takes 2K² operations a pair on top of solving it. p must have no
// border. The errors are those of the engine, among them that it has no values.
func ValueGradient(ctx context.Context, engine Engine, p *Problem, weights []float64) (*Gradient, error) {
	switch {
	case p.Border != nil:
		return nil, fmt.Errorf("ot: gradients of a batch with a border; those of a pair are in its plan")
	case len(weights) != len(p.Pairs):
		return nil, fmt.Errorf("ot: %d weights for %d pairs", len(weights), len(p.Pairs))
	}
	for i, w := range weights {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("ot: the weight of pair %d is %v, want a finite number", i, w)
		}
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	asked := *p
	asked.Values = true
	p = asked.Normalised()
	s := newGradientSum(p)
	err := StreamPotentials(ctx, engine, p, func(first int, results []Potentials) error {
		for i := range results {
			s.add(p.Pairs[first+i], weights[first+i], &results[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.flush()
	return &s.Gradient, nil
}

// gradientChunk is how many plans are summed by one product.
const gradientChunk = 128

// gradientSum adds up gradients. The plans of a chunk, T_ij = u_i exp(−M_ij/λ) v_j, are summed before the kernel is
// multiplied in: Σ_p w_p u_p v_pᵀ is a product of matrices.
type gradientSum struct {
	Gradient
	p      *Problem
	kernel []float64 // exp(−M/λ), nil where its range may not do
	u, v   []float64 // rows of the chunk
	sum    []float64 // K×K
}

func newGradientSum(p *Problem) *gradientSum {
	k := p.Cost.K
	s := &gradientSum{p: p, Gradient: Gradient{Rows: make([]float64, len(p.Rows.Data)), Cost: make([]float64, k*k)}}
	largest := float32(0)
	for _, c := range p.Cost.Data {
		largest = max(largest, c)
	}
	// Potentials are within the range of costs, times two: exp(−M/λ) and both scalings stay far from the ends.
	if float64(largest)/p.Reg < 100 {
		s.kernel, s.sum = make([]float64, k*k), make([]float64, k*k)
		for i, c := range p.Cost.Data {
			s.kernel[i] = elementary.Exp(-float64(c) / p.Reg)
		}
	}
	return s
}

func (s *gradientSum) add(pair Pair, weight float64, r *Potentials) {
	p, k := s.p, s.p.Cost.K
	s.Value += float64(weight * r.Value)
	source, target := s.Rows[int(pair.Source)*k:][:k], s.Rows[int(pair.Target)*k:][:k]
	for i, f := range r.F {
		source[i] += float64(weight * p.slope(f))
	}
	for j, g := range r.G {
		target[j] += float64(weight * p.slope(g))
	}
	a, b := p.Rows.Row(int(pair.Source)), p.Rows.Row(int(pair.Target))
	if s.kernel == nil {
		for i, x := range a {
			if x == 0 {
				continue
			}
			for j, y := range b {
				if y > 0 {
					log := (r.F[i] + r.G[j] - float64(p.Cost.Data[i*k+j])) / p.Reg
					s.Cost[i*k+j] += float64(weight * float64(x) * float64(y) * elementary.Exp(log))
				}
			}
		}
		return
	}
	// What moves from F to G keeps both scalings near 1.
	shift := 0.0
	for i, x := range a {
		shift += float64(float64(x) * r.F[i])
	}
	for i, x := range a {
		s.u = append(s.u, scaling(x, r.F[i]-shift, p.Reg)*weight)
	}
	for j, y := range b {
		s.v = append(s.v, scaling(y, r.G[j]+shift, p.Reg))
	}
	if len(s.u) == gradientChunk*k {
		s.flush()
	}
}

// scaling is mass·exp(f/λ).
func scaling(mass float32, f, reg float64) float64 {
	if mass == 0 {
		return 0
	}
	return float64(mass) * elementary.Exp(f/reg)
}

// slope is the derivative of the value in a mass of the potential f.
func (p *Problem) slope(f float64) float64 {
	if p.Slack() == 0 {
		return f
	}
	return -(p.Penalty + p.Reg) * elementary.Expm1(-f/p.Penalty)
}

// flush adds the plans of the chunk.
func (s *gradientSum) flush() {
	k := s.p.Cost.K
	n := len(s.u) / k
	if n == 0 {
		return
	}
	gemm.Mul(gemm.Matrix[float64]{Rows: k, Cols: k, Stride: k, Data: s.sum},
		gemm.Matrix[float64]{Rows: k, Cols: n, Stride: k, Data: s.u, Transposed: true},
		gemm.Matrix[float64]{Rows: n, Cols: k, Stride: k, Data: s.v})
	for i, x := range s.sum {
		s.Cost[i] += float64(x * s.kernel[i])
	}
	s.u, s.v = s.u[:0], s.v[:0]
}
