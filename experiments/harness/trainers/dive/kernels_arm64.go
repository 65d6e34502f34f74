//go:build !noasm

package dive

//go:generate go run gen_neon.go

func dot(w, c []float32) float32 { return dotNEON(&w[0], &c[0], len(w)) }

func step(w, c []float32, g, rate float32) { stepNEON(&w[0], &c[0], len(w), g, rate) }

// The kernels do what dotPortable and stepPortable do, for n floats, a positive multiple of 2·lanes.

//go:noescape
func dotNEON(w, c *float32, n int) float32

//go:noescape
func stepNEON(w, c *float32, n int, gradient, rate float32)
