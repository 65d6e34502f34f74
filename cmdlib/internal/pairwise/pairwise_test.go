package pairwise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func vectors(random *rand.Rand, count, n int) [][]float32 {
	all := make([][]float32, count)
	for i := range all {
		for range n {
			all[i] = append(all[i], float32(random.NormFloat64()*math.Exp(3*random.NormFloat64())))
		}
	}
	return all
}

// All kernels have the bits of sums in order, of all shapes; a vector is at 0 from itself.
func TestBits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, k := range kernels() {
		var memory []float64
		for range 300 {
			n := random.IntN(40)
			x, y := vectors(random, random.IntN(14), n), vectors(random, random.IntN(19), n)
			y = append(y, x...)
			memory = compare(memory, x, y, k.squares)
			distances := slices.Clone(memory)
			memory = compare(memory, x, y, k.products)
			for i, a := range x {
				for j, b := range y {
					distance, product := 0.0, 0.0
					for l := range a {
						d := float64(a[l] - b[l])
						distance += float64(d * d)
						product += float64(float64(a[l]) * float64(b[l]))
					}
					at := i*len(y) + j
					if distances[at] != distance || memory[at] != product {
						t.Fatalf("%s, %d×%d vectors of %d: %v and %v, expected %v and %v",
							k.name, len(x), len(y), n, distances[at], memory[at], distance, product)
					}
				}
				if d := distances[i*len(y)+len(y)-len(x)+i]; d != 0 {
					t.Fatalf("%s: a vector is at %v from itself", k.name, d)
				}
			}
		}
	}
}

func BenchmarkSquares(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	x, y := vectors(random, 25, 300), vectors(random, 25, 300)
	for _, k := range kernels() {
		b.Run(k.name, func(b *testing.B) {
			var to []float64
			for b.Loop() {
				to = compare(to, x, y, k.squares)
			}
			b.ReportMetric(25*25*300*float64(b.N)/b.Elapsed().Seconds()/1e9, "G/s")
		})
	}
}
