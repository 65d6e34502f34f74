package entailment

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
	const half = 3 * lanes
	r := rand.New(rand.NewPCG(1, 1))
	w, c := make([]float32, 2*half), make([]float32, 2*half)
	for k := range half {
		w[k], c[k], w[half+k], c[half+k] = 3*r.Float32(), 3*r.Float32(), r.Float32(), r.Float32()
	}
	var scores []float32
	for range 50 {
		scores = append(scores, score(w, c, 0.1))
		step(w, c, 0.1, 0.3)
	}
	var bits golden.Bits
	bits.Add(t, "scores", scores)
	bits.Add(t, "word", w)
	bits.Add(t, "context", c)
	bits.Check(t, "testdata/bits.txt")
}
