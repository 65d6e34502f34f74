//go:build !noasm

package svd

func kernels() map[string]func(y, x []float32, index []int32, value []float32) {
	kernels := map[string]func(y, x []float32, index []int32, value []float32){"portable": stripSumPortable, "chosen": stripSum}
	if hasAVX2 && hasAVX512 {
		kernels["AVX2"] = func(y, x []float32, index []int32, value []float32) {
			defer func(has bool) { hasAVX512 = has }(hasAVX512)
			hasAVX512 = false
			stripSum(y, x, index, value)
		}
	}
	return kernels
}
