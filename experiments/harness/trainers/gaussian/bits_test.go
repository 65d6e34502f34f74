package gaussian

import (
	"fmt"
	"testing"

	"contextmover/experiments/harness/trainers/internal/countstest"
	"contextmover/internal/golden"
)

// Trained distributions have the bits of the golden file on all families of processors.
func TestBits(t *testing.T) {
	var bits golden.Bits
	for _, spherical := range []bool{false, true} {
		for _, dim := range []int{1, 20, 48} {
			p := params()
			p.Dim, p.Spherical, p.Negatives, p.Length = dim, spherical, 2, 0.5
			r := train(t, countstest.Groups(100, 10), p)
			name := fmt.Sprintf("KL, spherical %t, %d components", spherical, dim)
			bits.Add(t, name, r.Vectors)
			bits.Add(t, name+", losses", r.Loss)
		}
	}
	bits.Check(t, "testdata/bits.txt")
}
