//go:build !noasm

package dive

import "contextmover/internal/system"

func init() {
	if system.AVX2 {
		dot, step = dotAVX2, stepAVX2
	}
}

// The kernels do what dotPortable and stepPortable do, for a positive multiple of 2·lanes floats.

//go:noescape
func dotAVX2(w, c []float32) float32

//go:noescape
func stepAVX2(w, c []float32, gradient, rate float32)
