//go:build (amd64 || arm64) && !noasm

package cpu

import "contextmover/cmdlib/internal/gemm"

//go:generate go run gen_vector.go gen_neon.go

//go:noescape
func addLog2Asm(sum, x *float32, stride uintptr, weights *float32, rows, n int, least *float32)

//go:noescape
func divideRowsAsm(dst, num, den *float32, stride uintptr, rows, n int)

//go:noescape
func addLog2dAsm(sum, x *float64, stride uintptr, weights *float64, rows, n int, least *float64)

//go:noescape
func exp2Asm(dst, x *float32, n int)

//go:noescape
func gibbsAsm(dst, x *float32, high, low float32, n int)

//go:noescape
func divideAsm(dst, num, den *float32, n int, least *float32)

//go:noescape
func combineAsm(dst, x *float32, alpha float32, y *float32, beta float32, n int)

//go:noescape
func dotAsm(x, y *float32, n int, lanes *float32)

//go:noescape
func relaxAsm(x, next *float32, more, third float32, words int)

// narrowVectors returns the loops of an instruction set for float32. Those of AVX2 serve AVX-512 as well: they wait for
// memory and divisions, which 512 bits do not speed up.
func narrowVectors(isa gemm.ISA) *vector[float32] {
	if isa == gemm.Go {
		return plain[float32]()
	}
	return &vector[float32]{
		addLog2: func(sum, x []float32, stride int, weights, least []float32) {
			addLog2Asm(&sum[0], &x[0], uintptr(stride)*4, &weights[0], len(weights), len(sum), &least[0])
		},
		divideRows: func(dst, num, den []float32, stride, rows int) {
			divideRowsAsm(&dst[0], &num[0], &den[0], uintptr(stride)*4, rows, len(num))
		},
		exp2: func(dst, x []float32) { exp2Asm(&dst[0], &x[0], len(x)) },
		gibbs: func(dst, x []float32, rate float64) {
			high := float32(rate)
			gibbsAsm(&dst[0], &x[0], high, float32(rate-float64(high)), len(x))
		},
		divide: func(dst, num, den, least []float32) {
			divideAsm(&dst[0], &num[0], &den[0], len(dst), &least[0])
		},
		combine: func(dst, x []float32, alpha float32, y []float32, beta float32) {
			combineAsm(&dst[0], &x[0], alpha, &y[0], beta, len(dst))
		},
		dot: func(x, y []float32, l *lanes[float32]) { dotAsm(&x[0], &y[0], len(x), &l[0]) },
		relax: func(x, next []float32, more float32) {
			relaxAsm(&x[0], &next[0], more, more/3, len(x))
		},
	}
}

// wideVectors returns the loops of an instruction set for float64. Those that take time are assembly. Logarithms are on
// all processors: those of significands are polynomials of float32, whose fused steps Go cannot tell.
func wideVectors(isa gemm.ISA) *vector[float64] {
	v := plain[float64]()
	if isa != gemm.Go {
		v.addLog2 = func(sum, x []float64, stride int, weights, least []float64) {
			addLog2dAsm(&sum[0], &x[0], uintptr(stride)*8, &weights[0], len(weights), len(sum), &least[0])
		}
		assemble(v)
	}
	return v
}
