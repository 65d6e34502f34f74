//go:build !noasm

package svd

//go:generate go run gen_neon.go

// stripSum sets the strip y to Σ_e value[e]·(row index[e] of x), where rows of x are
// stripWidth long.
func stripSum(y, x []float32, index []int32, value []float32) {
	if len(index) == 0 {
		clear(y)
		return
	}
	stripSumNEON(&y[0], &x[0], &index[0], &value[0], len(index))
}

// panelProduct adds aᵀ·b to the panelWidth×panelWidth block sum of a matrix with the
// given stride; a and b are panels of the given number of rows.
func panelProduct(sum []float64, stride int, a, b []float64, rows int) {
	halfPanelNEON(&sum[0], stride, &a[0], &b[0], rows)
	halfPanelNEON(&sum[panelWidth/2*stride], stride, &a[panelWidth/2], &b[0], rows)
}

//go:noescape
func stripSumNEON(y, x *float32, index *int32, value *float32, n int)

//go:noescape
func halfPanelNEON(sum *float64, stride int, a, b *float64, rows int)
