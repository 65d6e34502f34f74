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

// newSoftmin makes room for n×m costs, which the caller fills in with set.
func newSoftmin(v *vector[float32], n, m int) *softmin {
	s := &softmin{vector: v, n: n, m: m, padded: (m + granule - 1) / granule * granule}
	s.cost, s.kernel = make([]float64, n*s.padded), make([]float32, n*s.padded)
	s.f, s.g = make([]float64, n), make([]float64, m)
	s.scale, s.sum = make([]float32, s.padded), make([]float32, s.padded)
	s.largest = make([]float64, s.padded)
	for i := range s.cost {
		s.cost[i] = math.MaxFloat64 / 4
	}
	return s
}

func (s *softmin) set(i, j int, c float64) { s.cost[i*s.padded+j] = c }

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

// bits returns log2 of the positive entries of x and their indices.
func bits(x []float32, share float64) (index []int, log []float64) {
	for i, y := range x {
		if z := float64(y) * share; z > 0 {
			index, log = append(index, i), append(log, elementary.Log2(z))
		}
	}
	return index, log
}

// absorbed solves a pair whatever its λ, balanced or not: scaling with potentials in float64.
func (b *pairBlock[T]) absorbed(ctx context.Context, pair int, finish finishPair) error {
	k, border := b.k, b.p.Border
	source, target := int(b.p.Pairs[pair].Source), int(b.p.Pairs[pair].Target)
	unit := 1 / (b.reg * math.Ln2)
	share, point := 1.0, 0
	if border != nil {
		share = 1 - border.Mass
		if border.Mass > 0 {
			point = 1
		}
	}
	rows, a := bits(b.p.Rows.Row(source), share)
	cols, t := bits(b.p.Rows.Row(target), share)
	if point == 1 {
		a = append([]float64{elementary.Log2(border.Mass)}, a...)
		t = append([]float64{elementary.Log2(border.Mass)}, t...)
	}
	s := newSoftmin(narrowVectors(b.isa), len(a), len(t))
	for i, bin := range rows {
		from := b.p.Cost.Data[bin*k:][:k]
		for j, to := range cols {
			s.set(point+i, point+j, float64(from[to])*unit)
		}
	}
	if point == 1 {
		s.set(0, 0, float64(border.Between[pair])*unit)
		for j, to := range cols {
			s.set(0, 1+j, float64(border.FromPoint[source*k+to])*unit)
		}
		for i, from := range rows {
			s.set(1+i, 0, float64(border.ToPoint[target*k+from])*unit)
		}
	}

	f, g := make([]float64, s.n), make([]float64, s.m)
	previous, column, row := make([]float64, s.n), make([]float64, s.m), make([]float64, s.n)
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
		for j, x := range t {
			g[j] = overrelax.Log2(g[j], x-float64((1-slack)*column[j]), omega)
		}
		copy(previous, f)
		s.rows(row, g)
		result.Iterations++
		if b.due(result.Iterations) {
			omega = 1
		} else if b.relaxing {
			omega = pace.Omega()
		}
		for i, x := range a {
			f[i] = overrelax.Log2(previous[i], x-float64((1-slack)*row[i]), omega)
		}
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

	var at, to []int // of each bin of the problem: its row and column here, −1 without mass
	place := func() {
		if at == nil {
			points := 0
			if border != nil {
				points = 1
			}
			at, to = positions(points+k, points, point, rows), positions(points+k, points, point, cols)
		}
	}
	return finish(pair, result, solution{
		mass: func(i, j int) float64 {
			place()
			r, c := at[i], to[j]
			if r < 0 || c < 0 {
				return 0
			}
			return elementary.Exp2(f[r] + g[c] - s.cost[r*s.padded+c])
		},
		potential: func(j int) float64 {
			place()
			if to[j] < 0 {
				return math.Inf(-1)
			}
			return (g[to[j]] - t[to[j]]) / unit
		},
	})
}

// positions maps the n bins of a problem, the first of which are its points (0 or 1), to
// their places among those with mass: kept points, then the given bins. The others
// are mapped to −1.
func positions(n, points, kept int, bins []int) []int {
	at := make([]int, n)
	for i := range at {
		at[i] = -1
	}
	if kept == 1 {
		at[0] = 0
	}
	for place, bin := range bins {
		at[points+bin] = kept + place
	}
	return at
}
