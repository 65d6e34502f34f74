package sent2vec

import (
	"math/rand/v2"
	"testing"

	"contextmover/internal/golden"
	"contextmover/internal/system"
)

// AVX-512 gives the bits of the golden file; AVX2 adds lanes in another order.
func TestBits(t *testing.T) {
	if !system.AVX512 {
		return
	}
	r := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float32, 3*lanes), make([]float32, 3*lanes)
	for k := range x {
		x[k], y[k] = r.Float32()-0.5, r.Float32()-0.5
	}
	var products []float32
	for range 20 {
		products = append(products, dot(x, y, x))
		addScaled(y, x, products[len(products)-1], x)
	}
	var bits golden.Bits
	bits.Add(t, "products", products)
	bits.Add(t, "sum", y)
	bits.Check(t, "testdata/bits.txt")
}
