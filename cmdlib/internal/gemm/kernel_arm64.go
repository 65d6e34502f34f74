//go:build !noasm

package gemm

//go:noescape
func tileNEONx16(t *tile)

//go:noescape
func tileNEONx8d(t *tile)

//go:noescape
func peakNEON(n int)

var neon = kernelSet{
	isa: NEON, rows: 6, wide32: 16, wide64: 8,
	spin: func(n int) float64 { peakNEON(n); return 4 * 24 * 4 * 2 },
}

func run[T Float](s *kernelSet, t *tile, _ int) {
	switch {
	case s == &portable:
		portableTile[T](t)
	case size[T]() == 8:
		tileNEONx8d(t)
	default:
		tileNEONx16(t)
	}
}

// kernels lists what this machine can run, best first: every arm64 processor has NEON.
func kernels() []*kernelSet { return []*kernelSet{&neon, &portable} }

// runStrip is never called: no kernel has strips.
func runStrip(*tile) {}
