package ottest

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// unbalanced: agreement with the reference at any λ and ρ, nothing but finite numbers, the first-order condition
// of (9), a plan of the form (5), and the limits: balanced for large ρ, a_i b_j exp(−M_ij/λ) for small ones.
func (s *suite) unbalanced(t *testing.T) {
	rng := rand.New(rand.NewPCG(40, 40))
	const k = 7
	p := &ot.Problem{
		Settings: ot.Settings{Reg: 0.2, MaxIter: 20}, Cost: cost(rng, k, true), Rows: rows(rng, 4, k),
		Pairs: allPairs(rng, 4)[:8], Penalty: 0.5,
	}
	if s.lacks(Penalty) {
		if _, err := ot.Distances(t.Context(), s.engine, p); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("unbalanced transport that the engine lacks: %v, want errors.ErrUnsupported", err)
		}
		if _, err := s.engine.Plan(t.Context(), p, 0); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("an unbalanced plan that the engine lacks: %v, want errors.ErrUnsupported", err)
		}
		return
	}
	plain := border(rng, p, 0.3)
	for _, reg := range []float64{1e6, 1, 0.1, 1e-3, 1e-6} {
		for _, penalty := range []float64{1e-300, 1e-9, 1e-3, 0.1, 1, 1e3, 1e12, 1e300} {
			p.Reg, p.Penalty, p.Border = reg, penalty, nil
			p.Values = !s.lacks(Values)
			for range 2 {
				want, err := ot.Distances(t.Context(), reference.New(), p)
				if err != nil {
					t.Fatal(err)
				}
				largest := largestCost(p)
				for i, got := range s.distances(t, p) {
					for _, x := range []float64{got.Cost, got.Moved, got.MarginalError, got.Value} {
						if math.IsNaN(x) || math.IsInf(x, 0) {
							t.Fatalf("λ=%v ρ=%v pair %d: %+v", reg, penalty, i, got)
						}
					}
					w, tol := want[i], 4*tolerance(k)
					if got.Iterations != w.Iterations || math.Abs(got.Cost-w.Cost) > tol*largest ||
						math.Abs(got.Moved-w.Moved) > tol ||
						math.Abs(got.MarginalError-w.MarginalError) > 2*tol ||
						math.Abs(got.Value-w.Value) > tol*(4*largest+8*reg+4*min(penalty, 1e3)) {
						t.Errorf("λ=%v ρ=%v pair %d: %+v, want %+v", reg, penalty, i, got, w)
					}
					if !(got.Moved >= 0 && got.Moved <= 1+2*tol) {
						t.Errorf("λ=%v ρ=%v pair %d: mass %v", reg, penalty, i, got.Moved)
					}
				}
				p.Border = plain
			}
		}
	}

	s.littleMoves(t)

	p.Border = nil
	p.Settings = ot.Settings{Reg: 0.2, MaxIter: 500}
	balanced := *p
	balanced.Penalty = 0
	largest := largestCost(p)
	for i := range p.Pairs {
		source, target, costs := p.Explicit(i)
		p.Penalty = 0.3
		plan, err := s.engine.Plan(t.Context(), p, i)
		if err != nil {
			t.Fatal(err)
		}
		rows, columns := make([]float64, k), make([]float64, k)
		for at, x := range plan.Mass {
			want := source[at/k] * target[at%k] * math.Exp((plan.F[at/k]+plan.G[at%k]-costs[at])/p.Reg)
			if math.Abs(x-want) > 1e-5*want+1e-30 {
				t.Errorf("pair %d: the plan has %v from %d to %d, its potentials %v", i, x, at/k, at%k, want)
			}
			rows[at/k] += x
			columns[at%k] += x
		}
		// At the optimum ρ ln(sum/mass) is minus the potential.
		for b := range k {
			r, c := source[b]*math.Exp(-plan.F[b]/p.Penalty), target[b]*math.Exp(-plan.G[b]/p.Penalty)
			if math.Abs(rows[b]-r) > 1e-4*r+1e-12 || math.Abs(columns[b]-c) > 1e-4*c+1e-12 {
				t.Errorf("pair %d bin %d: sums %v and %v, want %v and %v", i, b, rows[b], columns[b], r, c)
			}
		}
		if plan.Bound != 0 {
			t.Errorf("pair %d: a bound of %v", i, plan.Bound)
		}

		best, err := s.engine.Plan(t.Context(), &balanced, i)
		if err != nil {
			t.Fatal(err)
		}
		p.Penalty = 1e7
		large, err := s.engine.Plan(t.Context(), p, i)
		if err != nil {
			t.Fatal(err)
		}
		// What is missing of balance is of the order of cost/ρ.
		if tol := tolerance(k)*largest + 1e-5; math.Abs(large.Cost-best.Cost) > tol || math.Abs(large.Moved-1) > tol ||
			p.Values && math.Abs(large.Value-best.Value) > tol {
			t.Errorf("pair %d: %+v at a large penalty, balanced %+v", i, large.Result, best.Result)
		}
		p.Penalty = 1e-7
		small, err := s.engine.Plan(t.Context(), p, i)
		if err != nil {
			t.Fatal(err)
		}
		for at, x := range small.Mass {
			if want := source[at/k] * target[at%k] * math.Exp(-costs[at]/p.Reg); math.Abs(x-want) > 1e-4*want+1e-30 {
				t.Errorf("pair %d: %v from %d to %d at a small penalty, want %v", i, x, at/k, at%k, want)
			}
		}
	}
	// None of what costs anything is left where λ is small as well.
	p.Reg, p.Penalty = 1e-3, 1e-6
	for i, r := range s.distances(t, p) {
		if r.Cost > 1e-3 {
			t.Errorf("pair %d: cost %v where nothing is worth moving", i, r.Cost)
		}
	}
}

// littleMoves: what is said to be converged is as near to the limit where hardly any mass moves as where most does.
func (s *suite) littleMoves(t *testing.T) {
	const k = 6 // of which the source has the first half and the target the second
	p := &ot.Problem{
		Cost: ot.Cost{K: k, Data: make([]float32, k*k)}, Rows: ot.Histograms{K: k, Data: []float32{
			0.5, 0.3, 0.2, 0, 0, 0, 0, 0, 0, 0.6, 0.1, 0.3,
		}}, Pairs: []ot.Pair{{Source: 0, Target: 1}}, Penalty: 0.5,
	}
	for _, far := range []float32{0.1, 6, 20} {
		for i := range k {
			for j := range k {
				p.Cost.Data[i*k+j] = far + 0.3*float32((2*i+3*j)%5)
			}
		}
		for _, reg := range []float64{0.05, 0.5} {
			p.Settings = ot.Settings{Reg: reg, MaxIter: 20_000, Tol: 1e-12}
			want, err := ot.Distances(t.Context(), reference.New(), p)
			if err != nil {
				t.Fatal(err)
			}
			p.Tol = 1e-5
			got, w := s.distances(t, p)[0], want[0]
			// An iteration multiplies what is left by (1−ψ)² or less.
			tol := 2 * p.Tol / (1 - math.Pow(1-p.Slack(), 2))
			if !got.Converged || math.Abs(got.Moved-w.Moved) > tol*w.Moved || math.Abs(got.Cost-w.Cost) > tol*w.Cost {
				t.Errorf("cost %v, λ=%v: %+v, expected a cost of %v and %v to move", far, reg, got, w.Cost, w.Moved)
			}
		}
	}
}
