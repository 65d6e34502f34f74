package ottest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// compare solves p with the engine and with the reference at the same number of iterations, and asks for values.
func (s *suite) compare(t *testing.T, label string, p *ot.Problem) {
	t.Helper()
	asked := *p
	asked.Values = !s.lacks(Values)
	p = &asked
	want, err := ot.Distances(t.Context(), reference.New(), p)
	if err != nil {
		t.Fatal(label, err)
	}
	largest := largestCost(p)
	tol := tolerance(p.Cost.K)
	for i, got := range s.distances(t, p) {
		w := want[i]
		if got.Iterations != w.Iterations || got.Converged != w.Converged ||
			!(math.Abs(got.Cost-w.Cost) <= tol*max(w.Cost, largest)) ||
			!(math.Abs(got.MarginalError-w.MarginalError) <= 2*tol) ||
			!(math.Abs(got.Value-w.Value) <= valueTolerance(p, largest)) {
			t.Errorf("%s: pair %d %v: got %+v, want %+v ± %.1e", label, i, p.Pairs[i], got, w, tol*largest)
		}
	}
}

var sizes = []int{1, 2, 3, 5, 15, 16, 17, 31, 33, 50}

func (s *suite) distancesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, k := range sizes {
		for _, asymmetric := range []bool{false, true} {
			for _, iterations := range []int{1, 2, 9, 10, 11, 25} {
				h := rows(rng, 4, k)
				p := &ot.Problem{
					Settings: ot.Settings{Reg: 0.1, MaxIter: iterations}, Cost: cost(rng, k, asymmetric), Rows: h,
					Pairs: allPairs(rng, 4),
				}
				if iterations%2 == 0 {
					p.Reg = 1
				}
				s.compare(t, name("K=%d asymmetric=%v iterations=%d", k, asymmetric, iterations), p)
				p.Border = border(rng, p, 0.4)
				s.compare(t, name("K=%d asymmetric=%v iterations=%d border", k, asymmetric, iterations), p)
			}
		}
	}
}

// compareGroups does the same for barycenters; the distance is L1. Logarithms of
// scalings are kept to a relative error of ε, so b has one of ε·ln(1/K_ij).
func (s *suite) compareGroups(t *testing.T, label string, p *ot.BarycenterProblem) {
	t.Helper()
	want, err := ot.Barycenters(t.Context(), reference.New(), p)
	if err != nil {
		t.Fatal(label, err)
	}
	tol := 4 * tolerance(p.Cost.K)
	for g, got := range s.barycenters(t, p) {
		w := want[g]
		var distance float64
		for j, x := range got.Histogram {
			distance += math.Abs(float64(x) - float64(w.Histogram[j]))
		}
		if got.Iterations != w.Iterations || got.Converged != w.Converged || !(distance <= tol) ||
			!(math.Abs(got.Spread-w.Spread) <= tol*max(1, w.Spread)) {
			t.Errorf("%s: group %d of %d: %.1e away (want ≤ %.1e), %d iterations, spread %v; want %d, %v",
				label, g, p.Offsets[g+1]-p.Offsets[g],
				distance, tol, got.Iterations, got.Spread, w.Iterations, w.Spread)
		}
	}
}

func (s *suite) barycentersAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, k := range sizes {
		for _, asymmetric := range []bool{false, true} {
			for _, iterations := range []int{1, 2, 10, 11, 12, 25} {
				p := groups(rng, cost(rng, k, asymmetric), rows(rng, 8, k), 1, 2, 3, 7)
				p.Reg, p.MaxIter = 0.1, iterations
				if iterations%2 == 0 {
					p.Reg = 1
				}
				s.compareGroups(t, name("K=%d asymmetric=%v iterations=%d", k, asymmetric, iterations), p)
				p.UnweightedStart = true
				s.compareGroups(t, name("K=%d asymmetric=%v iterations=%d, unweighted start",
					k, asymmetric, iterations), p)
				p.UnweightedStart = false
				if p.Debiased = !asymmetric; p.Debiased {
					s.compareGroups(t, name("K=%d debiased iterations=%d", k, iterations), p)
				}
			}
		}
	}
}

// smallRegularisation takes λ so small that exp(−M/λ) underflows.
func (s *suite) smallRegularisation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, k := range []int{2, 5, 17, 24} {
		for _, reg := range []float64{0.03, 0.01, 1e-3, 1e-4} {
			for _, asymmetric := range []bool{false, true} {
				p := &ot.Problem{
					Settings: ot.Settings{Reg: reg, MaxIter: 30}, Cost: cost(rng, k, asymmetric), Rows: rows(rng, 4, k),
					Pairs: allPairs(rng, 4),
				}
				s.compare(t, name("K=%d λ=%v asymmetric=%v", k, reg, asymmetric), p)
				p.Border = border(rng, p, 0.4)
				s.compare(t, name("K=%d λ=%v asymmetric=%v border", k, reg, asymmetric), p)
				g := groups(rng, p.Cost, p.Rows, 1, 2, 3, 5)
				g.Settings = p.Settings
				s.compareGroups(t, name("K=%d λ=%v asymmetric=%v", k, reg, asymmetric), g)
				g.UnweightedStart = true
				s.compareGroups(t, name("K=%d λ=%v asymmetric=%v, unweighted start", k, reg, asymmetric), g)
				g.UnweightedStart = false
				if g.Debiased = !asymmetric; g.Debiased {
					s.compareGroups(t, name("K=%d λ=%v debiased", k, reg), g)
				}
			}
		}
	}
}

// diracs are the hardest barycenters: for small λ all of the geometric mean is tiny.
// The sweep passes through every regime in small steps.
func (s *suite) diracs(t *testing.T) {
	const k = 5
	one := make([]float32, k*k)
	for i := range k {
		one[i*k+i] = 1
	}
	p := &ot.BarycenterProblem{
		Cost: line(k, 1), Rows: ot.Histograms{K: k, Data: one},
		Offsets: []int{0, 2, 4, 7}, Members: []int32{0, 4, 1, 3, 0, 2, 4},
		Weights: []float32{.25, .75, .5, .5, .9, .05, .05},
	}
	for reg := 1.0; reg > 0.003; reg *= 0.8 {
		for _, iterations := range []int{1, 2, 12} {
			p.Settings = ot.Settings{Reg: reg, MaxIter: iterations}
			p.Debiased = false
			s.compareGroups(t, name("λ=%v iterations=%d", reg, iterations), p)
			p.UnweightedStart = true
			s.compareGroups(t, name("λ=%v iterations=%d, unweighted start", reg, iterations), p)
			p.UnweightedStart, p.Debiased = false, true
			s.compareGroups(t, name("λ=%v iterations=%d debiased", reg, iterations), p)
		}
	}
}

// anyRegularisation looks for NaN and infinities from tiny to huge λ.
func (s *suite) anyRegularisation(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const k = 9
	p := &ot.Problem{Cost: cost(rng, k, false), Rows: rows(rng, 4, k), Pairs: allPairs(rng, 4)}
	largest := float64(slices.Max(p.Cost.Data))
	for e := -8.0; e <= 8; e += 0.5 {
		p.Settings = ot.Settings{Reg: math.Pow(10, e), MaxIter: 25, Tol: 1e-4}
		p.Border = nil
		for range 2 {
			for i, r := range s.distances(t, p) {
				if !(r.Cost >= 0 && r.Cost <= 1.01*max(2, largest)) ||
					!(r.MarginalError >= 0 && r.MarginalError < 2.01) {
					t.Errorf("λ=%g, pair %d: %+v", p.Reg, i, r)
				}
			}
			p.Border = border(rng, p, 0.5)
		}
		for _, debiased := range []bool{false, true} {
			g := groups(rng, p.Cost, p.Rows, 1, 2, 4)
			g.Settings, g.Debiased = p.Settings, debiased
			for i, r := range s.barycenters(t, g) {
				if !(r.Spread >= 0) || math.IsInf(r.Spread, 1) {
					t.Errorf("λ=%g, group %d: %+v", p.Reg, i, r)
				}
			}
		}
	}
}

// oddCosts are costs with nothing to choose, with equal rows, of extreme scale.
func (s *suite) oddCosts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const k = 7
	base := cost(rng, k, false).Data
	for label, f := range map[string]func(i, j int) float32{
		"zero":       func(i, j int) float32 { return 0 },
		"constant":   func(i, j int) float32 { return 3 },
		"equal rows": func(i, j int) float32 { return base[i/3*3*k+j] },
		"two bins apart": func(i, j int) float32 {
			if (i == 2) != (j == 2) {
				return 50
			}
			return base[i*k+j] * 1e-3
		},
		"infinite in kernel": func(i, j int) float32 {
			if i == j {
				return 0
			}
			return 1e6
		},
	} {
		for _, scale := range []float64{1, 1e-30, 1e30} {
			c := ot.Cost{K: k}
			for i := range k * k {
				c.Data = append(c.Data, float32(float64(f(i/k, i%k))*scale))
			}
			p := &ot.Problem{
				Settings: ot.Settings{Reg: 0.2 * scale, MaxIter: 30}, Cost: c, Rows: rows(rng, 4, k),
				Pairs: allPairs(rng, 4),
			}
			s.compare(t, name("%s × %g", label, scale), p)
			g := groups(rng, c, p.Rows, 1, 3, 4)
			g.Settings = p.Settings
			s.compareGroups(t, name("%s × %g", label, scale), g)
		}
	}
}
