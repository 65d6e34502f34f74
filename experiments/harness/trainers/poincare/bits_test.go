package poincare

import (
	"math/rand/v2"
	"testing"

	"contextmover/internal/golden"
	"contextmover/internal/system"
)

// Vector instructions give the bits of the golden file.
func TestBits(t *testing.T) {
	if !system.AVX2 {
		return
	}
	m := &model{padded: 3 * lanes}
	r := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float32, 3*m.padded), make([]float32, 3*m.padded)
	for k := range x {
		x[k], y[k] = 0.3*r.Float32(), 0.3*r.Float32()
	}
	var squares []float32
	for i := range 50 {
		square, _ := squareNear(&x[0], &y[0], m.padded)
		squares = append(squares, square)
		stepNear(&x[0], &y[0], m.padded, []float32{1, -1, 20}[i%3], -0.1)
	}
	var bits golden.Bits
	bits.Add(t, "squares", squares)
	bits.Add(t, "word", x)
	bits.Add(t, "context", y)
	bits.Check(t, "testdata/bits.txt")
}
