package ottest

import (
	"math"

	"contextmover/cmdlib/ot"
)

// unbalanced: agreement with the reference at any λ and ρ, nothing but finite numbers, the first-order condition
// of (9), a plan of the form (5), and the limits: balanced for large ρ, a_i b_j exp(−M_ij/λ) for small ones.
func (s *suite) unbalanced() {
	const k = 7
	p := s.draw(4, k, 0.2, 20, true)
	p.Pairs, p.Penalty = p.Pairs[:8], 0.5
	if s.lacks(Penalty) {
		s.unsupported(s.distancesOf(p), s.planOf(p, 0))
		return
	}
	for _, p.Border = range []*ot.Border{s.border(p, 0.3), nil} {
		for _, p.Reg = range []float64{1e6, 1, 0.1, 1e-3, 1e-6} {
			for _, p.Penalty = range []float64{1e-300, 1e-9, 1e-3, 0.1, 1, 1e3, 1e12, 1e300} {
				s.agreeOnDistances(p)
				for i, r := range s.distances(p) {
					s.check(r.Moved >= 0 && r.Moved <= 1+8*tolerance(k), "pair %d: mass %v", i, r.Moved)
				}
			}
		}
	}

	p.Reg, p.MaxIter = 0.2, 500
	for i := range p.Pairs {
		source, target, costs := p.Explicit(i)
		p.Penalty = 0.3
		plan := s.plan(p, i)
		s.makes(p, i, plan, 1e-5)
		rows, columns := sums(plan)
		// At the optimum ρ ln(sum/mass) is minus the potential.
		for b := range k {
			r, c := source[b]*math.Exp(-plan.F[b]/p.Penalty), target[b]*math.Exp(-plan.G[b]/p.Penalty)
			s.near("the sum of a row", rows[b], r, 1e-4*r+1e-12)
			s.near("the sum of a column", columns[b], c, 1e-4*c+1e-12)
		}
		s.near("the bound", plan.Bound, 0, 0)

		p.Penalty = 0
		best := s.plan(p, i)
		p.Penalty = 1e7
		large := s.plan(p, i)
		// What is missing of balance is of the order of cost/ρ.
		tol := tolerance(k)*largestCost(p) + 1e-5
		s.near("the cost", large.Cost, best.Cost, tol)
		s.near("the mass", large.Moved, 1, tol)
		s.near("the value", large.Value, best.Value, tol)
		p.Penalty = 1e-7
		for at, x := range s.plan(p, i).Mass {
			want := source[at/k] * target[at%k] * math.Exp(-costs[at]/p.Reg)
			s.near("mass at a small penalty", x, want, 1e-4*want+1e-30)
		}
	}
	// None of what costs anything is left where λ is small as well.
	p.Reg, p.Penalty = 1e-3, 1e-6
	for _, r := range s.distances(p) {
		s.near("the cost where nothing is worth moving", r.Cost, 0, 1e-3)
	}
}

// littleMoves: what is said to be converged is as near to the limit where hardly any mass moves as where most does.
func (s *suite) littleMoves() {
	if s.lacks(Penalty) {
		return
	}
	const k = 6 // of which the source has the first half and the target the second
	p := &ot.Problem{
		Rows:  ot.Histograms{K: k, Data: []float32{0.5, 0.3, 0.2, 0, 0, 0, 0, 0, 0, 0.6, 0.1, 0.3}},
		Pairs: []ot.Pair{{Source: 0, Target: 1}}, Penalty: 0.5,
	}
	for _, far := range []float64{0.1, 6, 20} {
		p.Cost = costs(k, func(i, j int) float64 { return far + 0.3*float64((2*i+3*j)%5) })
		for _, reg := range []float64{0.05, 0.5} {
			p.Settings = ot.Settings{Reg: reg, MaxIter: 20_000, Tol: 1e-12}
			want := s.reference().distances(p)[0]
			p.Tol = 1e-5
			got := s.distances(p)[0]
			// An iteration multiplies what is left by (1−ψ)² or less.
			tol := 2 * p.Tol / (1 - math.Pow(1-p.Slack(), 2))
			s.check(got.Converged, "%+v", got)
			s.near("the mass", got.Moved, want.Moved, tol*want.Moved)
			s.near("the cost", got.Cost, want.Cost, tol*want.Cost)
		}
	}
}
