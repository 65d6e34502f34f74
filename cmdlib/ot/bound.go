package ot

import (
	"math"

	"contextmover/internal/elementary"
)

// bound returns a lower bound of Σ S_ij M_ij over all plans S of a pair, including the regularised and the optimal one.
// It is computed from the potentials of a plan (5), converged or not. f_i + λ ln a_i where a_i > 0 is made a solution
// of the dual problem by c-transforms, g_j = min_i (M_ij − f_i) and f_i = min_j (M_ij − g_j); by weak duality
//
//	Bound = Σ a_i f_i + Σ b_j g_j ≤ Σ S_ij M_ij
//
// up to rounding. It is never negative, as costs are not. At convergence
// Cost − Bound ≤ 2 λ ln n over n bins: what is left of it is due to λ, and the rest to iterations that are missing.
// p must be valid; the time is O(K²). It is 0 with a penalty, whose plans have other sums.
func (p *Problem) bound(pair int, plan *Plan) float64 {
	if p.Penalty > 0 {
		return 0
	}
	a, b, cost := p.Explicit(pair)
	n := len(a)
	f, g := make([]float64, n), make([]float64, n)
	for j := range g {
		g[j] = math.Inf(1)
	}
	for i, x := range a {
		if x == 0 {
			continue
		}
		f := plan.F[i] + float64(p.Reg*elementary.Log(x))
		for j, c := range cost[i*n:][:n] {
			g[j] = min(g[j], c-f)
		}
	}
	sum := 0.0
	for i := range f {
		f[i] = math.Inf(1)
		for j, y := range g {
			f[i] = min(f[i], cost[i*n+j]-y)
		}
		sum += float64(a[i] * f[i])
	}
	for j, y := range g {
		sum += float64(b[j] * y)
	}
	return max(0, sum)
}
