package ottest

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/ot/reference"
)

// valueTolerance is how far a value may be off: potentials are λ times logarithms
// of sums over k bins, and are at most a few times as far apart as costs are.
func valueTolerance(p *ot.Problem, largest float64) float64 {
	return tolerance(p.Cost.K) * (2*largest + 8*p.Reg)
}

// largestCost is that of a problem, its border's included.
func largestCost(p *ot.Problem) float64 {
	largest := float64(slices.Max(p.Cost.Data))
	if b := p.Border; b != nil {
		for _, x := range [][]float32{b.FromPoint, b.ToPoint, b.Between} {
			largest = max(largest, float64(slices.Max(x)))
		}
	}
	return largest
}

// potentials: those of a plan are finite in all bins and make the plan and the value,
// whatever the number of iterations, and the value is at most that of the converged plan.
func (s *suite) potentials(t *testing.T) {
	rng := rand.New(rand.NewPCG(30, 30))
	for _, k := range []int{1, 6, 17} {
		for _, reg := range []float64{2, 0.3, 0.02, 1e-3} {
			for _, iterations := range []int{1, 100} {
				p := &ot.Problem{
					Settings: ot.Settings{Reg: reg, MaxIter: iterations, Tol: 1e-5}, Cost: cost(rng, k, true),
					Rows: rows(rng, 4, k), Pairs: allPairs(rng, 4)[:6], Values: !s.lacks(Values),
				}
				if k == 6 {
					p.Border = border(rng, p, 0.4)
				}
				for i := range p.Pairs {
					plan, err := s.engine.Plan(t.Context(), p, i)
					if err != nil {
						t.Fatal(err)
					}
					want, err := reference.New().Plan(t.Context(), p, i)
					if err != nil {
						t.Fatal(err)
					}
					source, target, costs := p.Explicit(i)
					n := len(source)
					if len(plan.F) != n || len(plan.G) != n {
						t.Fatalf("%d and %d potentials, want %d", len(plan.F), len(plan.G), n)
					}
					value, tol := 0.0, valueTolerance(p, largestCost(p))
					for r, f := range plan.F {
						value += source[r]*f + target[r]*plan.G[r]
						for c, g := range plan.G {
							if math.IsNaN(f+g) || math.IsInf(f+g, 0) {
								t.Fatalf("K=%d λ=%v pair %d: potentials %v and %v", k, reg, i, plan.F, plan.G)
							}
							// In the plan an error of the potentials is divided by λ.
							x := source[r] * target[c] * math.Exp((f+g-costs[r*n+c])/reg)
							if got := plan.Mass[r*n+c]; math.Abs(
								got-x,
							) > tolerance(n)*4*(1+largestCost(p)/reg)*got+1e-30 {
								t.Errorf("K=%d λ=%v %d iterations, pair %d: the plan has %v from %d to %d, its "+
									"potentials %v", k, reg, iterations, i, got, r, c, x)
							}
						}
					}
					if math.Abs(value-dual(want, source, target)) > tol {
						t.Errorf("K=%d λ=%v %d iterations, pair %d: potentials of value %v, want %v ± %.1e",
							k, reg, iterations, i, value, dual(want, source, target), tol)
					}
					if p.Values && math.Abs(value-plan.Value) > tol {
						t.Errorf("K=%d λ=%v %d iterations, pair %d: value %v, that of the potentials is %v ± %.1e",
							k, reg, iterations, i, plan.Value, value, tol)
					}
				}
			}
		}
	}
}

// dual is Σ a_i f_i + Σ b_j g_j.
func dual(plan *ot.Plan, a, b []float64) (sum float64) {
	for i, f := range plan.F {
		sum += a[i]*f + b[i]*plan.G[i]
	}
	return sum
}

// values: asked for, they rise to that of the converged plan; not asked for, they are 0; lacking, they are refused.
func (s *suite) values(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 31))
	const k = 9
	p := &ot.Problem{
		Settings: ot.Settings{Reg: 0.2, MaxIter: 10}, Cost: cost(rng, k, true), Rows: rows(rng, 4, k),
		Pairs: allPairs(rng, 4),
	}
	for i, r := range s.distances(t, p) {
		if r.Value != 0 {
			t.Errorf("pair %d: value %v, which was not asked for", i, r.Value)
		}
	}
	p.Values = true
	if s.lacks(Values) {
		if _, err := ot.Distances(t.Context(), s.engine, p); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("values that the engine lacks: %v, want errors.ErrUnsupported", err)
		}
		if _, err := s.engine.Plan(t.Context(), p, 0); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("the value of a plan that the engine lacks: %v, want errors.ErrUnsupported", err)
		}
		return
	}
	last := make([]float64, len(p.Pairs))
	for i := range last {
		last[i] = math.Inf(-1)
	}
	tol := valueTolerance(p, largestCost(p))
	for _, p.MaxIter = range []int{1, 2, 10, 400} {
		for i, r := range s.distances(t, p) {
			if !(r.Value >= last[i]-tol) {
				t.Errorf("pair %d: value %v after %d iterations, before %v", i, r.Value, p.MaxIter, last[i])
			}
			last[i] = r.Value
		}
	}
	// Converged, it is the primal value: the cost and λ times the entropy relative to a⊗b.
	for i := range p.Pairs {
		plan, err := s.engine.Plan(t.Context(), p, i)
		if err != nil {
			t.Fatal(err)
		}
		source, target, _ := p.Explicit(i)
		primal := plan.Cost
		for at, x := range plan.Mass {
			if x > 0 {
				primal += p.Reg * x * math.Log(x/(source[at/k]*target[at%k]))
			}
		}
		// What T misses of b is weighed with potentials.
		if missing := plan.MarginalError * 4 * largestCost(p); math.Abs(primal-plan.Value) > 2*tol+missing {
			t.Errorf("pair %d: value %v, cost and entropy %v", i, plan.Value, primal)
		}
	}
}

// divergence: 0 between equal rows at any number of iterations, not negative at convergence,
// the same both ways, for small λ the optimal cost; with a border the same as written out.
func (s *suite) divergence(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 32))
	const k, n = 9, 4
	p := &ot.Problem{
		Settings: ot.Settings{Reg: 0.2, MaxIter: 1}, Cost: cost(rng, k, false), Rows: rows(rng, n, k),
		Pairs: allPairs(rng, n),
	}
	p.Rows.Data = append(p.Rows.Data, p.Rows.Data...) // twins
	for i := range int32(n) {
		p.Pairs = append(p.Pairs, ot.Pair{Source: i, Target: i + n})
	}
	if s.lacks(Values) {
		if _, err := ot.Divergences(t.Context(), s.engine, p); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("divergences of an engine without values: %v, want errors.ErrUnsupported", err)
		}
		return
	}
	solve := func(e ot.Engine) []ot.Divergence {
		t.Helper()
		all, err := ot.Divergences(t.Context(), e, p)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != len(p.Pairs) {
			t.Fatalf("%d divergences of %d pairs", len(all), len(p.Pairs))
		}
		return all
	}
	for _, reg := range []float64{1e3, 0.2, 0.02} {
		for _, p.MaxIter = range []int{1, 30, 600} {
			p.Reg = reg
			tol := 2 * valueTolerance(p, largestCost(p))
			all, want := solve(s.engine), solve(reference.New())
			value := make(map[ot.Pair]float64)
			for i, d := range all {
				pair := p.Pairs[i]
				if pair.Source%n == pair.Target%n && d.Value != 0 {
					t.Errorf("λ=%v %d iterations: %v between equal rows", reg, p.MaxIter, d.Value)
				}
				if math.Abs(d.Value-want[i].Value) > tol {
					t.Errorf("λ=%v %d iterations, pair %v: %v, reference %v ± %.1e",
						reg, p.MaxIter, pair, d.Value, want[i].Value, tol)
				}
				value[pair] = d.Value
				if p.MaxIter < 600 {
					continue
				}
				unsettled := (d.Between.MarginalError + d.Source.MarginalError + d.Target.MarginalError) *
					4 * largestCost(p)
				if !(d.Value >= -tol-unsettled) {
					t.Errorf("λ=%v, pair %v: negative, %v", reg, pair, d.Value)
				}
				if back, ok := value[ot.Pair{Source: pair.Target, Target: pair.Source}]; ok &&
					math.Abs(back-d.Value) > 2*tol+unsettled {
					t.Errorf("λ=%v, pair %v: %v, and %v back", reg, pair, d.Value, back)
				}
				if reg == 0.02 {
					source, target, costs := p.Explicit(i)
					best, err := exact.Solve(t.Context(), source, target, costs)
					if err != nil {
						t.Fatal(err)
					}
					// Each of three values is at most λ ln k off.
					if math.Abs(d.Value-best.Cost) > 2*reg*math.Log(k)+tol+unsettled {
						t.Errorf("λ=%v, pair %v: %v, the optimal cost is %v", reg, pair, d.Value, best.Cost)
					}
				}
			}
		}
	}

	// A border's points are support points as others are: written out, they are two bins more.
	p.Settings = ot.Settings{Reg: 0.2, MaxIter: 50}
	p.Rows.Data = p.Rows.Data[:2*k]
	p.Pairs = []ot.Pair{{Source: 0, Target: 1}, {Source: 1, Target: 1}}
	to := make([]float32, 2*k)
	for i := range to {
		to[i] = 2 * rng.Float32()
	}
	p.Border = &ot.Border{Mass: 0.25, FromPoint: to, ToPoint: to, Between: []float32{0.7, 0}}
	got := solve(s.engine)
	if got[1].Value != 0 {
		t.Errorf("with a border: %v between equal rows", got[1].Value)
	}
	e := *p
	e.Border, e.Cost = nil, ot.Cost{K: k + 2, Data: make([]float32, (k+2)*(k+2))}
	e.Rows = ot.Histograms{K: k + 2, Data: make([]float32, 2*(k+2))}
	for side := range 2 {
		row := e.Rows.Row(side)
		row[k+side] = 0.25
		for j, x := range p.Rows.Row(side) {
			row[j] = 0.75 * x
			e.Cost.Data[(k+side)*(k+2)+j], e.Cost.Data[j*(k+2)+k+side] = to[side*k+j], to[side*k+j]
		}
	}
	for i := range k {
		copy(e.Cost.Data[i*(k+2):], p.Cost.Data[i*k:][:k])
	}
	e.Cost.Data[k*(k+2)+k+1], e.Cost.Data[(k+1)*(k+2)+k] = 0.7, 0.7
	want, err := ot.Divergences(t.Context(), s.engine, &e)
	if err != nil {
		t.Fatal(err)
	}
	if tol := 2 * valueTolerance(p, largestCost(p)); math.Abs(got[0].Value-want[0].Value) > tol {
		t.Errorf("with a border: %v, written out %v ± %.1e", got[0].Value, want[0].Value, tol)
	}

	for want, spoil := range map[string]func(){
		"symmetric": func() { e.Cost.Data[1]++ },
		"but it is 0 from the point of row 1 to bin 2": func() {
			border := *p.Border
			border.FromPoint = slices.Clone(to)
			border.FromPoint[k+2] = 0
			e.Cost, e.Rows, e.Border = p.Cost, p.Rows, &border
		},
		"pair 0": func() { e.Pairs = []ot.Pair{{Source: 0, Target: 9}} },
	} {
		before := e
		e.Cost.Data = slices.Clone(e.Cost.Data)
		spoil()
		if _, err := ot.Divergences(t.Context(), s.engine, &e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
		e = before
	}
}
