package ot

import (
	"context"
	"fmt"
	"math"
)

// Divergence is the Sinkhorn divergence of a pair and what it was computed from.
type Divergence struct {
	// Value is, with OT_λ of (4), in the units of the cost,
	//
	//	S_λ(a, b) = OT_λ(a, b) − ½ OT_λ(a, a) − ½ OT_λ(b, b)                            (7)
	//
	// [Genevay, Peyré, Cuturi 2018; in this form Feydy et al. 2019, equation 3].
	Value float64
	// Between is the result of the pair, Source and Target those of each row with itself; their Values make (7).
	Between, Source, Target Result
}

// Divergences returns the Sinkhorn divergences (7) of all pairs of p, in their order. It takes away from OT_λ what
// λ alone makes of it: OT_λ(a, a) is not 0, as the plan is blurred. For λ → 0 the divergence becomes the transport
// cost without regularisation, for λ → ∞ half of the squared energy distance, Σ (a−b)_i (b−a)_j M_ij / 2.
//
// It is exactly 0 for equal rows, after any number of iterations. At convergence it is never negative, and 0 for
// equal rows alone, if no cost is negative and exp(−M/λ) is positive definite [Feydy et al. 2019, theorem 1]: so
// for distances of points in a Euclidean space, their squares, and angles. A clipped cost may miss that by the
// order of λ·exp(−clip/λ). Before convergence, and within the rounding of Result.Value, it may be below 0.
//
// The cost, and what a border adds to it, must be symmetric. Each row in use is solved once with
// itself, on top of the pairs; with a border its point costs nothing to reach from itself. The
// errors are those of the engine, and one that is ErrAsymmetric. 1,000,000 pairs take 200 MB.
func Divergences(ctx context.Context, engine Engine, p *Problem) ([]Divergence, error) {
	q, self, err := p.withSelves(p.Pairs)
	if err != nil {
		return nil, err
	}
	results, err := Distances(ctx, engine, q)
	if err != nil {
		return nil, err
	}
	all := make([]Divergence, len(p.Pairs))
	for i, pair := range p.Pairs {
		all[i] = newDivergence(results[i], results[self[pair.Source]], results[self[pair.Target]])
	}
	return all, nil
}

func newDivergence(between, source, target Result) Divergence {
	return Divergence{between.Value - float64((source.Value+target.Value)/2), between, source, target}
}

// Slope is a Sinkhorn divergence with its gradient.
type Slope struct {
	Divergence
	// Source and Target (length n = K, or K+1 with a border, whose points come first) are the gradient in
	// the two histograms, up to a constant along histograms, which sum to 1: f − ½(f' + g') with the
	// potentials (5) of the pair and of the row with itself. Cost (n×n) is that in the cost: the plan of the
	// pair minus half of each row's with itself. The envelope theorem holds at convergence alone; see Plan.
	Source, Target, Cost []float64
}

// DivergenceSlope returns the Sinkhorn divergence of one pair
// of p and its gradient. Its errors are those of Divergences.
func DivergenceSlope(ctx context.Context, engine Engine, p *Problem, pair int) (*Slope, error) {
	if err := p.ValidatePair(pair); err != nil {
		return nil, err
	}
	one := *p
	one.Pairs = p.Pairs[pair : pair+1]
	if p.Border != nil {
		border := *p.Border
		border.Between = border.Between[pair : pair+1]
		one.Border = &border
	}
	q, self, err := one.withSelves(one.Pairs)
	if err != nil {
		return nil, err
	}
	plan := func(i int) (*Plan, error) { return engine.Plan(ctx, q, i) }
	between, err := plan(0)
	if err != nil {
		return nil, err
	}
	source, err := plan(int(self[one.Pairs[0].Source]))
	if err != nil {
		return nil, err
	}
	target, err := plan(int(self[one.Pairs[0].Target]))
	if err != nil {
		return nil, err
	}
	s := &Slope{
		Divergence: newDivergence(between.Result, source.Result, target.Result), Source: between.F, Target: between.G,
		Cost: between.Mass,
	}
	for i := range s.Source {
		s.Source[i] -= float64((source.F[i] + source.G[i]) / 2)
		s.Target[i] -= float64((target.F[i] + target.G[i]) / 2)
	}
	for i := range s.Cost {
		s.Cost[i] -= float64((source.Mass[i] + target.Mass[i]) / 2)
	}
	return s, nil
}

// withSelves returns p with pairs of each row in use with itself behind
// its own, which ask for values, and where the pair of each row is.
func (p *Problem) withSelves(pairs []Pair) (*Problem, map[int32]int, error) {
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	if err := p.Cost.validateSymmetry("the Sinkhorn divergence needs"); err != nil {
		return nil, nil, err
	}
	q := *p
	q.Values = true
	q.Pairs = append(make([]Pair, 0, 2*len(pairs)), pairs...)
	self := make(map[int32]int)
	for _, pair := range pairs {
		for _, row := range [2]int32{pair.Source, pair.Target} {
			if _, ok := self[row]; !ok {
				self[row] = len(q.Pairs)
				q.Pairs = append(q.Pairs, Pair{row, row})
			}
		}
	}
	if p.Border != nil {
		if err := p.Border.validateSymmetry(p.Rows.K, self); err != nil {
			return nil, nil, err
		}
		border := *p.Border
		border.Between = append(make([]float32, 0, len(q.Pairs)), border.Between...)[:len(q.Pairs)]
		q.Border = &border
	}
	return &q, self, nil
}

// validateSymmetry returns an error if it does not cost the same from the point of a row and to it.
func (b *Border) validateSymmetry(k int, rows map[int32]int) error {
	for row := range rows {
		from, to := b.FromPoint[int(row)*k:][:k], b.ToPoint[int(row)*k:][:k]
		for j, x := range from {
			if math.Abs(float64(x)-float64(to[j])) > symmetryTolerance*float64(max(x, to[j])) {
				return fmt.Errorf("ot: the Sinkhorn divergence needs %w, but it is %v from the point of row %d to "+
					"bin %d and %v back",
					ErrAsymmetric, x, row, j, to[j])
			}
		}
	}
	return nil
}
