package sgemm

import "math"

// tile is what a kernel works on: a few rows of A times one panel of a packed B.
// The assembly knows the offsets of the fields.
type tile struct {
	a       *float32 // rows of A, one every strideA bytes
	strideA uintptr
	b       *float32 // panel: k rows of as many floats as the panel is wide
	k       int
	c       *float32 // rows of C, one every strideC bytes
	strideC uintptr
	num     *float32 // numerators, laid out like C; read if flagDivide is set
	least   *float32 // 16 floats a row, see Packed.Quotient
	rows    int
	flags   uintptr
}

const (
	flagAdd    = 1 // start from C instead of zero
	flagDivide = 2 // C = num / product
)

// lanes is the granularity of columns: packed matrices are padded to a multiple.
const lanes = 16

// tiny is the smallest normal float32.
const tiny = 0x1p-126

// ISA names an implementation of the inner loops.
type ISA string

const (
	Go     ISA = "go" // portable
	AVX2   ISA = "avx2"
	AVX512 ISA = "avx512"
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
	wide int // columns of a full panel: 32 or 16; a last panel may have 16
	// spin executes n rounds of register-only multiply-adds and returns the
	// number of floating-point operations in a round; nil if there is none.
	spin func(n int) float64
}

// portable is the kernel in plain Go, one row at a time.
var portable = kernelSet{isa: Go, rows: 4, wide: 16}

func portableTile(t *tile) {
	for r := range t.rows {
		a := floats(t.a, uintptr(r)*t.strideA, t.k)
		b := floats(t.b, 0, t.k*lanes)
		c := floats(t.c, uintptr(r)*t.strideC, lanes)
		var sum [lanes]float32
		if t.flags&flagAdd != 0 {
			copy(sum[:], c)
		}
		for k, x := range a {
			row := b[k*lanes:][:lanes:lanes]
			for j := range sum {
				sum[j] += x * row[j]
			}
		}
		if t.flags&flagDivide != 0 {
			num := floats(t.num, uintptr(r)*t.strideC, lanes)
			least := floats(t.least, uintptr(r)*lanes*4, lanes)
			for j, s := range sum {
				if num[j] != 0 && s < least[j] {
					least[j] = s
				}
				c[j] = num[j] / max(s, tiny)
			}
			continue
		}
		copy(c, sum[:])
	}
}

// ResetLeast fills the rows of least with +Inf, as Packed.Quotient expects.
func ResetLeast(least []float32) {
	inf := float32(math.Inf(1))
	for i := range least {
		least[i] = inf
	}
}
