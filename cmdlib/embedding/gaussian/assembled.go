//go:build (amd64 || arm64) && !noasm

package gaussian

type (
	tripleKernel func(x, y, z, to *float32, blocks int)
	updateKernel func(
		x, mean, variance *float32, stride uintptr, scaleMean, scaleVariance, least, greatest float32, squares *float32,
		blocks int)
	scaleKernel func(x *float32, by float32, blocks int)
)

// assembled returns kernels that take slices.
func assembled(terms, gradients tripleKernel, update updateKernel, scale scaleKernel) kernels {
	triple := func(k tripleKernel) func(x, y, z, to []float32) {
		return func(x, y, z, to []float32) { k(&x[0], &y[0], &z[0], &to[0], len(x)/(2*lanes)) }
	}
	return kernels{
		terms:     triple(terms),
		gradients: triple(gradients),
		update: func(x []float32, by change, squares []float32) {
			update(&x[0], &by.mean[0], &by.variance[0], uintptr(4*by.stride()), by.scaleMean, by.scaleVariance,
				by.least, by.greatest, &squares[0], len(x)/(2*lanes))
		},
		scale: func(x []float32, by float32) { scale(&x[0], by, len(x)/(2*lanes)) },
	}
}
