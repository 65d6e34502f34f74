package ottest

import (
	"math"
	"slices"

	"contextmover/cmdlib/ot"
)

// agree compares the engine with the reference at the same number of iterations: distances, and without a border all
// kinds of barycenters over the rows.
func (s *suite) agree(p *ot.Problem) {
	s.Helper()
	if s.agreeOnDistances(p); p.Border == nil {
		s.agreeOnGroups(s.groups(p, 1, 2, 3, 7))
	}
}

// agreeOnDistances asks for values where the engine has them.
func (s *suite) agreeOnDistances(p *ot.Problem) {
	s.Helper()
	p.Values = !s.lacks(Values)
	want, tol, largest := s.reference().distances(p), tolerance(p.Cost.K), largestCost(p)
	if p.Penalty > 0 {
		tol *= 4
	}
	for i, got := range s.distances(p) {
		w := want[i]
		s.check(got.Iterations == w.Iterations && got.Converged == w.Converged, "pair %d: %+v, want %+v", i, got, w)
		s.near("the cost", got.Cost, w.Cost, tol*largest)
		s.near("the marginal error", got.MarginalError, w.MarginalError, 2*tol)
		s.near("the value", got.Value, w.Value, valueTolerance(p))
		s.near("the mass", got.Moved, w.Moved, tol)
	}
}

// valueTolerance is how far a value may be off: potentials are λ times logarithms
// of sums over k bins, and are at most a few times as far apart as costs are.
func valueTolerance(p *ot.Problem) float64 {
	tol, largest := tolerance(p.Cost.K), largestCost(p)
	if p.Penalty > 0 {
		return 4 * tol * (4*largest + 8*p.Reg + 4*min(p.Penalty, 1e3))
	}
	return tol * (2*largest + 8*p.Reg)
}

// largestCost is that of a problem, its border's included.
func largestCost(p *ot.Problem) float64 {
	all := p.Cost.Data
	if b := p.Border; b != nil {
		all = slices.Concat(all, b.FromPoint, b.ToPoint, b.Between)
	}
	return float64(slices.Max(all))
}

// agreeOnGroups compares barycenters, plain, with an unweighted start, and debiased where the cost is symmetric.
func (s *suite) agreeOnGroups(g *ot.BarycenterProblem) {
	s.Helper()
	s.compare(g)
	g.UnweightedStart = true
	s.compare(g)
	if g.UnweightedStart, g.Debiased = false, true; g.Validate() == nil {
		s.compare(g)
	}
	g.Debiased = false
}

// compare compares barycenters in L1. Logarithms of scalings are kept to a relative error of ε, so b has one of
// ε·ln(1/K_ij).
func (s *suite) compare(g *ot.BarycenterProblem) {
	s.Helper()
	want, tol := s.reference().barycenters(g), 4*tolerance(g.Cost.K)
	for i, got := range s.barycenters(g) {
		w := want[i]
		s.check(got.Iterations == w.Iterations && got.Converged == w.Converged, "group %d: %d iterations, want %d",
			i, got.Iterations, w.Iterations)
		s.near("the distance", apart(got.Histogram, w.Histogram), 0, tol)
		s.near("the spread", got.Spread, w.Spread, tol*max(1, w.Spread))
	}
}

// apart is the L1 distance of two histograms.
func apart[T float32 | float64](x []float32, y []T) (d float64) {
	for j, z := range y {
		d += math.Abs(float64(x[j]) - float64(z))
	}
	return d
}

func (s *suite) agreement() {
	for p := range s.problems(4, []int{1, 2, 3, 5, 15, 16, 17, 31, 33, 50}, []float64{0.1},
		[]int{1, 2, 9, 10, 11, 12, 25}, -1, 0.4) {
		if p.MaxIter%2 == 0 {
			p.Reg = 1
		}
		s.agree(p)
	}
}

// smallRegularisation takes λ so small that exp(−M/λ) underflows.
func (s *suite) smallRegularisation() {
	for p := range s.problems(4, []int{2, 5, 17, 24}, []float64{0.03, 0.01, 1e-3, 1e-4}, []int{30}, -1, 0.4) {
		s.agree(p)
	}
}

// diracs are the hardest barycenters: for small λ all of the geometric mean is tiny.
// The sweep passes through every regime in small steps.
func (s *suite) diracs() {
	const k = 5
	p := &ot.BarycenterProblem{
		Cost: line(k, 1), Rows: diracs(k),
		Offsets: []int{0, 2, 4, 7}, Members: []int32{0, 4, 1, 3, 0, 2, 4},
		Weights: []float32{.25, .75, .5, .5, .9, .05, .05},
	}
	for reg := 1.0; reg > 0.003; reg *= 0.8 {
		for _, iterations := range []int{1, 2, 12} {
			p.Settings = ot.Settings{Reg: reg, MaxIter: iterations}
			s.agreeOnGroups(p)
		}
	}
}

// diracs are the k histograms with one bin.
func diracs(k int) ot.Histograms {
	return ot.Histograms{K: k, Data: costs(k, func(i, j int) float64 { return b2f(i == j) }).Data}
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// groupShapes: groups of any length, longer than any block, next to short ones.
func (s *suite) groupShapes() {
	s.compare(s.groups(s.draw(20, 6, 0.2, 12, false), 1, 200, 1, 13, 90, 2, 84, 85, 3))
}

// hardHistograms: awkward masses, for all widths around those of vectors and tiles.
func (s *suite) hardHistograms() {
	for p := range s.problems(1, []int{2, 16, 47, 65}, []float64{1, 0.1, 0.01}, []int{11}, -1) {
		p.Rows, p.Pairs = s.hardRows(p.Cost.K), nil
		n := int32(p.Rows.Len())
		for i := range n {
			p.Pairs = append(p.Pairs, ot.Pair{Source: i, Target: i}, ot.Pair{Source: i, Target: (i + 1) % n})
		}
		s.agreeOnDistances(p)
		for _, mass := range []float64{1e-44, 1e-20, 1 - 1e-6} {
			p.Border = s.border(p, mass)
			s.agreeOnDistances(p)
		}
		if p.Cost.Data[1] != p.Cost.Data[p.Cost.K] {
			continue // for these groups the cost is symmetric
		}
		// Groups of one, of twins, of all, and with a member that hardly counts.
		g := s.groups(p)
		for _, members := range [][]int32{
			{0}, {1}, {2}, {3}, {4}, {5}, {0, 6}, {0, 0, 0}, {0, 1}, {2, 3}, {4, 5}, {6, 1, 2, 3, 4, 5},
		} {
			add(g, members, func(int) float64 { return 1 })
		}
		add(g, []int32{0, 1, 3}, func(i int) float64 { return []float64{1, 1e-20, 1e-44}[i] })
		s.agreeOnGroups(g)
	}
}

// hardRows are histograms that are valid and as awkward as can be.
func (s *suite) hardRows(k int) ot.Histograms {
	h, half := ot.Histograms{K: k}, k/2
	for _, f := range []func(j int) float64{
		// Two with nothing in common.
		func(j int) float64 { return float64(max(0, half-j)) },
		func(j int) float64 { return float64(max(0, j-half+1)) },
		// All mass in one bin, and next to nothing, in part denormal, elsewhere.
		func(j int) float64 { return []float64{1, 1e-38, 1e-40, 1e-45, 1e-30}[min(j, 4)] },
		// Masses of all magnitudes.
		func(int) float64 { return math.Exp(-80 * s.rng.Float64()) },
		// As much and as little as passes for 1.
		func(int) float64 { return s.rng.Float64() + 0.01 },
		func(int) float64 { return s.rng.Float64() + 0.01 },
	} {
		h.Data = append(h.Data, normalised(k, f)...)
	}
	// The same again, and zeros with a sign.
	h.Data = append(h.Data, h.Row(0)...)
	for j := range k {
		h.Row(4)[j] *= 1 + 0.9*ot.MassTolerance
		h.Row(5)[j] *= 1 - 0.9*ot.MassTolerance
		if x := &h.Row(6)[j]; *x == 0 {
			*x = float32(math.Copysign(0, -1))
		}
	}
	return h
}

// hardCosts: costs with nothing to choose, entries of all magnitudes, bins that cost nothing to reach or are out of
// reach, the largest and smallest numbers there are.
func (s *suite) hardCosts() {
	const k = 18
	base := cost(s.rng, k, false).Data
	for label, f := range map[string]func(i, j int) float64{
		"zero":                 func(i, j int) float64 { return 0 },
		"constant":             func(i, j int) float64 { return 3 },
		"equal rows":           func(i, j int) float64 { return float64(base[i/3*3*k+j]) },
		"two bins apart":       func(i, j int) float64 { return float64(base[i*k+j]) + 5e4*b2f(i == 2 != (j == 2)) },
		"out of reach":         func(i, j int) float64 { return b2f(i != j) },
		"all magnitudes":       func(i, j int) float64 { return math.Exp(30 * (s.rng.Float64() - 0.5)) },
		"one bin out of reach": func(i, j int) float64 { return s.rng.Float64() + 1e5*b2f(j == 3) },
		"one bin for nothing":  func(i, j int) float64 { return s.rng.Float64() * b2f(j != 3) },
		"two worlds":           func(i, j int) float64 { return s.rng.Float64() + 40*b2f(i < 5 != (j < 5)) },
		"bins are the same":    func(i, j int) float64 { return math.Abs(float64(i/6 - j/6)) },
		"zeros with a sign": func(i, j int) float64 {
			return math.Copysign(s.rng.Float64()*b2f(i != j), b2f(i != j)-0.5)
		},
		"only the way back":      func(i, j int) float64 { return float64(max(0, i-j)) },
		"as if by binary digits": func(i, j int) float64 { return math.Ldexp(1, (i*7+j*5)%23-20) },
	} {
		c := costs(k, f)
		largest := max(float64(slices.Max(c.Data)), 1e-3)
		// The largest is scaled to 1, to the end of float32, and into its denormals.
		for _, x := range []struct{ scale, steep float64 }{
			{1, 2}, {1, 50}, {1, 1e4}, {1, 5e6}, {1e-30, 5}, {math.MaxFloat32, 50}, {1e-42, 50},
		} {
			s.label = label
			p := s.draw(4, k, x.scale/x.steep, 12, false)
			p.Cost = costs(k, func(i, j int) float64 { return float64(c.Data[i*k+j]) / largest * x.scale })
			s.agree(p)
		}
	}
}

// anyRegularisation looks for NaN and infinities from tiny to huge λ.
func (s *suite) anyRegularisation() {
	p := s.draw(4, 9, 1, 25, false)
	p.Tol = 1e-4
	for e := -8.0; e <= 8; e += 0.5 {
		p.Reg = math.Pow(10, e)
		for _, p.Border = range []*ot.Border{nil, s.border(p, 0.5)} {
			for i, r := range s.distances(p) {
				s.check(r.Cost >= 0 && r.Cost <= 1.01*largestCost(p) && r.MarginalError >= 0 && r.MarginalError < 2.01,
					"pair %d: %+v", i, r)
			}
		}
		g := s.groups(p, 1, 2, 4)
		for _, g.Debiased = range []bool{false, true} {
			for i, r := range s.barycenters(g) {
				s.check(r.Spread >= 0 && r.Spread <= math.MaxFloat64, "group %d: %+v", i, r)
			}
		}
	}
}

// unequalSums: rows whose sums differ as much as they may are transported like the rows divided
// by their sums, down to a tolerance that is less than the difference.
func (s *suite) unequalSums() {
	for p := range s.problems(4, []int{2, 9, 17}, []float64{0.5, 2}, []int{2000}, -1, 0.3) {
		p.Tol, p.Cost = 2e-5, line(p.Cost.K, 1)
		k, q := p.Cost.K, *p
		// Both rows as they are, and each with a bin that has more or less.
		uneven := p.Rows
		for i := range 2 {
			copy(uneven.Row(i), normalised(k, func(int) float64 { return 0.5 + s.rng.Float64() }))
		}
		copy(uneven.Row(2), uneven.Row(0))
		copy(uneven.Row(3), uneven.Row(1))
		uneven.Row(0)[0] += 0.9 * ot.MassTolerance
		uneven.Row(1)[k-1] -= 0.9 * ot.MassTolerance
		q.Rows.Data = nil
		for i := range 4 {
			row := uneven.Row(i)
			q.Rows.Data = append(q.Rows.Data, normalised(k, func(j int) float64 { return float64(row[j]) })...)
		}
		want := s.distances(&q)
		for i, r := range s.distances(p) {
			s.check(r.Converged, "pair %d: %+v", i, r)
			// Each of two plans has at most Tol in the wrong place.
			s.near("the cost", r.Cost, want[i].Cost, (4*p.Tol+tolerance(k))*float64(k))
		}
	}
}
