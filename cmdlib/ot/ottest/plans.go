package ottest

import (
	"errors"
	"math"
	"slices"
	"strings"

	"contextmover/cmdlib/ot"
)

// plans checks marginals, cost and shape of plans against the results. Their potentials make the plan and the value,
// whatever the number of iterations, which is that of the reference.
func (s *suite) plans() {
	for p := range s.problems(4, []int{1, 6, 17}, []float64{2, 0.3, 0.02, 1e-3}, []int{1, 15, 300}, -1, 0, 0.4) {
		p.Tol, p.Values = 1e-5, !s.lacks(Values)
		results := s.distances(p)
		for i := range 4 {
			plan := s.plan(p, i)
			s.check(plan.Result == results[i], "%+v, Distances gives %+v", plan.Result, results[i])
			source, target, costs := p.Explicit(i)
			n, total, distance := len(source), 0.0, 0.0
			for _, length := range []int{plan.Cols, len(plan.Mass) / n, len(plan.F), len(plan.G)} {
				s.ok(nil, plan.Rows, length)
			}
			rows, columns := sums(plan)
			for at, x := range plan.Mass {
				s.check(x >= 0 && (x == 0 || source[at/n] > 0 && target[at%n] > 0), "%v moves from %d to %d",
					x, at/n, at%n)
				total += x * costs[at]
			}
			for r, x := range rows {
				s.near("the sum of a row", x, source[r], tolerance(p.Cost.K))
				distance += math.Abs(columns[r] - target[r])
			}
			s.near("the marginal error of the plan", distance, plan.MarginalError, 2*tolerance(n))
			s.near("the cost of the plan", total, plan.Cost, tolerance(n)*max(1, total))
			s.bound(p, i, plan)
			// In the plan an error of the potentials is divided by λ.
			s.makes(p, i, plan, tolerance(n)*4*(1+largestCost(p)/p.Reg))
			value := dual(p, i, plan)
			s.near("the value of the potentials", value, dual(p, i, s.reference().plan(p, i)), valueTolerance(p))
			if p.Values {
				s.near("the value", plan.Value, value, valueTolerance(p))
			}
		}
	}
}

// sums returns the row and column sums of a plan.
func sums(plan *ot.Plan) (rows, columns []float64) {
	rows, columns = make([]float64, plan.Rows), make([]float64, plan.Cols)
	for at, x := range plan.Mass {
		rows[at/plan.Cols] += x
		columns[at%plan.Cols] += x
	}
	return rows, columns
}

// bound: what an engine says is a lower bound of the optimum is one, whether or not iterations have converged, and at
// convergence the cost is at most 2 λ ln n above it. An engine may say nothing, which is 0.
func (s *suite) bound(p *ot.Problem, pair int, plan *ot.Plan) {
	if plan.Bound == 0 {
		return
	}
	// A sum of 2n products with masses that sum to 1 within n·ε, of potentials that are differences of costs.
	n, largest, optimum := float64(plan.Rows), largestCost(p), s.optimum(p, pair)
	s.check(plan.Bound >= 0 && plan.Bound <= optimum+4*n*epsilon*largest, "bound %v of the optimum %v",
		plan.Bound, optimum)
	// Potentials are at most λ·|ln T| + M apart; float32 resolves ln T of masses down to 2⁻¹⁴⁹.
	slack := tolerance(plan.Rows)*largest + plan.MarginalError*(largest+149*math.Ln2*p.Reg)
	s.check(!plan.Converged || plan.Cost-plan.Bound <= 2*p.Reg*math.Log(n)+slack,
		"cost %v, bound %v: further apart than 2 λ ln n", plan.Cost, plan.Bound)
}

// makes checks that the potentials are finite in all bins and make the plan (5), within a relative tolerance.
func (s *suite) makes(p *ot.Problem, pair int, plan *ot.Plan, tol float64) {
	s.Helper()
	source, target, costs := p.Explicit(pair)
	for at, x := range plan.Mass {
		f, g, a, b := plan.F[at/plan.Cols], plan.G[at%plan.Cols], source[at/plan.Cols], target[at%plan.Cols]
		s.check(math.Abs(f+g) <= math.MaxFloat64, "potentials %v and %v", f, g)
		switch want := a * b * math.Exp((f+g-costs[at])/p.Reg); {
		case a == 0 || b == 0:
		case x == 0: // it may be lost if it is below the rounding of its sums
			s.near("mass by potentials", want, 0, epsilon*min(a, b))
		default:
			s.near("mass by potentials", want, x, tol*x+1e-30)
		}
	}
}

// dual is Σ a_i f_i + Σ b_j g_j.
func dual(p *ot.Problem, pair int, plan *ot.Plan) (sum float64) {
	a, b, _ := p.Explicit(pair)
	for i, f := range plan.F {
		sum += a[i]*f + b[i]*plan.G[i]
	}
	return sum
}

// values: asked for, they rise to that of the converged plan; not asked for, they are 0; lacking, they are refused.
func (s *suite) values() {
	const k = 9
	p := s.draw(4, k, 0.2, 10, true)
	for _, r := range s.distances(p) {
		s.near("a value not asked for", r.Value, 0, 0)
	}
	p.Values = true
	if s.lacks(Values) {
		s.unsupported(s.distancesOf(p), s.planOf(p, 0))
		return
	}
	last, tol := slices.Repeat([]float64{math.Inf(-1)}, len(p.Pairs)), valueTolerance(p)
	for _, p.MaxIter = range []int{1, 2, 10, 400} {
		for i, r := range s.distances(p) {
			s.check(r.Value >= last[i]-tol, "pair %d: value %v, before %v", i, r.Value, last[i])
			last[i] = r.Value
		}
	}
	// Converged, it is the primal value: the cost and λ times the entropy relative to a⊗b.
	for i := range p.Pairs {
		plan := s.plan(p, i)
		source, target, _ := p.Explicit(i)
		primal := plan.Cost
		for at, x := range plan.Mass {
			if x > 0 {
				primal += p.Reg * x * math.Log(x/(source[at/k]*target[at%k]))
			}
		}
		// What T misses of b is weighed with potentials.
		s.near("cost and entropy", primal, plan.Value, 2*tol+plan.MarginalError*4*largestCost(p))
	}
}

// divergence: 0 between equal rows at any number of iterations, not negative at convergence,
// the same both ways, for small λ the optimal cost.
func (s *suite) divergence() {
	const k, n = 9, 4
	p := s.draw(n, k, 0.2, 1, false)
	p.Rows.Data = append(p.Rows.Data, p.Rows.Data...) // twins
	for i := range int32(n) {
		p.Pairs = append(p.Pairs, ot.Pair{Source: i, Target: i + n})
	}
	if s.lacks(Values) {
		s.unsupported(s.divergencesOf(p))
		return
	}
	for _, p.Reg = range []float64{1e3, 0.2, 0.02} {
		for _, p.MaxIter = range []int{1, 30, 600} {
			tol, want, value := 2*valueTolerance(p), s.reference().divergences(p), make(map[ot.Pair]float64)
			for i, d := range s.divergences(p) {
				pair := p.Pairs[i]
				s.check(d.Value == 0 || pair.Source%n != pair.Target%n, "%v between equal rows", d.Value)
				s.near("the divergence", d.Value, want[i].Value, tol)
				value[pair] = d.Value
				if p.MaxIter < 600 {
					continue
				}
				unsettled := (d.Between.MarginalError + d.Source.MarginalError + d.Target.MarginalError) *
					4 * largestCost(p)
				s.check(d.Value >= -tol-unsettled, "pair %v: negative, %v", pair, d.Value)
				if back, ok := value[ot.Pair{Source: pair.Target, Target: pair.Source}]; ok {
					s.near("the divergence back", back, d.Value, 2*tol+unsettled)
				}
				if p.Reg == 0.02 {
					// Each of three values is at most λ ln k off.
					s.near("the divergence at small λ", d.Value, s.optimum(p, i), 2*p.Reg*math.Log(k)+tol+unsettled)
				}
			}
		}
	}

	p.MaxIter, p.Rows.Data = 50, p.Rows.Data[:2*k]
	p.Pairs = []ot.Pair{{Source: 0, Target: 1}, {Source: 1, Target: 1}}
	p.Border = s.border(p, 0.25)
	to := p.Border.ToPoint
	p.Border.FromPoint, p.Border.Between[1] = to, 0
	s.near("the divergence of equal rows with a border", s.divergences(p)[1].Value, 0, 0)
	want := s.reference().divergences(p)[0].Value
	s.near("the divergence with a border", s.divergences(p)[0].Value, want, 2*valueTolerance(p))

	p.Border.FromPoint = slices.Clone(to)
	s.refuses(s.divergencesOf(p), []fault{
		{"symmetric", with(&p.Cost.Data[1], p.Cost.Data[1]+1)},
		{"but it is 0 from the point of row 1 to bin 2", with(&p.Border.FromPoint[k+2], 0)},
		{"pair 0", with(&p.Pairs[0].Target, 9)},
	})
}

// unsupported checks that what an engine lacks is refused by an error that says so.
func (s *suite) unsupported(runs ...run) {
	s.Helper()
	for _, run := range runs {
		err := s.refusal(s.Context(), run)
		s.check(errors.Is(err, errors.ErrUnsupported), "%v, want errors.ErrUnsupported", err)
	}
}

// refuses checks that each fault is refused by an error that names it.
func (s *suite) refuses(r run, faults []fault) {
	s.Helper()
	for _, f := range faults {
		f.in(func() {
			err := s.refusal(s.Context(), r)
			s.check(err != nil && strings.Contains(err.Error(), f.want), "error %v, want one that says %q", err, f.want)
		})
	}
}
