package gemm

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
// are multiplied together nor on the instruction set (AVX2, AVX-512 or NEON).
type Packed[T Float] struct {
	K, N int
	// Padded is N rounded up to a multiple of 16; products write that many columns.
	Padded int
	data   []T
	kernel *kernelSet
}

// Pack lays out b. The columns N..Padded−1 are filled with fill.
func Pack[T Float](b Matrix[T], fill T) *Packed[T] { return pack(b, fill, best) }

// PackFor is Pack for the implementation isa; it panics if the machine lacks it.
func PackFor[T Float](isa ISA, b Matrix[T], fill T) *Packed[T] {
	for _, k := range kernels() {
		if k.isa == isa {
			return pack(b, fill, k)
		}
	}
	panic("gemm: this machine has no " + string(isa))
}

func pack[T Float](b Matrix[T], fill T, kernel *kernelSet) *Packed[T] {
	b.check("b")
	p := &Packed[T]{K: b.Rows, N: b.Cols, Padded: (b.Cols + lanes - 1) / lanes * lanes, kernel: kernel}
	p.data = make([]T, p.K*p.Padded)
	for j := 0; j < p.Padded; {
		width := p.width(j)
		p.packPanel(b, fill, j, width)
		j += width
	}
	return p
}

// width is the width of the panel that starts at column j.
func (p *Packed[T]) width(j int) int { return min(wide[T](p.kernel), p.Padded-j) }

func (p *Packed[T]) packPanel(b Matrix[T], fill T, j, width int) {
	panel := p.data[j*p.K : (j+width)*p.K]
	n := max(min(width, p.N-j), 0) // none: a panel behind the last column
	if b.Transposed {
		for c := range n {
			column := b.Data[(j+c)*b.Stride:][:b.Rows]
			for k, x := range column {
				panel[k*width+c] = x
			}
		}
	} else if n > 0 {
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
// of C (length Padded) start every stride elements. C must not overlap A.
func (p *Packed[T]) Multiply(c, a []T, rows, stride int) {
	p.run(Operands[T]{C: c, A: a, Rows: rows, Stride: stride})
}

// MultiplyAdd computes C = C + A·B, laid out as for Multiply. The sum starts with C.
func (p *Packed[T]) MultiplyAdd(c, a []T, rows, stride int) {
	p.run(Operands[T]{C: c, A: a, Rows: rows, Stride: stride, Add: true})
}

// Operands are what Quotient is computed of, and where to.
type Operands[T Float] struct {
	// C, A and Num have Rows rows, which start every Stride elements: of A of length K, of C and Num of length Padded.
	C, A, Num    []T
	Rows, Stride int
	// Least has 16 elements for each row; their minimum with the divisors (before the maximum) of the columns with
	// Num ≠ 0 is kept there: column j counts in lane j mod 16.
	Least []T
	// Add adds what is in C to the product.
	Add bool
}

// Quotient computes C = Num / max(A·B, tiny), element by element, with tiny the smallest normal number; with Add, C =
// Num / max(C + A·B, tiny). Where Num is zero, so is C. C must not overlap A.
func (p *Packed[T]) Quotient(o Operands[T]) {
	if o.Rows > 0 && o.Num == nil || len(o.Least) < o.Rows*lanes {
		panic("gemm: num or least is too short")
	}
	p.run(o)
}

// run computes a product, or a quotient where there is a Num.
func (p *Packed[T]) run(o Operands[T]) {
	c, a, num, least, rows, stride := o.C, o.A, o.Num, o.Least, o.Rows, o.Stride
	if rows == 0 || p.Padded == 0 {
		return
	}
	need := (rows-1)*stride + p.Padded
	if stride < p.Padded || len(c) < need || len(a) < (rows-1)*stride+p.K || num != nil && len(num) < need {
		panic(fmt.Sprintf("gemm: %d rows of stride %d do not fit c (%d), a (%d) or num (%d), padded length %d",
			rows, stride, len(c), len(a), len(num), p.Padded))
	}
	var t tile
	t.strideA, t.strideC = uintptr(stride)*size[T](), uintptr(stride)*size[T]()
	t.k = p.K
	if o.Add {
		t.flags |= flagAdd
	}
	if num != nil {
		t.flags |= flagDivide
	}
	// Tiles of nearly equal height keep the last one from being flat.
	tiles := (rows + p.kernel.rows - 1) / p.kernel.rows
	j := 0
	if rows == 1 && p.K > 0 {
		j = p.strips(&t, c, num, a, least)
	}
	for j < p.Padded {
		width := p.width(j)
		if p.K > 0 {
			t.b = unsafe.Pointer(&p.data[j*p.K])
		}
		for i := range tiles {
			r := i * rows / tiles
			t.rows = (i+1)*rows/tiles - r
			t.a = unsafe.Pointer(unsafe.SliceData(a[r*stride:]))
			t.c = unsafe.Pointer(&c[r*stride+j])
			if num != nil {
				t.num = unsafe.Pointer(&num[r*stride+j])
				t.least = unsafe.Pointer(&least[r*lanes+j%lanes])
			}
			run[T](p.kernel, &t, width)
		}
		j += width
	}
}

// strips computes the columns of one row that are in full panels, where there are several, and returns how many.
func (p *Packed[T]) strips(t *tile, c, num, a, least []T) int {
	width, most := wide[T](p.kernel), p.kernel.panels
	panels := p.Padded / width
	if most == 0 || size[T]() != 4 || panels < 2 {
		return 0
	}
	// Of nearly equal width, so that none has one panel alone.
	n := (panels + most - 1) / most
	t.strideB = uintptr(p.K*width) * size[T]()
	t.a = unsafe.Pointer(unsafe.SliceData(a))
	if num != nil {
		t.least = unsafe.Pointer(&least[0])
	}
	for i := range n {
		first := i * panels / n
		t.rows = (i+1)*panels/n - first
		t.b = unsafe.Pointer(&p.data[first*width*p.K])
		t.c = unsafe.Pointer(&c[first*width])
		if num != nil {
			t.num = unsafe.Pointer(&num[first*width])
		}
		runStrip(t)
	}
	return panels * width
}
