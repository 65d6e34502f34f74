// Package gemm multiplies matrices of float32 or float64: Mul for whole matrices, Packed for a
// fixed right factor that many blocks of rows are multiplied by.
//
// On amd64 the inner loops are assembly for AVX-512 or AVX2 with FMA, chosen at start, and on arm64 for NEON, where
// those of float64 are fused multiply-adds in Go; elsewhere, and with the build tag noasm, they are plain Go. An
// element of a product is always the sum over k = 0, 1, … in this order with one rounding a step. So results depend
// neither on GOMAXPROCS nor on the shape of a block, and AVX-512, AVX2 and NEON give the same bits. The plain Go
// loops round differently.
package gemm

import (
	"context"
	"fmt"
	"unsafe"

	"contextmover/internal/parallel"
)

// Matrix is a Rows×Cols matrix. Element (i, j) is Data[i*Stride+j], or
// Data[j*Stride+i] if Transposed is set, that is, Data then holds the transpose.
type Matrix[T Float] struct {
	Rows, Cols, Stride int
	Data               []T
	Transposed         bool
}

// check panics if m does not fit its data.
func (m Matrix[T]) check(name string) {
	rows, cols := m.Rows, m.Cols
	if m.Transposed {
		rows, cols = cols, rows
	}
	if rows < 0 || cols < 0 || m.Stride < cols || rows > 0 && cols > 0 && len(m.Data) < (rows-1)*m.Stride+cols {
		panic(fmt.Sprintf("gemm: matrix %s: %d×%d with stride %d does not fit %d elements",
			name, m.Rows, m.Cols, m.Stride, len(m.Data)))
	}
}

const (
	blockRows = 56 // rows of C that one task computes
	blockCols = 512
	blockK    = 512  // rows of B that are kept near while a task sweeps its tiles
	packedK   = 4096 // rows of B that are packed at a time
	// leftStride is the distance of the rows of a copied block of A: an odd number of
	// cache lines, so that they do not all fall in the same cache sets.
	leftStride = blockK + lanes
)

// Mul computes C = A·B on all processors. It panics if the shapes do not fit.
// C must not overlap A or B.
func Mul[T Float](c, a, b Matrix[T]) { mul(c, a, b, best) }

func mul[T Float](c, a, b Matrix[T], kernel *kernelSet) {
	c.check("c")
	a.check("a")
	b.check("b")
	if a.Cols != b.Rows || c.Rows != a.Rows || c.Cols != b.Cols {
		panic(fmt.Sprintf("gemm: cannot store %d×%d · %d×%d in %d×%d", a.Rows, a.Cols, b.Rows, b.Cols, c.Rows, c.Cols))
	}
	if c.Rows == 0 || c.Cols == 0 {
		return
	}
	ctx := context.Background()
	padded := (b.Cols + lanes - 1) / lanes * lanes
	across := (c.Cols + blockCols - 1) / blockCols
	down := (c.Rows + blockRows - 1) / blockRows
	panels := (padded + wide[T](kernel) - 1) / wide[T](kernel)
	data := make([]T, min(b.Rows, packedK)*padded)
	for k := 0; k == 0 || k < b.Rows; k += packedK {
		n := min(packedK, b.Rows-k)
		some := b.rowsFrom(k, n)
		packed := &Packed[T]{K: n, N: b.Cols, Padded: padded, kernel: kernel, data: data[:n*padded]}
		_ = parallel.Blocks(ctx, panels, 4, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				packed.packPanel(some, 0, i*wide[T](kernel), packed.width(i*wide[T](kernel)))
			}
			return nil
		})
		left := a.columnsFrom(k, n)
		_ = parallel.Workers(ctx, across*down, 1, func() func(lo, hi int) error {
			room := blockRoom[T]{sum: make([]T, blockRows*min(blockCols, padded))}
			if a.Transposed {
				room.left = make([]T, blockRows*leftStride)
			}
			return func(lo, _ int) error {
				i, j := lo/across*blockRows, lo%across*blockCols
				rows, cols := span{i, min(i+blockRows, c.Rows)}, span{j, min(j+blockCols, padded)}
				packed.block(c, left, rows, cols, room, k > 0)
				return nil
			}
		})
	}
}

// rowsFrom is the view of n rows from row k on.
func (m Matrix[T]) rowsFrom(k, n int) Matrix[T] {
	if m.Rows = n; n > 0 && m.Cols > 0 {
		if m.Transposed {
			m.Data = m.Data[k:]
		} else {
			m.Data = m.Data[k*m.Stride:]
		}
	}
	return m
}

// columnsFrom is the view of n columns from column k on.
func (m Matrix[T]) columnsFrom(k, n int) Matrix[T] {
	m.Rows, m.Cols, m.Transposed = m.Cols, m.Rows, !m.Transposed
	m = m.rowsFrom(k, n)
	m.Rows, m.Cols, m.Transposed = m.Cols, m.Rows, !m.Transposed
	return m
}

// span is rows or columns from first to end.
type span struct{ first, end int }

// blockRoom is memory for a block of C and, where A is transposed, of A.
type blockRoom[T Float] struct{ sum, left []T }

// block computes a block of C, or adds to it.
func (p *Packed[T]) block(c, a Matrix[T], of, columns span, room blockRoom[T], add bool) {
	i0, j0, j1, sum, left := of.first, columns.first, columns.end, room.sum, room.left
	rows, stride := of.end-i0, j1-j0
	n := min(j1, c.Cols) - j0
	clear(sum[:rows*stride])
	if add {
		for r := range rows {
			row := sum[r*stride:][:n]
			if !c.Transposed {
				copy(row, c.Data[(i0+r)*c.Stride+j0:])
				continue
			}
			for j := range row {
				row[j] = c.Data[(j0+j)*c.Stride+i0+r]
			}
		}
	}
	for k0 := 0; k0 < p.K; k0 += blockK {
		k1 := min(k0+blockK, p.K)
		var from []T
		step := a.Stride
		if a.Transposed {
			step = leftStride
			for k := k0; k < k1; k += lanes {
				n := min(lanes, k1-k)
				for r := range rows {
					to := left[r*step+k-k0:][:n]
					for d := range to {
						to[d] = a.Data[(k+d)*a.Stride+i0+r]
					}
				}
			}
			from = left
		} else {
			from = a.Data[i0*a.Stride+k0:]
		}
		t := tile{strideA: uintptr(step) * size[T](), strideC: uintptr(stride) * size[T](), k: k1 - k0, flags: flagAdd}
		tiles := (rows + p.kernel.rows - 1) / p.kernel.rows
		for j := j0; j < j1; {
			width := p.width(j)
			t.b = unsafe.Pointer(&p.data[j*p.K+k0*width])
			for i := range tiles {
				r := i * rows / tiles
				t.rows = (i+1)*rows/tiles - r
				t.a = unsafe.Pointer(&from[r*step])
				t.c = unsafe.Pointer(&sum[r*stride+j-j0])
				run[T](p.kernel, &t, width)
			}
			j += width
		}
	}
	for r := range rows {
		row := sum[r*stride:][:n]
		if !c.Transposed {
			copy(c.Data[(i0+r)*c.Stride+j0:], row)
			continue
		}
		for j, x := range row {
			c.Data[(j0+j)*c.Stride+i0+r] = x
		}
	}
}
