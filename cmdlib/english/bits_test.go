package english

import (
	"testing"

	"contextmover/cmdlib/ot/cpu"
	"contextmover/internal/golden"
	"contextmover/internal/system"
)

// Distances of sentences have the bits of the golden file on all families of processors.
func TestBits(t *testing.T) {
	if !system.AVX2 && !system.NEON {
		return
	}
	s, err := Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	var bits golden.Bits
	for _, texts := range [][2]string{
		{"a man is playing a guitar", "somebody plays an instrument"},
		{"the king spoke to the people", "the stock market fell"},
		{"a dog runs in the park", "a dog runs in the park"},
	} {
		d, err := s.ByTransport().Compare(t.Context(), texts[0], texts[1])
		if err != nil {
			t.Fatal(err)
		}
		bits.Add(t, texts[0], []float64{d.Cost})
	}
	bits.Check(t, "testdata/bits.txt")
}
