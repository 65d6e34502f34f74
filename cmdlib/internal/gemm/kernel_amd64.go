//go:build amd64 && !noasm

package gemm

import "contextmover/internal/system"

//go:generate go run gen_kernel.go gen_neon.go

//go:noescape
func tile512x32(t *tile)

//go:noescape
func tile512x16(t *tile)

//go:noescape
func tile256x16(t *tile)

//go:noescape
func tile512x16d(t *tile)

//go:noescape
func tile256x8d(t *tile)

//go:noescape
func strip256(t *tile)

var avx512 = kernelSet{isa: AVX512, rows: 14, wide32: 32, wide64: 16}

var avx2 = kernelSet{isa: AVX2, rows: 6, wide32: 16, wide64: 8, panels: mostPanels}

func run[T Float](s *kernelSet, t *tile, width int) {
	switch {
	case s == &portable:
		portableTile[T](t, false)
	case s == &avx2 && size[T]() == 8:
		tile256x8d(t)
	case s == &avx2:
		tile256x16(t)
	case size[T]() == 8:
		tile512x16d(t)
	case width == 32:
		tile512x32(t)
	default:
		tile512x16(t)
	}
}

// runStrip is run for one row and as many panels as t.rows says, two at least.
func runStrip(t *tile) { strip256(t) }

// kernels lists what this machine can run, best first.
func kernels() []*kernelSet {
	var sets []*kernelSet
	if system.AVX512 {
		sets = append(sets, &avx512)
	}
	if system.AVX2 {
		sets = append(sets, &avx2)
	}
	return append(sets, &portable)
}
