package ottest

import (
	"math"
	"math/rand/v2"
	"slices"

	"contextmover/cmdlib/ot"
)

// cost draws a K×K cost with median 1: distances between random points in the plane,
// made uneven if asymmetric is set.
func cost(rng *rand.Rand, k int, asymmetric bool) ot.Cost {
	x := make([]float64, 2*k)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	c := ot.Cost{K: k, Data: make([]float32, k*k)}
	for i := range k {
		for j := range k {
			d := math.Hypot(x[2*i]-x[2*j], x[2*i+1]-x[2*j+1])
			if asymmetric {
				d = d*(1+rng.Float64()) + 0.1*rng.Float64()
			}
			c.Data[i*k+j] = float32(d)
		}
	}
	sorted := slices.Sorted(slices.Values(c.Data))
	if median := sorted[(len(sorted)-1)/2]; median > 0 {
		for i := range c.Data {
			c.Data[i] /= median
		}
	}
	return c
}

// rows draws n histograms of all kinds: dense, sparse, one-hot, with tiny bins.
func rows(rng *rand.Rand, n, k int) ot.Histograms {
	h := ot.Histograms{K: k, Data: make([]float32, n*k)}
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
		normalise(h.Row(i), row)
	}
	return h
}

func normalise(dst []float32, x []float64) {
	var sum float64
	for _, y := range x {
		sum += y
	}
	for i, y := range x {
		dst[i] = float32(y / sum)
	}
}

// allPairs lists all pairs of n rows, in random order.
func allPairs(rng *rand.Rand, n int) []ot.Pair {
	var pairs []ot.Pair
	for i := range n {
		for j := range n {
			pairs = append(pairs, ot.Pair{Source: int32(i), Target: int32(j)})
		}
	}
	rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	return pairs
}

// border draws the costs of private points in the same units.
func border(rng *rand.Rand, p *ot.Problem, mass float64) *ot.Border {
	draw := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = 2 * rng.Float32()
		}
		return x
	}
	n := len(p.Rows.Data)
	return &ot.Border{Mass: mass, FromPoint: draw(n), ToPoint: draw(n), Between: draw(len(p.Pairs))}
}

// groups draws n groups of the given sizes over all rows.
func groups(rng *rand.Rand, c ot.Cost, h ot.Histograms, sizes ...int) *ot.BarycenterProblem {
	p := &ot.BarycenterProblem{Cost: c, Rows: h, Offsets: []int{0}}
	for _, size := range sizes {
		weights := make([]float64, size)
		for s := range size {
			p.Members = append(p.Members, rng.Int32N(int32(h.Len())))
			weights[s] = 0.05 + rng.Float64()
			if len(p.Offsets)%2 == 0 {
				weights[s] = 1
			}
		}
		w := make([]float32, size)
		normalise(w, weights)
		p.Weights = append(p.Weights, w...)
		p.Offsets = append(p.Offsets, len(p.Members))
	}
	return p
}
