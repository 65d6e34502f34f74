//go:build !amd64 || noasm

package svd

func kernels() map[string]func(y, x []float32, index []int32, value []float32) {
	return map[string]func(y, x []float32, index []int32, value []float32){"portable": stripSumPortable, "chosen": stripSum}
}
