package ottest

import (
	"math"
	"math/rand/v2"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
)

// bound: what an engine says is a lower bound of the optimum is one, whether or not iterations have converged, and at
// convergence the cost is at most 2 λ ln n above it. An engine may say nothing, which is 0.
func (s *suite) bound(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 20))
	for _, k := range []int{1, 6, 17} {
		for _, reg := range []float64{0.3, 0.05, 1e-3} {
			for _, iterations := range []int{1, 15, 2000} {
				p := &ot.Problem{
					Settings: ot.Settings{Reg: reg, MaxIter: iterations, Tol: 1e-5}, Cost: cost(rng, k, true),
					Rows: rows(rng, 3, k), Pairs: []ot.Pair{{Source: 0, Target: 1}, {Source: 1, Target: 2}},
				}
				if k == 6 {
					p.Border = border(rng, p, 0.4)
				}
				for i := range p.Pairs {
					plan, err := s.engine.Plan(t.Context(), p, i)
					if err != nil {
						t.Fatal(err)
					}
					if plan.Bound == 0 {
						continue
					}
					source, target, costs := p.Explicit(i)
					best, err := exact.Solve(t.Context(), source, target, costs)
					if err != nil {
						t.Fatal(err)
					}
					largest := 0.0
					for _, c := range costs {
						largest = max(largest, c)
					}
					// A sum of 2n products with masses that sum to 1 within n·ε, of potentials that are
					// differences of costs.
					n := float64(len(source))
					if slack := 4 * n * epsilon * largest; !(plan.Bound >= 0 && plan.Bound <= best.Cost+slack) {
						t.Errorf("K=%d λ=%v %d iterations, pair %d: bound %v of the optimum %v",
							k, reg, iterations, i, plan.Bound, best.Cost)
					}
					// Potentials are at most λ·|ln T| + M apart; float32 resolves ln T of masses down to 2⁻¹⁴⁹.
					slack := tolerance(len(source))*largest + plan.MarginalError*(largest+149*math.Ln2*reg)
					if plan.Converged && plan.Cost-plan.Bound > 2*reg*math.Log(n)+slack {
						t.Errorf("K=%d λ=%v, pair %d: cost %v, bound %v: further apart than 2 λ ln n = %v",
							k, reg, i, plan.Cost, plan.Bound, 2*reg*math.Log(n))
					}
				}
			}
		}
	}
}
