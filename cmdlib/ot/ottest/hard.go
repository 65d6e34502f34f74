package ottest

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/cmdlib/ot"
)

// hardRows are histograms that are valid and as awkward as can be.
func hardRows(rng *rand.Rand, k int) ot.Histograms {
	h := ot.Histograms{K: k}
	add := func(f func(j int) float64) {
		row, x := make([]float32, k), make([]float64, k)
		for j := range x {
			x[j] = f(j)
		}
		normalise(row, x)
		h.Data = append(h.Data, row...)
	}
	half := k / 2
	// Two with nothing in common.
	add(func(j int) float64 { return float64(max(0, half-j)) })
	add(func(j int) float64 { return float64(max(0, j-half+1)) })
	// All mass in one bin, and next to nothing, in part denormal, elsewhere.
	add(func(j int) float64 { return []float64{1, 1e-38, 1e-40, 1e-45, 1e-30}[min(j, 4)] })
	// Masses of all magnitudes.
	add(func(int) float64 { return math.Exp(-80 * rng.Float64()) })
	// As much and as little as passes for 1.
	add(func(j int) float64 { return rng.Float64() + 0.01 })
	add(func(j int) float64 { return rng.Float64() + 0.01 })
	for j := range k {
		h.Row(4)[j] *= 1 + 0.9*ot.MassTolerance
		h.Row(5)[j] *= 1 - 0.9*ot.MassTolerance
	}
	// The same again, and zeros with a sign.
	h.Data = append(h.Data, h.Row(0)...)
	for j := range k {
		if x := &h.Row(6)[j]; *x == 0 {
			*x = float32(math.Copysign(0, -1))
		}
	}
	return h
}

// hardHistograms: awkward masses, for all widths around those of vectors and tiles.
func (s *suite) hardHistograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 20))
	for _, k := range []int{2, 16, 47, 65} {
		h := hardRows(rng, k)
		n := h.Len()
		for _, reg := range []float64{1, 0.1, 0.01} {
			p := &ot.Problem{Settings: ot.Settings{Reg: reg, MaxIter: 11}, Cost: cost(rng, k, true), Rows: h}
			for i := range int32(n) {
				p.Pairs = append(p.Pairs, ot.Pair{Source: i, Target: i}, ot.Pair{Source: i, Target: (i + 1) % int32(n)})
			}
			s.compare(t, name("K=%d λ=%v", k, reg), p)
			for _, mass := range []float64{1e-44, 1e-20, 1 - 1e-6} {
				p.Border = border(rng, p, mass)
				s.compare(t, name("K=%d λ=%v border=%v", k, reg, mass), p)
			}
			// Groups of one, of twins, of all, and with a member that hardly counts.
			g := &ot.BarycenterProblem{
				Settings: p.Settings, Cost: cost(rng, k, false), Rows: h, Offsets: []int{0},
			}
			for _, members := range [][]int32{
				{0}, {1}, {2}, {3}, {4}, {5}, {0, 6}, {0, 0, 0}, {0, 1}, {2, 3}, {4, 5}, {6, 1, 2, 3, 4, 5},
			} {
				g.Members = append(g.Members, members...)
				for range members {
					g.Weights = append(g.Weights, 1/float32(len(members)))
				}
				g.Offsets = append(g.Offsets, len(g.Members))
			}
			g.Members, g.Weights = append(g.Members, 0, 1, 3), append(g.Weights, 1, 1e-20, 1e-44)
			g.Offsets = append(g.Offsets, len(g.Members))
			s.compareGroups(t, name("K=%d λ=%v", k, reg), g)
			g.Debiased = true
			s.compareGroups(t, name("K=%d λ=%v debiased", k, reg), g)
		}
	}
}

// unequalSums: rows whose sums differ as much as they may are transported like the rows divided
// by their sums, down to a tolerance that is less than the difference.
func (s *suite) unequalSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 23))
	for _, k := range []int{2, 9, 17} {
		even := ot.Histograms{K: k}
		for range 2 {
			row, x := make([]float32, k), make([]float64, k)
			for j := range x {
				x[j] = 0.5 + rng.Float64()
			}
			normalise(row, x)
			even.Data = append(even.Data, row...)
		}
		// Both rows as they are, and each with a bin that has more or less.
		uneven := ot.Histograms{K: k, Data: append(slices.Clone(even.Data), even.Data...)}
		uneven.Row(0)[0] += 0.9 * ot.MassTolerance
		uneven.Row(1)[k-1] -= 0.9 * ot.MassTolerance
		scaled := ot.Histograms{K: k, Data: make([]float32, len(uneven.Data))}
		for i := range uneven.Len() {
			row := make([]float64, k)
			for j, x := range uneven.Row(i) {
				row[j] = float64(x)
			}
			normalise(scaled.Row(i), row)
		}
		for _, reg := range []float64{0.5, 2} {
			p := &ot.Problem{
				Settings: ot.Settings{Reg: reg, MaxIter: 2000, Tol: 2e-5}, Cost: line(k, 1), Rows: uneven,
				Pairs: allPairs(rng, 4),
			}
			for _, mass := range []float64{-1, 0.3} {
				if mass >= 0 {
					p.Border = border(rng, p, mass)
				}
				q := *p
				q.Rows = scaled
				want := s.distances(t, &q)
				for i, r := range s.distances(t, p) {
					w := want[i]
					// Each of two plans has at most Tol in the wrong place.
					if tol := (4*p.Tol + tolerance(k)) * float64(max(k, 2)); !r.Converged ||
						math.Abs(r.Cost-w.Cost) > tol {
						t.Errorf("K=%d λ=%v border=%v pair %v: %+v, divided by the sums %+v ± %v",
							k, p.Reg, mass, p.Pairs[i], r, w, tol)
					}
				}
			}
		}
	}
}

// hardCosts: entries of all magnitudes, bins that cost nothing to reach or are out of
// reach, the largest and smallest numbers there are.
func (s *suite) hardCosts(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 21))
	const k = 18
	for label, f := range map[string]func(i, j int) float64{
		"all magnitudes":       func(i, j int) float64 { return math.Exp(30 * (rng.Float64() - 0.5)) },
		"one bin out of reach": func(i, j int) float64 { return []float64{rng.Float64(), 1e5}[b2i(j == 3)] },
		"one bin for nothing":  func(i, j int) float64 { return []float64{rng.Float64(), 0}[b2i(j == 3)] },
		"two worlds":           func(i, j int) float64 { return []float64{rng.Float64(), 40}[b2i(i < 5 != (j < 5))] },
		"bins are the same":    func(i, j int) float64 { return math.Abs(float64(i/6 - j/6)) },
		"zeros with a sign": func(i, j int) float64 {
			return []float64{rng.Float64(), math.Copysign(0, -1)}[b2i(i == j)]
		},
		"only the way back":      func(i, j int) float64 { return float64(max(0, i-j)) },
		"as if by binary digits": func(i, j int) float64 { return math.Ldexp(1, (i*7+j*5)%23-20) },
	} {
		c := ot.Cost{K: k}
		var largest float64
		for i := range k * k {
			c.Data = append(c.Data, float32(f(i/k, i%k)))
			largest = max(largest, float64(c.Data[i]))
		}
		// The largest is scaled to 1, to the end of float32, and into its denormals.
		for _, x := range []struct{ scale, steep float64 }{
			{1, 2}, {1, 50}, {1, 1e4}, {math.MaxFloat32, 50}, {1e-42, 50},
		} {
			scaled := ot.Cost{K: k}
			for _, y := range c.Data {
				scaled.Data = append(scaled.Data, float32(float64(y)/largest*x.scale))
			}
			label := name("%s × %g, λ = 1/%v", label, x.scale, x.steep)
			p := &ot.Problem{
				Settings: ot.Settings{Reg: x.scale / x.steep, MaxIter: 12}, Cost: scaled, Rows: rows(rng, 4, k),
				Pairs: allPairs(rng, 4),
			}
			s.compare(t, label, p)
			g := groups(rng, scaled, p.Rows, 1, 3, 4)
			g.Settings = p.Settings
			s.compareGroups(t, label, g)
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// twins: rows that are equal give the same bits, in whatever place.
func (s *suite) twins(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 22))
	const k, copies = 21, 40
	one := rows(rng, 4, k)
	h := ot.Histograms{K: k, Data: slices.Repeat(one.Data, copies)}
	for _, reg := range []float64{0.2, 0.01} {
		p := &ot.Problem{Settings: ot.Settings{Reg: reg, MaxIter: 20, Tol: 1e-4}, Cost: cost(rng, k, false), Rows: h}
		g := &ot.BarycenterProblem{Settings: p.Settings, Cost: p.Cost, Rows: h, Offsets: []int{0}}
		for i := range int32(copies) {
			p.Pairs = append(p.Pairs, ot.Pair{Source: 4 * i, Target: 4*(copies-1-i) + 1})
			g.Members = append(g.Members, 4*i, 4*i+1, 4*i+3)
			g.Weights = append(g.Weights, 0.5, 0.25, 0.25)
			g.Offsets = append(g.Offsets, len(g.Members))
		}
		distances := s.distances(t, p)
		for i, r := range distances {
			if r != distances[0] {
				t.Fatalf("λ=%v: pair %d is %+v, the first %+v", reg, i, r, distances[0])
			}
		}
		barycenters := s.barycenters(t, g)
		for i, r := range barycenters {
			if first := barycenters[0]; !slices.Equal(r.Histogram, first.Histogram) ||
				r.Iterations != first.Iterations {
				t.Fatalf("λ=%v: group %d has other bits than the first", reg, i)
			}
		}
	}
}
