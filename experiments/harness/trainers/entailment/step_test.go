package entailment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The kernels compute what the portable functions do, up to the rounding of each operation
// (u relative): the compiler and the kernels fuse and order them differently.
func TestKernels(t *testing.T) {
	const u, half, odds, move = 0x1p-24, 3 * lanes, 0.1, 0.3
	r := rand.New(rand.NewPCG(1, 0))
	w, c := make([]float32, 2*half), make([]float32, 2*half)
	for _, x := range [][]float32{w, c} {
		for k := range half {
			x[k] = float32(r.ExpFloat64())
			x[half+k] = float32(math.Exp(-float64(x[k])))
		}
	}
	for n := range 100 {
		// Five operations make each of half positive terms, half−1 add them.
		got, want := float64(score(w, c, odds)), float64(scorePortable(w, c, odds))
		if math.Abs(got-want) > 2*(5+half-1)*u*want {
			t.Errorf("step %d: score %v, want %v", n, got, want)
		}
		w2, c2 := slices.Clone(w), slices.Clone(c)
		before := [][]float32{slices.Clone(w), slices.Clone(c)}
		step(w2, c2, odds, move)
		stepPortable(w, c, odds, move)
		for k := range half {
			s := float64(before[0][k]) + float64(before[1][k])
			for at, pair := range [][2][]float32{{w2, w}, {c2, c}} {
				// Eight operations make e, from terms of at most move·(s+1), and one adds it to A;
				// R is multiplied by the exponential of −e, another eight operations.
				e := 2 * 8 * u * move * (s + 1)
				a, b := float64(pair[0][k]), float64(pair[1][k])
				if math.Abs(a-b) > e+2*u*math.Abs(b) {
					t.Errorf("step %d: A[%d] of vector %d is %v, want %v", n, k, at, a, b)
				}
				a, b = float64(pair[0][half+k]), float64(pair[1][half+k])
				if math.Abs(a-b) > (e+2*8*u)*float64(before[at][half+k])*math.Exp(0.5) {
					t.Errorf("step %d: R[%d] of vector %d is %v, want %v", n, k, at, a, b)
				}
			}
		}
	}
}
