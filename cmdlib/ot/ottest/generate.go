package ottest

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"contextmover/cmdlib/ot"
)

// problems yields one problem for each size, λ and number of iterations, with symmetric and with asymmetric costs, and
// with borders of the given masses, none where that is negative. It has all pairs of n rows.
func (s *suite) problems(
	n int, sizes []int, regs []float64, iterations []int, masses ...float64,
) iter.Seq[*ot.Problem] {
	return func(yield func(*ot.Problem) bool) {
		for _, k := range sizes {
			for _, asymmetric := range []bool{false, true} {
				for _, reg := range regs {
					for _, maxIter := range iterations {
						for _, mass := range masses {
							p := s.draw(n, k, reg, maxIter, asymmetric)
							if mass >= 0 {
								p.Border = s.border(p, mass)
							}
							if !yield(p) {
								return
							}
						}
					}
				}
			}
		}
	}
}

// draw draws the problem of all pairs of n rows.
func (s *suite) draw(n, k int, reg float64, iterations int, asymmetric bool) *ot.Problem {
	return &ot.Problem{
		Settings: ot.Settings{Reg: reg, MaxIter: iterations}, Cost: cost(s.rng, k, asymmetric), Rows: rows(s.rng, n, k),
		Pairs: allPairs(s.rng, n),
	}
}

// cost draws a K×K cost with median 1: distances between random points in the plane,
// made uneven if asymmetric is set.
func cost(rng *rand.Rand, k int, asymmetric bool) ot.Cost {
	x := make([]float64, 2*k)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	c := costs(k, func(i, j int) float64 {
		d := math.Hypot(x[2*i]-x[2*j], x[2*i+1]-x[2*j+1])
		if asymmetric {
			d = d*(1+rng.Float64()) + 0.1*rng.Float64()
		}
		return d
	})
	sorted := slices.Sorted(slices.Values(c.Data))
	if median := sorted[(len(sorted)-1)/2]; median > 0 {
		for i := range c.Data {
			c.Data[i] /= median
		}
	}
	return c
}

// costs is the K×K cost of a function.
func costs(k int, f func(i, j int) float64) ot.Cost {
	c := ot.Cost{K: k}
	for i := range k * k {
		c.Data = append(c.Data, float32(f(i/k, i%k)))
	}
	return c
}

// line is |i−j|^power on k points.
func line(k int, power float64) ot.Cost {
	return costs(k, func(i, j int) float64 { return math.Pow(math.Abs(float64(i-j)), power) })
}

// rows draws n histograms of all kinds: dense, sparse, one-hot, with tiny bins.
func rows(rng *rand.Rand, n, k int) ot.Histograms {
	h := ot.Histograms{K: k}
	for i := range n {
		row := make([]float64, k)
		for j := range row {
			switch i % 4 {
			case 0:
				row[j] = rng.ExpFloat64()
			case 1:
				if rng.IntN(3) == 0 {
					row[j] = rng.Float64()
				}
			case 3:
				row[j] = math.Exp(-20 * rng.Float64())
			}
		}
		row[rng.IntN(k)] += 0.1
		h.Data = append(h.Data, normalised(k, func(j int) float64 { return row[j] })...)
	}
	return h
}

// normalised is a function of n numbers divided by their sum.
func normalised(n int, f func(j int) float64) []float32 {
	x, sum := make([]float64, n), 0.0
	for j := range x {
		x[j] = f(j)
		sum += x[j]
	}
	row := make([]float32, n)
	for j, y := range x {
		row[j] = float32(y / sum)
	}
	return row
}

// allPairs lists all pairs of n rows, in random order.
func allPairs(rng *rand.Rand, n int) []ot.Pair {
	pairs := make([]ot.Pair, n*n)
	for to, i := range rng.Perm(n * n) {
		pairs[to] = ot.Pair{Source: int32(i / n), Target: int32(i % n)}
	}
	return pairs
}

// border draws the costs of private points in the same units.
func (s *suite) border(p *ot.Problem, mass float64) *ot.Border {
	draw := func(n int) (x []float32) {
		for range n {
			x = append(x, 2*s.rng.Float32())
		}
		return x
	}
	n := len(p.Rows.Data)
	return &ot.Border{Mass: mass, FromPoint: draw(n), ToPoint: draw(n), Between: draw(len(p.Pairs))}
}

// groups draws groups of the given sizes over all rows of p, every other one with equal weights.
func (s *suite) groups(p *ot.Problem, sizes ...int) *ot.BarycenterProblem {
	g := &ot.BarycenterProblem{Settings: p.Settings, Cost: p.Cost, Rows: p.Rows, Offsets: []int{0}}
	for i, size := range sizes {
		members := make([]int32, size)
		for m := range members {
			members[m] = s.rng.Int32N(int32(p.Rows.Len()))
		}
		add(g, members, func(int) float64 {
			if i%2 == 1 {
				return 1
			}
			return 0.05 + s.rng.Float64()
		})
	}
	return g
}

// add adds a group whose weights are those of a function, normalised.
func add(g *ot.BarycenterProblem, members []int32, weight func(int) float64) {
	g.Members = append(g.Members, members...)
	g.Weights = append(g.Weights, normalised(len(members), weight)...)
	g.Offsets = append(g.Offsets, len(g.Members))
}
