//go:build !noasm

package poincare

import "contextmover/internal/system"

var vectorised = system.AVX2

// near returns the square of the distance of two points, if all of their disks' are so near that series do.
func (m *model) near(x, y []float32) (sum float32, ok bool) {
	if !vectorised {
		return 0, false
	}
	sum, most := squareAVX2(&x[0], &y[0], m.padded)
	return sum, most < nearby
}

// stepNear is step for such points.
func (m *model) stepNear(x, y []float32, g, rate float32) { stepAVX2(&x[0], &y[0], m.padded, g, -rate) }

// The kernels do what square and step do for points of n disks, a positive multiple of lanes, whose u are below
// nearby; most is the greatest of them.

//go:noescape
func squareAVX2(x, y *float32, n int) (sum, most float32)

//go:noescape
func stepAVX2(x, y *float32, n int, slope, minusrate float32)
