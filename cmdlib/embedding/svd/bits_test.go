package svd

import (
	"math/rand/v2"
	"testing"

	"contextmover/internal/golden"
	"contextmover/internal/system"
)

// Vector instructions give the bits of the golden file on all families of processors.
func TestBits(t *testing.T) {
	if !system.AVX2 && !system.NEON {
		return
	}
	r := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float32, 50*stripWidth), make([]float32, stripWidth)
	for i := range x {
		x[i] = r.Float32() - 0.5
	}
	index, value := make([]int32, 37), make([]float32, 37)
	for e := range index {
		index[e], value[e] = r.Int32N(50), r.Float32()
	}
	stripSum(y, x, index, value)
	const rows, stride = 29, 2 * panelWidth
	a, b, sum := make([]float64, rows*panelWidth), make([]float64, rows*panelWidth), make([]float64, panelWidth*stride)
	for i := range a {
		a[i], b[i] = r.Float64()-0.5, r.Float64()-0.5
	}
	for i := range sum {
		sum[i] = r.Float64()
	}
	panelProduct(sum, stride, a, b, rows)
	var bits golden.Bits
	bits.Add(t, "strip", y)
	bits.Add(t, "panels", sum)
	bits.Check(t, "testdata/bits.txt")
}
