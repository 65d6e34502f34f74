//go:build !noasm

package gemm

//go:noescape
func tileNEONx16(t *tile)

// neon multiplies float64 by fused multiply-adds in Go, so that products have the bits of the other families.
var neon = kernelSet{isa: NEON, rows: 6, wide32: lanes, wide64: lanes}

func run[T Float](s *kernelSet, t *tile, _ int) {
	switch {
	case s == &portable:
		portableTile[T](t, false)
	case size[T]() == 8:
		portableTile[T](t, true)
	default:
		tileNEONx16(t)
	}
}

// kernels lists what this machine can run, best first: every arm64 processor has NEON.
func kernels() []*kernelSet { return []*kernelSet{&neon, &portable} }

// runStrip is never called: no kernel has strips.
func runStrip(*tile) {}
