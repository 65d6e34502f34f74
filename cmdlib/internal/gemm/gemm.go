// Package gemm multiplies matrices of float32 or float64: many blocks of rows by a fixed right factor, see Packed.
//
// On amd64 the inner loops are assembly for AVX-512 or AVX2 with FMA, chosen at start, and on arm64 for NEON, where
// those of float64 are fused multiply-adds in Go; elsewhere, and with the build tag noasm, they are plain Go. An
// element of a product is always the sum over k = 0, 1, … in this order with one rounding a step. So results depend
// neither on GOMAXPROCS nor on the shape of a block, and AVX-512, AVX2 and NEON give the same bits. The plain Go
// loops round differently.
package gemm

import "fmt"

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
