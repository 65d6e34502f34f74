//go:build !noasm

package poincare

import "contextmover/internal/system"

func init() {
	if system.AVX2 {
		squareNear, stepNear = squareAVX2, stepAVX2
	}
}

//go:noescape
func squareAVX2(x, y *float32, n int) (sum, most float32)

//go:noescape
func stepAVX2(x, y *float32, n int, slope, minusrate float32)
