//go:build !noasm

package sent2vec

import "contextmover/internal/system"

func init() {
	switch {
	case system.AVX512:
		addScaled, dot = addScaledAVX512, dotAVX512
	case system.AVX2:
		addScaled, dot = addScaledAVX2, dotAVX2
	}
}

// The kernels take a positive multiple of lanes floats.

//go:noescape
func addScaledAVX512(y, x []float32, a float32, ahead []float32)

//go:noescape
func addScaledAVX2(y, x []float32, a float32, ahead []float32)

//go:noescape
func dotAVX512(x, y, ahead []float32) float32

//go:noescape
func dotAVX2(x, y, ahead []float32) float32
