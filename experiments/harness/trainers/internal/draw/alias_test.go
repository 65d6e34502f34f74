package draw

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The alias method draws what it is given.
func TestAlias(t *testing.T) {
	weights := []float64{1, 0, 5, 2, 0.5}
	a := NewAlias(weights)
	random := rand.NewPCG(1, 0)
	const n = 200_000
	count := make([]int, len(weights))
	for range n {
		count[a.Draw(random.Uint64())]++
	}
	for i, w := range weights {
		if p := w / 8.5; math.Abs(float64(count[i])/n-p) > 5*math.Sqrt(p*(1-p)/n)+1e-9 {
			t.Errorf("%d: drawn %d times of %d, expected the share %v", i, count[i], n, p)
		}
	}
}
