package cpu

import (
	"context"
	"math"

	"contextmover/cmdlib/ot"
)

// potentialsWindow is how many potentials may be waiting for earlier ones.
const potentialsWindow = 1 << 10

// Potentials implements ot.PotentialsEngine.
func (e Engine) Potentials(
	ctx context.Context, p *ot.Problem, yield func(first int, results []ot.Potentials) error,
) error {
	kernels, err := e.validated(p)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil || len(p.Pairs) == 0 {
		return err
	}
	p = p.Normalised()
	q := &pairs{kernels: kernels, ctx: ctx, p: p, keep: p.Border == nil}
	s := newStream(len(p.Pairs), potentialsWindow, yield)
	size := blockSize(len(p.Pairs), blockRows)
	return s.run(ctx, func() error {
		return q.solve(size,
			func(wait bool) (int, bool, error) { return s.take(wait, func(int) bool { return true }) },
			func(pair int, r ot.Result, found solution) error {
				*s.slot(pair) = potentials(p, pair, r, found, q.keep)
				return s.finish(pair)
			})
	})
}

// potentials are those of a solution: where the divisors of all bins are known, f = −(1−ψ) λ ln K v and, in bins
// without mass, g = −(1−ψ) λ ln Kᵀu.
func potentials(p *ot.Problem, pair int, r ot.Result, found solution, keep bool) ot.Potentials {
	n := p.Cost.K
	if p.Border != nil {
		n++
	}
	all := ot.Potentials{Result: r, G: make([]float64, n)}
	for j := range all.G {
		all.G[j] = found.potential(j)
	}
	if keep {
		if rows, columns := found.divisors(); rows != nil && columns != nil {
			scale := -(1 - p.Slack()) * p.Reg
			for j, g := range all.G {
				if math.IsInf(g, -1) {
					all.G[j] = scale * columns[j]
				}
			}
			for i := range rows {
				rows[i] *= scale
			}
			all.F = rows
			return all
		}
	}
	all.F, all.G = p.Potentials(pair, all.G)
	return all
}
