//go:build !noasm

package svd

import "contextmover/internal/system"

var (
	hasAVX2   = system.AVX2
	hasAVX512 = system.AVX512
)

// stripSum sets the strip y to Σ_e value[e]·(row index[e] of x), where rows of x are
// stripWidth long.
func stripSum(y, x []float32, index []int32, value []float32) {
	switch {
	case len(index) == 0 || !hasAVX2:
		stripSumPortable(y, x, index, value)
	case hasAVX512:
		stripSumAVX512(&y[0], &x[0], &index[0], &value[0], len(index))
	default:
		stripSumAVX2(&y[0], &x[0], &index[0], &value[0], len(index))
	}
}

// panelProduct adds aᵀ·b to the panelWidth×panelWidth block sum of a matrix with the
// given stride; a and b are panels of the given number of rows.
func panelProduct(sum []float64, stride int, a, b []float64, rows int) {
	if !hasAVX2 {
		panelProductPortable(sum, stride, a, b, rows)
		return
	}
	halfPanelAVX2(&sum[0], stride, &a[0], &b[0], rows)
	halfPanelAVX2(&sum[panelWidth/2*stride], stride, &a[panelWidth/2], &b[0], rows)
}

//go:noescape
func stripSumAVX2(y, x *float32, index *int32, value *float32, n int)

//go:noescape
func stripSumAVX512(y, x *float32, index *int32, value *float32, n int)

//go:noescape
func halfPanelAVX2(sum *float64, stride int, a, b *float64, rows int)
