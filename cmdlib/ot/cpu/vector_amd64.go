//go:build !noasm

package cpu

//go:noescape
func divideRowsdAsm(dst, num, den *float64, stride uintptr, rows, n int)

//go:noescape
func relaxdAsm(x, next *float64, more, third float64, words int)

// assemble sets the loops of float64 that are assembly on amd64 alone.
func assemble(v *vector[float64]) {
	v.divideRows = func(dst, num, den []float64, stride, rows int) {
		divideRowsdAsm(&dst[0], &num[0], &den[0], uintptr(stride)*8, rows, len(num))
	}
	v.relax = func(x, next []float64, more float64) {
		relaxdAsm(&x[0], &next[0], more, more/3, 2*len(x))
	}
}
