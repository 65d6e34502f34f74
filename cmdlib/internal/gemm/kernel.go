package gemm

import (
	"math"
	"unsafe"
)

// tile is what a kernel works on: a few rows of A times one panel of a packed B.
// The assembly knows the offsets of the fields.
type tile struct {
	a       unsafe.Pointer // rows of A, one every strideA bytes
	strideA uintptr
	b       unsafe.Pointer // panel: k rows of as many elements as the panel is wide
	k       int
	c       unsafe.Pointer // rows of C, one every strideC bytes
	strideC uintptr
	num     unsafe.Pointer // numerators, laid out like C; read if flagDivide is set
	least   unsafe.Pointer // lanes elements a row, see Packed.Quotient
	rows    int            // or, of strips, panels
	flags   uintptr
	strideB uintptr // of strips: bytes between panels
}

const (
	flagAdd    = 1 // start from C instead of zero
	flagDivide = 2 // C = num / product
)

// mostPanels is the largest number of panels of a strip.
const mostPanels = 4

// lanes is the granularity of columns: packed matrices are padded to a multiple.
const lanes = 16

// ISA names an implementation of the inner loops.
type ISA string

const (
	Go     ISA = "go" // portable
	AVX2   ISA = "avx2"
	AVX512 ISA = "avx512"
	NEON   ISA = "neon"
)

// Supported lists the implementations that this machine can run, best first.
func Supported() []ISA {
	var all []ISA
	for _, k := range kernels() {
		all = append(all, k.isa)
	}
	return all
}

// A kernelSet is one implementation of the tile kernel.
type kernelSet struct {
	isa  ISA
	rows int // rows of the largest tile
	// columns of a full panel of float32, whose last one may have 16, and of float64
	wide32, wide64 int
	// panels is how many full panels one row of float32 is multiplied by side by side, at most; 0 for one at a time.
	panels int
}

// portable is the kernel in plain Go.
var portable = kernelSet{isa: Go, rows: 4, wide32: lanes, wide64: lanes}

// wide is the width of a full panel.
func wide[T Float](s *kernelSet) int {
	if size[T]() == 4 {
		return s.wide32
	}
	return s.wide64
}

// portableTile computes a tile in Go; one of float64 that is fused rounds once a step, as the assembly does.
func portableTile[T Float](t *tile, fused bool) {
	var sum [2][lanes]T
	for r := 0; r < t.rows; r += 2 {
		// Rows come in pairs; an odd last row is its own partner.
		second := min(r+1, t.rows-1)
		rows := [2]int{r, second}
		for i, r := range rows {
			if t.flags&flagAdd != 0 {
				copy(sum[i][:], floats[T](t.c, uintptr(r)*t.strideC, lanes))
			} else {
				sum[i] = [lanes]T{}
			}
		}
		if x, y := uintptr(r)*t.strideA, uintptr(second)*t.strideA; fused {
			fusedPair((*[2][lanes]float64)(unsafe.Pointer(&sum)),
				floats[float64](t.a, x, t.k), floats[float64](t.a, y, t.k), floats[float64](t.b, 0, t.k*lanes))
		} else {
			portablePair(&sum, floats[T](t.a, x, t.k), floats[T](t.a, y, t.k), floats[T](t.b, 0, t.k*lanes))
		}
		for i, r := range rows[:second-r+1] {
			store(t, r, &sum[i])
		}
	}
}

// portablePair adds the products of two rows with a panel to sum, four columns at a
// time: what fits in scalar registers.
func portablePair[T Float](sum *[2][lanes]T, x, y, b []T) {
	y = y[:len(x)]
	for j := 0; j < lanes; j += 4 {
		x0, x1, x2, x3 := sum[0][j], sum[0][j+1], sum[0][j+2], sum[0][j+3]
		y0, y1, y2, y3 := sum[1][j], sum[1][j+1], sum[1][j+2], sum[1][j+3]
		for k, p := range x {
			q := y[k]
			row := (*[4]T)(b[k*lanes+j:])
			x0 += T(p * row[0])
			x1 += T(p * row[1])
			x2 += T(p * row[2])
			x3 += T(p * row[3])
			y0 += T(q * row[0])
			y1 += T(q * row[1])
			y2 += T(q * row[2])
			y3 += T(q * row[3])
		}
		sum[0][j], sum[0][j+1], sum[0][j+2], sum[0][j+3] = x0, x1, x2, x3
		sum[1][j], sum[1][j+1], sum[1][j+2], sum[1][j+3] = y0, y1, y2, y3
	}
}

// fusedPair is portablePair with one rounding a step.
func fusedPair(sum *[2][lanes]float64, x, y, b []float64) {
	y = y[:len(x)]
	for j := 0; j < lanes; j += 4 {
		x0, x1, x2, x3 := sum[0][j], sum[0][j+1], sum[0][j+2], sum[0][j+3]
		y0, y1, y2, y3 := sum[1][j], sum[1][j+1], sum[1][j+2], sum[1][j+3]
		for k, p := range x {
			q := y[k]
			row := (*[4]float64)(b[k*lanes+j:])
			x0, x1 = math.FMA(p, row[0], x0), math.FMA(p, row[1], x1)
			x2, x3 = math.FMA(p, row[2], x2), math.FMA(p, row[3], x3)
			y0, y1 = math.FMA(q, row[0], y0), math.FMA(q, row[1], y1)
			y2, y3 = math.FMA(q, row[2], y2), math.FMA(q, row[3], y3)
		}
		sum[0][j], sum[0][j+1], sum[0][j+2], sum[0][j+3] = x0, x1, x2, x3
		sum[1][j], sum[1][j+1], sum[1][j+2], sum[1][j+3] = y0, y1, y2, y3
	}
}

// store writes the sums of row r, or the quotients with them.
func store[T Float](t *tile, r int, sum *[lanes]T) {
	c := floats[T](t.c, uintptr(r)*t.strideC, lanes)
	if t.flags&flagDivide == 0 {
		copy(c, sum[:])
		return
	}
	num := floats[T](t.num, uintptr(r)*t.strideC, lanes)
	least := floats[T](t.least, uintptr(r)*lanes*size[T](), lanes)
	for j, s := range sum {
		if num[j] != 0 && s < least[j] {
			least[j] = s
		}
		c[j] = num[j] / max(s, Tiny[T]())
	}
}
