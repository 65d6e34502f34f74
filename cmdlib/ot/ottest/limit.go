package ottest

import (
	"math"
	"math/rand/v2"
	"slices"

	"contextmover/cmdlib/ot"
)

// limits: Barycenter.Error is no less than the distance from the limit and not much more, plain and debiased, for λ
// from 0.01 to 2 of the largest cost; and what has converged is as near as it was asked to be.
func (s *suite) limits() {
	if s.lacks(Limit) {
		_, g := s.limitProblem(9, 0.1, false)
		g.UntilConverged = true
		s.unsupported(s.barycentersOf(g))
		g.UntilConverged = false
		for i, r := range s.barycenters(g) {
			s.check(r.Error == -1 && r.Converged == (r.Spread <= g.Tol), "group %d: %+v, want no error told", i, r)
		}
		return
	}
	for _, debiased := range []bool{false, true} {
		far, none := 0, true
		for _, share := range []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2} {
			for _, k := range []int{9, 33} {
				want, g := s.limitProblem(k, share, debiased)
				for _, g.Tol = range []float64{1e-2, 1e-4} {
					for _, g.UntilConverged = range []bool{false, k == 9} { // it takes long for others
						for i, r := range s.barycenters(g) {
							if want[i] == nil {
								continue
							}
							d := apart(r.Histogram, want[i])
							s.check(d <= r.Error+4*tolerance(k) && r.Converged == (r.Error <= g.Tol) &&
								// The spread counts, too, and is what most of a plain error comes from.
								(!r.Converged || r.Spread <= g.Tol) &&
								(debiased || r.Iterations == 1 || r.Error <= max(20*d, 2*r.Spread, 20*tolerance(k))) &&
								// Debiased ones may be as near as rounding lets them.
								(!g.UntilConverged || debiased || r.Converged || r.Iterations == g.MaxIter),
								"group %d: %.2e from the limit, said to be %.2e with a spread of %.2e, converged %v "+
									"after %d iterations", i, d, r.Error, r.Spread, r.Converged, r.Iterations)
							if !g.UntilConverged && !r.Converged && d > 10*g.Tol && r.Spread <= g.Tol {
								far++
							}
							none = false
						}
					}
				}
			}
		}
		s.check(!none && (!debiased || far > 0),
			"no barycenter was far from its limit when the rule of its spread was met: this test shows nothing")
	}
}

// limitProblem returns barycenters over points on a line, with λ the given share of the largest cost, and their limits,
// nil where these are not known: the histogram itself for a debiased barycenter of one, else that of scaling in
// float64.
func (s *suite) limitProblem(k int, share float64, debiased bool) ([][]float64, *ot.BarycenterProblem) {
	g := s.groups(&ot.Problem{
		Settings: ot.Settings{Reg: share, MaxIter: 2001, Tol: 1e-3},
		Cost:     costs(k, func(i, j int) float64 { return math.Abs(float64(i-j)) / float64(k-1) }),
		Rows:     rows(rand.New(rand.NewPCG(uint64(k), 20)), 4, k), // the same for all λ
	}, 1, 3)
	copy(g.Members, []int32{0, 0, 1, 3})
	g.Debiased = debiased
	want := make([][]float64, 2)
	for i := range want {
		switch {
		case debiased && i == 0:
			for _, x := range g.Rows.Row(0) {
				want[i] = append(want[i], float64(x))
			}
		case share >= 0.02: // the kernel is within the range of float64
			want[i] = limitOf(g, i)
		}
	}
	return want, g
}

// limitOf iterates until nothing changes, and returns nil if that takes too long.
func limitOf(g *ot.BarycenterProblem, group int) []float64 {
	k, lo, hi := g.Cost.K, g.Offsets[group], g.Offsets[group+1]
	kernel := make([]float64, k*k)
	for i, c := range g.Cost.Data {
		kernel[i] = math.Exp(-float64(c) / g.Reg)
	}
	times := func(dst, x []float64) {
		for i := range dst {
			dst[i] = 0
			for j, y := range x {
				dst[i] += kernel[i*k+j] * y // symmetric
			}
		}
	}
	u, s := make([][]float64, hi-lo), make([][]float64, hi-lo)
	for m := range u {
		u[m], s[m] = slices.Repeat([]float64{1}, k), make([]float64, k)
	}
	b, d, t := make([]float64, k), slices.Repeat([]float64{1}, k), make([]float64, k)
	for range 20000 {
		for m := range u {
			times(t, u[m])
			for i, x := range g.Rows.Row(int(g.Members[lo+m])) {
				t[i] = float64(x) / t[i]
			}
			times(s[m], t)
		}
		moved := 0.0
		for j := range b {
			log := math.Log(d[j])
			for m := range u {
				log += float64(g.Weights[lo+m]) * math.Log(s[m][j])
			}
			moved += math.Abs(math.Exp(log) - b[j])
			b[j] = math.Exp(log)
			for m := range u {
				u[m][j] = b[j] / s[m][j]
			}
		}
		if moved < 1e-12 {
			return b
		}
		if g.Debiased {
			times(t, d)
			for j := range d {
				d[j] = math.Sqrt(d[j] * b[j] / t[j])
			}
		}
	}
	return nil
}
