//go:build !noasm

package dive

import "contextmover/internal/system"

var vectorised = system.AVX2

func dot(w, c []float32) float32 {
	if vectorised {
		return dotAVX2(&w[0], &c[0], len(w))
	}
	return dotPortable(w, c)
}

func step(w, c []float32, g, rate float32) {
	if vectorised {
		stepAVX2(&w[0], &c[0], len(w), g, rate)
		return
	}
	stepPortable(w, c, g, rate)
}

// The kernels do what dotPortable and stepPortable do, for n floats, a positive multiple of 2·lanes.

//go:noescape
func dotAVX2(w, c *float32, n int) float32

//go:noescape
func stepAVX2(w, c *float32, n int, gradient, rate float32)
