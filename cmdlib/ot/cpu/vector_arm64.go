//go:build !noasm

package cpu

import "contextmover/cmdlib/internal/gemm"

//go:noescape
func addLog2NEON(sum, x *float32, stride uintptr, weights *float32, rows, n int, least *float32)

//go:noescape
func divideRowsNEON(dst, num, den *float32, stride uintptr, rows, n int)

//go:noescape
func addLog2dNEON(sum, x *float64, stride uintptr, weights *float64, rows, n int, least *float64)

//go:noescape
func exp2NEON(dst, x *float32, n int)

//go:noescape
func gibbsNEON(dst, x *float32, high, low float32, n int)

//go:noescape
func divideNEON(dst, num, den *float32, n int, least *float32)

//go:noescape
func combineNEON(dst, x *float32, alpha float32, y *float32, beta float32, n int)

//go:noescape
func dotNEON(x, y *float32, n int, lanes *float32)

//go:noescape
func relaxNEON(x, next *float32, more, third float32, words int)

// narrowVectors returns the loops of an instruction set for float32.
func narrowVectors(isa gemm.ISA) *vector[float32] {
	if isa != gemm.NEON {
		return plain[float32]()
	}
	return &vector[float32]{
		addLog2: func(sum, x []float32, stride int, weights, least []float32) {
			addLog2NEON(&sum[0], &x[0], uintptr(stride)*4, &weights[0], len(weights), len(sum), &least[0])
		},
		divideRows: func(dst, num, den []float32, stride, rows int) {
			divideRowsNEON(&dst[0], &num[0], &den[0], uintptr(stride)*4, rows, len(num))
		},
		exp2: func(dst, x []float32) { exp2NEON(&dst[0], &x[0], len(x)) },
		gibbs: func(dst, x []float32, rate float64) {
			high := float32(rate)
			gibbsNEON(&dst[0], &x[0], high, float32(rate-float64(high)), len(x))
		},
		divide: func(dst, num, den, least []float32) {
			divideNEON(&dst[0], &num[0], &den[0], len(dst), &least[0])
		},
		combine: func(dst, x []float32, alpha float32, y []float32, beta float32) {
			combineNEON(&dst[0], &x[0], alpha, &y[0], beta, len(dst))
		},
		dot: func(x, y []float32, l *lanes[float32]) { dotNEON(&x[0], &y[0], len(x), &l[0]) },
		relax: func(x, next []float32, more float32) {
			relaxNEON(&x[0], &next[0], more, more/3, len(x))
		},
	}
}

// wideVectors returns the loops of an instruction set for float64. Logarithms alone are assembly: those of significands
// are polynomials of float32, whose fused steps Go cannot tell.
func wideVectors(isa gemm.ISA) *vector[float64] {
	v := plain[float64]()
	if isa != gemm.NEON {
		return v
	}
	v.addLog2 = func(sum, x []float64, stride int, weights, least []float64) {
		addLog2dNEON(&sum[0], &x[0], uintptr(stride)*8, &weights[0], len(weights), len(sum), &least[0])
	}
	return v
}
