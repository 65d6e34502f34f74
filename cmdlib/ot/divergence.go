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
	q, self, err := p.withSelves()
	if err != nil {
		return nil, err
	}
	results, err := Distances(ctx, engine, q)
	if err != nil {
		return nil, err
	}
	all := make([]Divergence, len(p.Pairs))
	for i, pair := range p.Pairs {
		source, target := results[self[pair.Source]], results[self[pair.Target]]
		all[i] = Divergence{results[i].Value - float64((source.Value+target.Value)/2), results[i], source, target}
	}
	return all, nil
}

// withSelves returns a copy of p that asks for values and in which each row in use is also paired with itself, after
// the pairs of p, together with the index of each row's own pair.
func (p *Problem) withSelves() (*Problem, map[int32]int, error) {
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	if err := p.Cost.validateSymmetry("the Sinkhorn divergence needs"); err != nil {
		return nil, nil, err
	}
	q := *p
	q.Values = true
	q.Pairs = append(make([]Pair, 0, 2*len(p.Pairs)), p.Pairs...)
	self := make(map[int32]int)
	for _, pair := range p.Pairs {
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
