package ottest

import (
	"math"
	"slices"

	"contextmover/cmdlib/ot"
)

// convergence checks the stopping rules: when they are looked at, and that they hold.
func (s *suite) convergence() {
	p := s.draw(6, 20, 0.2, 205, true)
	p.Tol = 1e-3
	want := s.reference().distances(p)
	looked := func(iterations, reference, first int) {
		s.Helper()
		s.check(iterations%10 == first || iterations == p.MaxIter, "looked at after %d iterations", iterations)
		// Rounding may move the moment by one look.
		s.near("the number of iterations", float64(iterations), float64(reference), 10)
	}
	for i, r := range s.distances(p) {
		looked(r.Iterations, want[i].Iterations, 0)
		s.check(r.Converged == (r.MarginalError <= p.Tol) && (r.Converged || r.Iterations == p.MaxIter),
			"pair %d: %+v does not follow the rule", i, r)
	}
	p.Accelerate = true
	for i, r := range s.distances(p) {
		s.check((r.Iterations%10 == 0 || r.Iterations == p.MaxIter) && (r.Converged || !want[i].Converged),
			"accelerated pair %d: %+v, reference %+v", i, r, want[i])
		if want[i].Converged {
			// Each of two plans has at most Tol in the wrong place.
			s.near("the accelerated cost", r.Cost, want[i].Cost, 4*p.Tol*largestCost(p))
		}
		source, _, _ := p.Explicit(i)
		rows, _ := sums(s.plan(p, i))
		for b, x := range rows {
			s.near("the sum of an accelerated row", x, source[b], tolerance(20))
		}
	}
	p.Accelerate = false
	g := s.groups(s.draw(6, 20, p.Reg, p.MaxIter, false), 1, 2, 3, 4, 5, 6)
	g.Settings = p.Settings
	for _, g.Debiased = range []bool{false, true} {
		want := s.reference().barycenters(g)
		for i, r := range s.barycenters(g) {
			looked(r.Iterations, want[i].Iterations, 1)
			settled := r.Spread <= g.Tol
			s.check(settled || !r.Converged && r.Iterations == g.MaxIter, "group %d: %+v is not settled", i, r)
		}
	}
	p.Tol, p.MaxIter = 0, 30
	for i, r := range s.distances(p) {
		s.check(!r.Converged && r.Iterations == 30, "pair %d: %+v, want 30 iterations without tolerance", i, r)
	}
}

// direction: rows of the cost are source bins. Between one-hot histograms there is
// only one plan, so the cost is an entry of M.
func (s *suite) direction() {
	const k = 5
	for p := range s.problems(k, []int{k}, []float64{1, 0.1, 1e-3}, []int{10}, -1) {
		p.Rows = diracs(k)
		for i, r := range s.distances(p) {
			want := float64(p.Cost.Data[int(p.Pairs[i].Source)*k+int(p.Pairs[i].Target)])
			s.near("the cost", r.Cost, want, tolerance(k)*want)
			s.near("the marginal error", r.MarginalError, 0, tolerance(k))
		}
	}
	// The barycenter is the target: with one member, and a cost that makes bin 0 the
	// only cheap destination, it gathers there.
	p := s.draw(1, k, 0.5, 50, false)
	p.Cost = costs(k, func(_, j int) float64 { return 10 * b2f(j > 0) })
	s.near("the bin that costs nothing", float64(s.barycenters(s.groups(p, 1))[0].Histogram[0]), 1, 0.01)
}

// writtenOut: a bordered problem is the one with K+1 bins written out; without mass the
// border is not there.
func (s *suite) writtenOut() {
	for p := range s.problems(4, []int{1, 4, 16, 19}, []float64{0.5, 0.1, 1e-3}, []int{20}, -1) {
		plain, k := s.distances(p), p.Cost.K
		p.Border = s.border(p, 0)
		for i, r := range s.distances(p) {
			s.near("the cost", r.Cost, plain[i].Cost, tolerance(k)*max(1, plain[i].Cost))
		}
		p.Border = s.border(p, 0.3)
		for i, got := range s.distances(p) {
			source, target, cost := p.Explicit(i)
			e := &ot.Problem{
				Settings: p.Settings, Cost: costs(k+1, func(i, j int) float64 { return cost[i*(k+1)+j] }),
				Rows: ot.Histograms{K: k + 1}, Pairs: []ot.Pair{{Source: 0, Target: 1}},
			}
			for _, x := range append(source, target...) {
				e.Rows.Data = append(e.Rows.Data, float32(x))
			}
			want := s.distances(e)[0]
			s.near("the cost", got.Cost, want.Cost, tolerance(k+1)*max(2, want.Cost))
			s.near("the marginal error", got.MarginalError, want.MarginalError, 2*tolerance(k+1))
		}
	}
}

// minimum: a barycenter with unequal weights makes (2) of ot.BarycenterProblem least. Where V_s is the
// target's scaling in the plan from member s to b, b·exp(g/λ) of its potential g, λ ln V_s is the gradient of
// OT_λ(A_s, b), up to a constant; at the minimum the weighted sum of these is the same in all bins.
func (s *suite) minimum() {
	const k = 10
	for p := range s.problems(8, []int{k}, []float64{0.3}, []int{2000}, -1) {
		g := s.groups(p)
		p.Pairs, p.Tol = []ot.Pair{{Source: 0, Target: 1}}, 1e-12
		for _, n := range []int{2, 3, 5, 8} { // different rows, as 1 to 2, 1 to 2 to 3, …
			add(g, []int32{0, 1, 2, 3, 4, 5, 6, 7}[:n], func(m int) float64 { return float64(m + 1) })
		}
		slope := func(r ot.Barycenter, group int) (worst float64) {
			gradient := make([]float64, k)
			for m := g.Offsets[group]; m < g.Offsets[group+1]; m++ {
				p.Rows.Data = append(slices.Clone(g.Rows.Row(int(g.Members[m]))), r.Histogram...)
				for j, f := range s.reference().plan(p, 0).G {
					gradient[j] += float64(g.Weights[m]) * (f + g.Reg*math.Log(float64(r.Histogram[j])))
				}
			}
			var mean float64
			for j, x := range r.Histogram {
				mean += float64(x) * gradient[j]
			}
			for _, x := range gradient {
				worst = max(worst, math.Abs(x-mean))
			}
			return worst
		}
		for i, r := range s.barycenters(g) {
			s.near("the slope", slope(r, i), 0, 10*tolerance(k))
		}
		g.UnweightedStart = true
		for i, r := range s.barycenters(g) {
			s.check(slope(r, i) >= 1e-2, "group %d: no slope at what is no barycenter", i)
		}
	}
}

// debiased: the barycenter of one histogram is that histogram, whatever the blur.
func (s *suite) debiased() {
	p := s.draw(1, 12, 0.3, 2000, false)
	p.Cost, p.Tol = line(12, 1), 1e-6
	g := s.groups(p, 1, 3)
	blurred := s.barycenters(g)
	g.Debiased = true
	for i, r := range s.barycenters(g) {
		before := apart(blurred[i].Histogram, p.Rows.Row(0))
		s.near("the distance from the only histogram", apart(r.Histogram, p.Rows.Row(0)), 0, min(1e-2, before/10))
	}
}
