//go:build !noasm

package sent2vec

import "contextmover/internal/system"

// addScaled adds a·x to y, and fetches ahead, which is as long, into the cache.
var addScaled = fastestAddScaled()

// dot returns x·y, and fetches ahead into the cache.
var dot = fastestDot()

func fastestAddScaled() func(y, x []float32, a float32, ahead []float32) {
	switch {
	case system.AVX512:
		return addScaled512
	case system.AVX2:
		return addScaled256
	}
	return func(y, x []float32, a float32, _ []float32) { addScaledPortable(y, x, a) }
}

func fastestDot() func(x, y, ahead []float32) float32 {
	switch {
	case system.AVX512:
		return dot512
	case system.AVX2:
		return dot256
	}
	return func(x, y, _ []float32) float32 { return dotPortable(x, y) }
}

func addScaled512(y, x []float32, a float32, ahead []float32) {
	addScaledAVX512(&y[0], &x[0], len(y), a, &ahead[0])
}

func addScaled256(y, x []float32, a float32, ahead []float32) {
	addScaledAVX2(&y[0], &x[0], len(y), a, &ahead[0])
}

func dot512(x, y, ahead []float32) float32 { return dotAVX512(&x[0], &y[0], len(x), &ahead[0]) }

func dot256(x, y, ahead []float32) float32 { return dotAVX2(&x[0], &y[0], len(x), &ahead[0]) }

// The kernels take n floats, a positive multiple of lanes.

//go:noescape
func addScaledAVX512(y, x *float32, n int, a float32, ahead *float32)

//go:noescape
func addScaledAVX2(y, x *float32, n int, a float32, ahead *float32)

//go:noescape
func dotAVX512(x, y *float32, n int, ahead *float32) float32

//go:noescape
func dotAVX2(x, y *float32, n int, ahead *float32) float32
