package cpu

import (
	"context"
	"math"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/internal/overrelax"
	"contextmover/internal/elementary"
)

// softmin computes the soft minima of a cost against potentials. All numbers are
// binary logarithms: c = M/(λ ln 2).
//
// It keeps a float32 kernel k_ij = 2^(f_i + g_j − c_ij) for the potentials f, g of
// an earlier call, so that near them a soft minimum is a product of a matrix and a
// vector [the absorption of Schmitzer 2019, section 3.2]; elsewhere it is computed
// from the cost in float64 and a new kernel is kept.
type softmin struct {
	*vector[float32]
	n, m, padded int       // rows, columns, columns rounded up
	cost         []float64 // n×padded, huge beyond m
	kernel       []float32 // n×padded
	f, g         []float64 // the potentials in the kernel
	valid        bool
	scale, sum   []float32 // of length padded
	largest      []float64 // of length padded
	scratch      lanes[float32]
}

// newSoftmin returns that of n×m costs.
func newSoftmin(v *vector[float32], n, m int, cost func(i, j int) float64) *softmin {
	s := &softmin{vector: v, n: n, m: m, padded: (m + granule - 1) / granule * granule}
	s.cost, s.kernel = make([]float64, n*s.padded), make([]float32, n*s.padded)
	s.f, s.g = make([]float64, n), make([]float64, m)
	s.scale, s.sum = make([]float32, s.padded), make([]float32, s.padded)
	s.largest = make([]float64, s.padded)
	for i := range s.cost {
		s.cost[i] = math.MaxFloat64 / 4
	}
	for i := range n {
		for j := range m {
			s.cost[i*s.padded+j] = cost(i, j)
		}
	}
	return s
}

func (s *softmin) row(i int) []float32 { return s.kernel[i*s.padded:][:s.padded:s.padded] }

// An entry of the kernel that was lost is below 2^-126. With scalings up to 2^30 and
// sums from 2^-60 on, it would have added less than 2^-36 of the sum.
const (
	largestShift = 30
	leastSum     = 0x1p-60
)

// columns stores dst_j = log2 Σ_i 2^(f_i − c_ij).
func (s *softmin) columns(dst, f []float64) {
	if s.fastColumns(dst, f) {
		return
	}
	for j := range s.largest {
		s.largest[j] = math.Inf(-1)
	}
	for i, x := range f {
		for j, c := range s.cost[i*s.padded:][:s.m] {
			if y := x - c; y > s.largest[j] {
				s.largest[j] = y
			}
		}
	}
	for j := s.m; j < s.padded; j++ {
		s.largest[j] = 0
	}
	clear(s.sum)
	for i, x := range f {
		row := s.row(i)
		for j, c := range s.cost[i*s.padded:][:s.padded] {
			row[j] = float32(x - c - s.largest[j])
		}
		s.exp2(row, row)
		s.combine(s.sum, row, 1, s.sum, 1)
	}
	for j := range dst {
		dst[j] = s.largest[j] + elementary.Log2(float64(s.sum[j]))
		s.g[j] = -dst[j]
	}
	copy(s.f, f)
	for i := range s.n {
		s.divide(s.row(i), s.row(i), s.sum, s.scratch[:])
	}
	s.valid = true
}

func (s *softmin) fastColumns(dst, f []float64) bool {
	if !s.valid {
		return false
	}
	for i, x := range f {
		if x-s.f[i] > largestShift {
			return false
		}
	}
	clear(s.sum)
	for i, x := range f {
		s.combine(s.sum, s.row(i), float32(elementary.Exp2(x-s.f[i])), s.sum, 1)
	}
	for _, x := range s.sum[:s.m] {
		if !(x >= leastSum) {
			return false
		}
	}
	for j := range dst {
		dst[j] = elementary.Log2(float64(s.sum[j])) - s.g[j]
	}
	return true
}

// rows stores dst_i = log2 Σ_j 2^(g_j − c_ij).
func (s *softmin) rows(dst, g []float64) {
	if s.fastRows(dst, g) {
		return
	}
	fill(s.scale, 1)
	for i := range dst {
		cost := s.cost[i*s.padded:][:s.padded]
		largest := math.Inf(-1)
		for j, x := range g {
			largest = max(largest, x-cost[j])
		}
		row := s.row(i)
		for j, x := range g {
			row[j] = float32(x - cost[j] - largest)
		}
		fill(row[s.m:], -1000)
		s.exp2(row, row)
		sum := s.dotRow(row)
		s.combine(row, row, float32(1/sum), row, 0)
		dst[i] = largest + elementary.Log2(sum)
		s.f[i] = -dst[i]
	}
	copy(s.g, g)
	s.valid = true
}

// dotRow is the inner product of row and scale.
func (s *softmin) dotRow(row []float32) float64 {
	s.scratch = lanes[float32]{}
	s.dot(row, s.scale, &s.scratch)
	return s.scratch.sum()
}

func (s *softmin) fastRows(dst, g []float64) bool {
	if !s.valid {
		return false
	}
	clear(s.scale)
	for j, x := range g {
		shift := x - s.g[j]
		if shift > largestShift {
			return false
		}
		s.scale[j] = float32(elementary.Exp2(shift))
	}
	for i := range dst {
		sum := s.dotRow(s.row(i))
		if !(sum >= leastSum) {
			return false
		}
		dst[i] = elementary.Log2(sum) - s.f[i]
	}
	return true
}

// step makes the scalings x of the divisors that they meet: mass/divisor^(1−ψ), relaxed by ω.
func step(x, mass, divisors []float64, slack, omega float64) {
	for i, m := range mass {
		x[i] = overrelax.Log2(x[i], m-float64((1-slack)*divisors[i]), omega)
	}
}

// log2 returns the binary logarithms of x.
func log2(x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = elementary.Log2(x[i])
	}
	return y
}

// absorbed solves a pair whatever its λ, balanced or not: scaling with potentials in float64.
func (b *pairBlock[T]) absorbed(ctx context.Context, pair int) error {
	unit := 1 / (b.reg * math.Ln2)
	support := b.p.Support(pair)
	a, t := log2(support.Source), log2(support.Target)
	s := newSoftmin(narrowVectors(b.isa), len(a), len(t),
		func(i, j int) float64 { return support.Cost[i*len(t)+j] * unit })

	f, g := make([]float64, s.n), make([]float64, s.m)
	column, row := make([]float64, s.m), make([]float64, s.n)
	slack := b.p.Slack()
	var result ot.Result
	var pace overrelax.Pace
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.columns(column, f)
		if i := result.Iterations; i == b.p.MaxIter || b.p.Tol > 0 && i > 0 && i%10 == 0 {
			difference, moved := 0.0, 0.0
			for j, x := range t {
				sum := elementary.Exp2(g[j] + column[j])
				difference += math.Abs(sum - elementary.Exp2(x+float64(slack*column[j])))
				moved += sum
			}
			result.MarginalError = b.p.MarginalError(difference, moved)
			result.Converged = b.p.Tol > 0 && result.MarginalError <= b.p.Tol
			pace.Look(i, result.MarginalError)
			if result.Converged || i == b.p.MaxIter {
				break
			}
		}
		omega := 1.
		if b.relaxing && result.Iterations > 0 {
			omega = pace.Omega()
		}
		step(g, t, column, slack, omega)
		s.rows(row, g)
		result.Iterations++
		if b.due(result.Iterations) {
			omega = 1
		} else if b.relaxing {
			omega = pace.Omega()
		}
		step(f, a, row, slack, omega)
	}
	sum := 0.0
	for i, x := range f {
		for j, c := range s.cost[i*s.padded:][:s.m] {
			// Exponentials are dear, and most of a plan is empty.
			if e := x + g[j] - c; e > -80 {
				mass := elementary.Exp2(e)
				result.Cost += float64(mass * c)
				sum += mass
			}
		}
	}
	result.Cost /= unit

	if b.p.Penalty > 0 {
		result.Moved = sum
	}
	switch {
	case b.p.Values && slack > 0:
		mass := func(bits []float64) (all []float64) {
			for _, x := range bits {
				all = append(all, elementary.Exp2(x))
			}
			return all
		}
		for _, logarithms := range [][]float64{row, column} {
			for i := range logarithms {
				logarithms[i] *= math.Ln2
			}
		}
		result.Value = b.p.UnbalancedValue(mass(a), row, mass(t), column)
	case b.p.Values:
		for i, x := range a {
			result.Value += float64(elementary.Exp2(x) * (f[i] - x))
		}
		for j, x := range t {
			result.Value += float64(elementary.Exp2(x) * (g[j] - x))
		}
		result.Value /= unit
	}

	mass, potential := support.Whole(
		func(i, j int) float64 { return elementary.Exp2(f[i] + g[j] - s.cost[i*s.padded+j]) },
		func(j int) float64 { return (g[j] - t[j]) / unit })
	return b.finish(pair, result, solution{mass, potential})
}
