//go:build !noasm

package poincare

//go:generate go run gen_neon.go

const vectorised = true

// near returns the square of the distance of two points, if all of their disks' are so near that series do.
func (m *model) near(x, y []float32) (sum float32, ok bool) {
	sum, most := squareNEON(&x[0], &y[0], m.padded)
	return sum, most < nearby
}

// stepNear is step for such points.
func (m *model) stepNear(x, y []float32, g, rate float32) { stepNEON(&x[0], &y[0], m.padded, g, -rate) }

// The kernels do what square and step do for points of n disks, a positive multiple of lanes, whose u are below
// nearby; most is the greatest of them.

//go:noescape
func squareNEON(x, y *float32, n int) (sum, most float32)

//go:noescape
func stepNEON(x, y *float32, n int, slope, minusrate float32)
