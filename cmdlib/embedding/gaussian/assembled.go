//go:build (amd64 || arm64) && !noasm

package gaussian

type (
	squaresKernel       func(x, y, z *float32, sums *laneSums, a, b float32, blocks int)
	moveSphericalKernel func(x, y, z *float32, sums *laneSums, a, b, ofX, ofY, ofZ float32, blocks int)
	tripleKernel        func(x, y, z, to *float32, blocks int)
	moveMeanKernel      func(x, gradient *float32, scale float32, squares *float32, blocks int)
	moveVarianceKernel  func(x, gradient *float32, scale, least, greatest float32, blocks int)
	scaleKernel         func(x *float32, by float32, blocks int)
)

// assembled returns kernels that take slices.
func assembled(
	terms, gradients tripleKernel, moveMean moveMeanKernel, moveVariance moveVarianceKernel,
	scale scaleKernel) kernels {
	triple := func(k tripleKernel) func(x, y, z, to []float32) {
		return func(x, y, z, to []float32) { k(&x[0], &y[0], &z[0], &to[0], len(x)/(2*lanes)) }
	}
	return kernels{
		terms:     triple(terms),
		gradients: triple(gradients),
		moveMean: func(x, gradient []float32, scale float32, squares []float32) {
			moveMean(&x[0], &gradient[0], scale, &squares[0], len(x)/(2*lanes))
		},
		moveVariance: func(x []float32, by change) {
			moveVariance(&x[0], &by.gradient[0], by.scale, by.least, by.greatest, len(x)/(2*lanes))
		},
		scale: func(x []float32, by float32) { scale(&x[0], by, len(x)/(2*lanes)) },
	}
}

// with returns k with those of spherical distributions.
func (k kernels) with(squares squaresKernel, moveSpherical moveSphericalKernel) kernels {
	k.squares = func(x, y, z []float32, a, b float32, sums *laneSums) {
		squares(&x[0], &y[0], &z[0], sums, a, b, len(x)/(2*lanes))
	}
	k.moveSpherical = func(x, y, z []float32, a, b float32, by [3]float32, sums *laneSums) {
		moveSpherical(&x[0], &y[0], &z[0], sums, a, b, by[0], by[1], by[2], len(x)/(2*lanes))
	}
	return k
}
