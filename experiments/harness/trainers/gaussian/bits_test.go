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
	for _, e := range []Energy{KL, EL} {
		for _, spherical := range []bool{false, true} {
			for _, dim := range []int{1, 20, 48} {
				p := params()
				p.Dim, p.Energy, p.Spherical, p.Negatives, p.Length = dim, e, spherical, 2, 0.5
				r := train(t, countstest.Groups(100, 10), p)
				name := fmt.Sprintf("%s, spherical %t, %d components", e, spherical, dim)
				bits.Add(t, name, r.Vectors)
				bits.Add(t, name+", losses", r.Loss)
			}
		}
	}
	bits.Check(t, "testdata/bits.txt")
}
