package method

import (
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib/sentence"
)

// A word's own vector has the length, is the same each time,
// and nearly at right angles to those of other words and seeds.
func TestOwn(t *testing.T) {
	vector := func(word string, seed uint64) []float32 {
		v := make([]float32, 900)
		sentence.OwnVector(v, word, 1.5, seed)
		return v
	}
	dot := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	a := vector("zzgub", 1)
	if !slices.Equal(a, vector("zzgub", 1)) || math.Abs(dot(a, a)-2.25) > 1e-5 {
		t.Errorf("square length %v", dot(a, a))
	}
	for _, b := range [][]float32{vector("zzgob", 1), vector("zzgub", 2)} {
		if c := dot(a, b) / 2.25; math.Abs(c) > 0.15 { // 4.5 standard deviations
			t.Errorf("cosine %v", c)
		}
	}
	zero := make([]float32, 3)
	if put(zero, []float32{0, 0, 0}, 1); slices.Max(zero) != 0 || slices.Min(zero) != 0 {
		t.Errorf("a zero vector becomes %v", zero)
	}
}
