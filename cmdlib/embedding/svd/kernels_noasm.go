//go:build (!amd64 && !arm64) || noasm

package svd

func stripSum(y, x []float32, index []int32, value []float32) {
	stripSumPortable(y, x, index, value)
}

func panelProduct(sum []float64, stride int, a, b []float64, rows int) {
	panelProductPortable(sum, stride, a, b, rows)
}
