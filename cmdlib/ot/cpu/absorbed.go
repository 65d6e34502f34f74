package cpu

import (
	"math"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/cmdlib/ot/internal/scaling"
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

// Columns implements scaling.Softmin.
func (s *softmin) Columns(dst, f []float64) {
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

// Rows implements scaling.Softmin.
func (s *softmin) Rows(dst, g []float64) {
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

// softmins returns what makes soft minima with the loops of an instruction set.
func softmins(isa gemm.ISA) scaling.Make {
	return func(n, m int, cost func(i, j int) float64) scaling.Softmin {
		return newSoftmin(narrowVectors(isa), n, m, cost)
	}
}
