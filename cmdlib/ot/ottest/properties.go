package ottest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// convergence checks the stopping rules: when they are looked at, and that they hold.
func (s *suite) convergence(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const k = 20
	p := &ot.Problem{
		Settings: ot.Settings{Reg: 0.2, MaxIter: 205, Tol: 1e-3}, Cost: cost(rng, k, true), Rows: rows(rng, 6, k),
		Pairs: allPairs(rng, 6),
	}
	want, err := ot.Distances(t.Context(), reference.New(), p)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range s.distances(t, p) {
		if r.Converged != (r.MarginalError <= p.Tol) || r.Iterations%10 != 0 && r.Iterations != p.MaxIter ||
			!r.Converged && r.Iterations < p.MaxIter {
			t.Errorf("pair %d: %+v does not follow the rule", i, r)
		}
		// Rounding may move the moment by one look.
		if d := r.Iterations - want[i].Iterations; d < -10 || d > 10 {
			t.Errorf("pair %d: %d iterations, reference %d", i, r.Iterations, want[i].Iterations)
		}
	}
	largest := float64(slices.Max(p.Cost.Data))
	p.Accelerate = true
	for i, r := range s.distances(t, p) {
		// Each of two plans has at most Tol in the wrong place.
		if r.Iterations%10 != 0 && r.Iterations != p.MaxIter || want[i].Converged &&
			(!r.Converged || math.Abs(r.Cost-want[i].Cost) > 4*p.Tol*largest) {
			t.Errorf("accelerated pair %d: %+v, reference %+v", i, r, want[i])
		}
	}
	p.Accelerate = false
	for _, debiased := range []bool{false, true} {
		g := groups(rng, cost(rng, k, false), p.Rows, 1, 2, 3, 4, 5, 6)
		g.Settings, g.Debiased = p.Settings, debiased
		want, err := ot.Barycenters(t.Context(), reference.New(), g)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range s.barycenters(t, g) {
			settled := r.Spread <= g.Tol
			if r.Converged && !settled || r.Iterations%10 != 1 && r.Iterations != g.MaxIter ||
				!settled && r.Iterations < g.MaxIter {
				t.Errorf("group %d: %+v does not follow the rule", i, r)
			}
			if d := r.Iterations - want[i].Iterations; d < -10 || d > 10 {
				t.Errorf("group %d: %d iterations, reference %d", i, r.Iterations, want[i].Iterations)
			}
		}
	}
	p.Tol, p.MaxIter = 0, 30
	for i, r := range s.distances(t, p) {
		if r.Converged || r.Iterations != 30 {
			t.Errorf("pair %d: %+v, want 30 iterations without tolerance", i, r)
		}
	}
}

// direction: rows of the cost are source bins. Between one-hot histograms there is
// only one plan, so the cost is an entry of M.
func (s *suite) direction(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const k = 5
	h := ot.Histograms{K: k, Data: make([]float32, k*k)}
	for i := range k {
		h.Data[i*k+i] = 1
	}
	for _, reg := range []float64{1, 0.1, 1e-3} {
		p := &ot.Problem{
			Settings: ot.Settings{Reg: reg, MaxIter: 10}, Cost: cost(rng, k, true), Rows: h, Pairs: allPairs(rng, k),
		}
		for i, r := range s.distances(t, p) {
			want := float64(p.Cost.Data[int(p.Pairs[i].Source)*k+int(p.Pairs[i].Target)])
			if math.Abs(r.Cost-want) > tolerance(k)*want || r.MarginalError > tolerance(k) {
				t.Errorf("λ=%v pair %v: %+v, want cost %v", reg, p.Pairs[i], r, want)
			}
		}
	}
	// The barycenter is the target: with one member, and a cost that makes bin 0 the
	// only cheap destination, it gathers there.
	c := ot.Cost{K: k, Data: make([]float32, k*k)}
	for i := range c.Data {
		if i%k != 0 {
			c.Data[i] = 10
		}
	}
	g := groups(rng, c, h, 1)
	g.Reg, g.MaxIter = 0.5, 50
	if b := s.barycenters(t, g)[0].Histogram; b[0] < 0.99 {
		t.Errorf("barycenter %v, want all mass in bin 0", b)
	}
}

// border: a bordered problem is the one with K+1 bins written out; without mass the
// border is not there.
func (s *suite) border(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, k := range []int{1, 4, 16, 19} {
		for _, reg := range []float64{0.5, 0.1, 1e-3} {
			p := &ot.Problem{
				Settings: ot.Settings{Reg: reg, MaxIter: 20}, Cost: cost(rng, k, true), Rows: rows(rng, 4, k),
				Pairs: allPairs(rng, 4),
			}
			plain := s.distances(t, p)
			p.Border = border(rng, p, 0)
			for i, r := range s.distances(t, p) {
				if math.Abs(r.Cost-plain[i].Cost) > tolerance(k)*max(1, plain[i].Cost) {
					t.Errorf("K=%d λ=%v pair %d: cost %v with an empty border, %v without",
						k, reg, i, r.Cost, plain[i].Cost)
				}
			}
			p.Border = border(rng, p, 0.3)
			for i, got := range s.distances(t, p) {
				source, target, costs := p.Explicit(i)
				e := &ot.Problem{
					Settings: p.Settings, Cost: ot.Cost{K: k + 1}, Rows: ot.Histograms{K: k + 1},
					Pairs: []ot.Pair{{Source: 0, Target: 1}},
				}
				for _, x := range append(source, target...) {
					e.Rows.Data = append(e.Rows.Data, float32(x))
				}
				for _, x := range costs {
					e.Cost.Data = append(e.Cost.Data, float32(x))
				}
				want := s.distances(t, e)[0]
				if math.Abs(got.Cost-want.Cost) > tolerance(k+1)*max(2, want.Cost) ||
					math.Abs(got.MarginalError-want.MarginalError) > 2*tolerance(k+1) {
					t.Errorf("K=%d λ=%v pair %d: %+v, written out %+v", k, reg, i, got, want)
				}
			}
		}
	}
}

// plan checks marginals, cost and shape of plans against the results.
func (s *suite) plan(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, k := range []int{1, 6, 17} {
		for _, reg := range []float64{0.3, 1e-3} {
			p := &ot.Problem{
				Settings: ot.Settings{Reg: reg, MaxIter: 15}, Cost: cost(rng, k, true), Rows: rows(rng, 4, k),
				Pairs: allPairs(rng, 4),
			}
			for _, mass := range []float64{-1, 0, 0.4} {
				if mass >= 0 {
					p.Border = border(rng, p, mass)
				}
				results := s.distances(t, p)
				for i := range p.Pairs {
					plan, err := s.engine.Plan(t.Context(), p, i)
					if err != nil {
						t.Fatal(err)
					}
					source, target, costs := p.Explicit(i)
					n := len(source)
					if plan.Rows != n || plan.Cols != n || len(plan.Mass) != n*n {
						t.Fatalf("plan is %d×%d with %d entries, want %d×%d",
							plan.Rows, plan.Cols, len(plan.Mass), n, n)
					}
					if plan.Result != results[i] {
						t.Errorf("pair %d: plan has %+v, Distances %+v", i, plan.Result, results[i])
					}
					columns := make([]float64, n)
					var total, worst float64
					for r := range n {
						var sum float64
						for c := range n {
							x := plan.Mass[r*n+c]
							if !(x >= 0) || x > 0 && (source[r] == 0 || target[c] == 0) {
								t.Fatalf("pair %d: %v moves from %d (mass %v) to %d (mass %v)",
									i, x, r, source[r], c, target[c])
							}
							sum += x
							columns[c] += x
							total += x * costs[r*n+c]
						}
						worst = max(worst, math.Abs(sum-source[r]))
					}
					if worst > tolerance(k) {
						t.Errorf("pair %d: row sums are off by %v", i, worst)
					}
					var marginal float64
					for c, x := range columns {
						marginal += math.Abs(x - target[c])
					}
					if math.Abs(marginal-plan.MarginalError) > 2*tolerance(n) ||
						math.Abs(total-plan.Cost) > tolerance(n)*max(1, total) {
						t.Errorf("K=%d λ=%v pair %d: the plan has cost %v and marginal error %v, the result %+v",
							k, reg, i, total, marginal, plan.Result)
					}
				}
			}
		}
	}
}

// minimum: a barycenter with unequal weights makes (2) of ot.BarycenterProblem least. Where V_s is the
// target's scaling in the plan from member s to b, λ ln V_s is the gradient of OT_λ(A_s, b), up to a
// constant; at the minimum the weighted sum of these is the same in all bins.
func (s *suite) minimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	const k = 10
	for _, asymmetric := range []bool{false, true} {
		g := groups(rng, cost(rng, k, asymmetric), rows(rng, 8, k), 2, 3, 5, 8)
		g.Settings = ot.Settings{Reg: 0.3, MaxIter: 2000}
		for group := range len(g.Offsets) - 1 {
			lo, hi := g.Offsets[group], g.Offsets[group+1]
			for m := lo; m < hi; m++ { // different rows, as 1 to 2, 1 to 2 to 3, …
				g.Members[m] = int32(m - lo)
				g.Weights[m] = 2 * float32(m-lo+1) / float32((hi-lo)*(hi-lo+1))
			}
		}
		slope := func(r ot.Barycenter, group int) (worst float64) {
			gradient := make([]float64, k)
			for m := g.Offsets[group]; m < g.Offsets[group+1]; m++ {
				for j, v := range scalings(g, g.Rows.Row(int(g.Members[m])), r.Histogram) {
					gradient[j] += float64(g.Weights[m]) * g.Reg * math.Log(v)
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
		for i, r := range s.barycenters(t, g) {
			if d := slope(r, i); !(d < 10*tolerance(k)) {
				t.Errorf("asymmetric=%v, group %d: the slope is %v at %v", asymmetric, i, d, r.Histogram)
			}
		}
		g.UnweightedStart = true
		for i, r := range s.barycenters(t, g) {
			if d := slope(r, i); d < 1e-2 {
				t.Errorf("asymmetric=%v, group %d: the slope of what is no barycenter is %v", asymmetric, i, d)
			}
		}
	}
}

// scalings returns V of the plan U·exp(−M/λ)·V from a to b.
func scalings(g *ot.BarycenterProblem, a, b []float32) []float64 {
	k := len(a)
	u, v := make([]float64, k), make([]float64, k)
	for i := range u {
		u[i] = 1
	}
	for range 2000 {
		for j := range v {
			var sum float64
			for i := range u {
				sum += u[i] * math.Exp(-float64(g.Cost.Data[i*k+j])/g.Reg)
			}
			v[j] = float64(b[j]) / sum
		}
		for i := range u {
			var sum float64
			for j := range v {
				sum += v[j] * math.Exp(-float64(g.Cost.Data[i*k+j])/g.Reg)
			}
			u[i] = float64(a[i]) / sum
		}
	}
	return v
}

// debiased: the barycenter of one histogram is that histogram, whatever the blur.
func (s *suite) debiased(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	const k = 12
	g := groups(rng, line(k, 1), rows(rng, 1, k), 1, 3)
	g.Settings = ot.Settings{Reg: 0.3, MaxIter: 2000, Tol: 1e-6}
	sharp := g.Rows.Row(0)
	away := func(r ot.Barycenter) (d float64) {
		for j, x := range r.Histogram {
			d += math.Abs(float64(x) - float64(sharp[j]))
		}
		return d
	}
	blurred := s.barycenters(t, g)
	g.Debiased = true
	for i, r := range s.barycenters(t, g) {
		if d, before := away(r), away(blurred[i]); d > 1e-2 || d > before/10 {
			t.Errorf("group %d: %v away from its only histogram after %d iterations (biased: %v)",
				i, d, r.Iterations, before)
		}
	}
}

// groupShapes: groups of any length, longer than any block, next to short ones.
func (s *suite) groupShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	const k = 6
	g := groups(rng, cost(rng, k, false), rows(rng, 20, k), 1, 200, 1, 13, 90, 2, 84, 85, 3)
	g.Reg, g.MaxIter = 0.2, 12
	s.compareGroups(t, "ragged", g)
}
