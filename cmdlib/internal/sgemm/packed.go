package sgemm

import (
	"fmt"
	"unsafe"
)

// best is the kernel in use.
var best = kernels()[0]

// Packed is a K×N matrix B laid out for the kernels: panels of neighbouring
// columns, each with its K rows one after the other. Pack it once, multiply by it
// often. A Packed is read-only and may be shared between goroutines.
//
// Products are computed on the caller's goroutine. Every element is the sequence
// of fused multiply-adds over k = 0, 1, …, so it depends neither on how many rows
// are multiplied together nor on the instruction set (AVX2 or AVX-512).
type Packed struct {
	K, N int
	// Padded is N rounded up to a multiple of 16; products write that many columns.
	Padded int
	data   []float32
	kernel *kernelSet
}

// Pack lays out b. The columns N..Padded−1 are filled with fill.
func Pack(b Matrix, fill float32) *Packed { return pack(b, fill, best) }

// PackFor is Pack for the implementation isa; it panics if the machine lacks it.
func PackFor(isa ISA, b Matrix, fill float32) *Packed {
	for _, k := range kernels() {
		if k.isa == isa {
			return pack(b, fill, k)
		}
	}
	panic("sgemm: this machine has no " + string(isa))
}

func pack(b Matrix, fill float32, kernel *kernelSet) *Packed {
	b.check("b")
	p := &Packed{K: b.Rows, N: b.Cols, Padded: (b.Cols + lanes - 1) / lanes * lanes, kernel: kernel}
	p.data = make([]float32, p.K*p.Padded)
	for j := 0; j < p.Padded; {
		width := p.width(j)
		p.packPanel(b, fill, j, width)
		j += width
	}
	return p
}

// width is the width of the panel that starts at column j.
func (p *Packed) width(j int) int { return min(p.kernel.wide, p.Padded-j) }

func (p *Packed) packPanel(b Matrix, fill float32, j, width int) {
	panel := p.data[j*p.K : (j+width)*p.K]
	n := min(width, p.N-j)
	if b.Transposed {
		for c := range n {
			column := b.Data[(j+c)*b.Stride:][:b.Rows]
			for k, x := range column {
				panel[k*width+c] = x
			}
		}
	} else {
		for k := range p.K {
			copy(panel[k*width:], b.Data[k*b.Stride+j:][:n])
		}
	}
	if n < width {
		for k := range p.K {
			row := panel[k*width:][:width]
			for c := n; c < width; c++ {
				row[c] = fill
			}
		}
	}
}

// Multiply computes C = A·B for the given number of rows. Rows of A (length K) and
// of C (length Padded) start every stride floats. C must not overlap A.
func (p *Packed) Multiply(c, a []float32, rows, stride int) {
	p.run(c, a, nil, nil, rows, stride, 0)
}

// MultiplyAdd computes C = C + A·B, laid out as for Multiply. The sum starts with C.
func (p *Packed) MultiplyAdd(c, a []float32, rows, stride int) {
	p.run(c, a, nil, nil, rows, stride, flagAdd)
}

// Quotient computes C = Num / max(A·B, 2^-126), element by element, with Num laid
// out like C; with add, C = Num / max(C + A·B, 2^-126). Where Num is zero, so is C.
//
// least has 16 floats for each row; their minimum with the divisors (before the
// maximum) of the columns with Num ≠ 0 is kept there: column j counts in lane j mod 16.
func (p *Packed) Quotient(c, num, a []float32, rows, stride int, add bool, least []float32) {
	if len(least) < rows*lanes {
		panic("sgemm: least is too short")
	}
	flags := uintptr(flagDivide)
	if add {
		flags |= flagAdd
	}
	p.run(c, a, num, least, rows, stride, flags)
}

func (p *Packed) run(c, a, num, least []float32, rows, stride int, flags uintptr) {
	if rows == 0 || p.Padded == 0 {
		return
	}
	need := (rows-1)*stride + p.Padded
	if stride < p.Padded || len(c) < need || len(a) < (rows-1)*stride+p.K || num != nil && len(num) < need {
		panic(fmt.Sprintf("sgemm: %d rows of stride %d do not fit c (%d), a (%d) or num (%d), padded length %d",
			rows, stride, len(c), len(a), len(num), p.Padded))
	}
	var t tile
	t.strideA, t.strideC = uintptr(stride)*4, uintptr(stride)*4
	t.k = p.K
	t.flags = flags
	// Tiles of nearly equal height keep the last one from being flat.
	tiles := (rows + p.kernel.rows - 1) / p.kernel.rows
	for j := 0; j < p.Padded; {
		width := p.width(j)
		if p.K > 0 {
			t.b = &p.data[j*p.K]
		}
		for i := range tiles {
			r := i * rows / tiles
			t.rows = (i+1)*rows/tiles - r
			t.a = unsafe.SliceData(a[r*stride:])
			t.c = &c[r*stride+j]
			if num != nil {
				t.num = &num[r*stride+j]
				t.least = &least[r*lanes]
			}
			p.kernel.run(&t, width)
		}
		j += width
	}
}
