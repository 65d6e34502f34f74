package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
)

// vectors looks like word vectors: 98,492 points of 300 dimensions around 2,000 centres,
// the coordinates falling like singular values.
var vectors = sync.OnceValue(func() []float32 {
	const n, dim, groups = 98_492, 300, 2000
	random := rand.New(rand.NewPCG(1, 1))
	centres := make([]float64, groups*dim)
	for i := range centres {
		centres[i] = random.NormFloat64()
	}
	x := make([]float32, n*dim)
	for i := range n {
		group := int(groups * math.Pow(random.Float64(), 2))
		for j := range dim {
			x[i*dim+j] = float32((centres[group*dim+j] + 0.8*random.NormFloat64()) * math.Pow(float64(j+2), -0.4))
		}
	}
	return x
})

func BenchmarkKMeans(b *testing.B) {
	for _, k := range []int{300, 600} {
		for _, spherical := range []bool{false, true} {
			b.Run(fmt.Sprintf("K=%d/spherical=%v", k, spherical), func(b *testing.B) {
				iterations := 0
				for b.Loop() {
					r, err := KMeans(b.Context(), vectors(), 300, Params{K: k, Spherical: spherical, MaxIter: 300, Tol: 1e-4, Seed: 21}, nil)
					if err != nil {
						b.Fatal(err)
					}
					iterations = r.Iterations
				}
				b.ReportMetric(float64(iterations), "iterations")
			})
		}
	}
}

// The first assignment, which no bound shortens.
func BenchmarkAssign(b *testing.B) {
	const k = 600
	s, err := prepare(context.Background(), vectors(), 300, false)
	if err != nil {
		b.Fatal(err)
	}
	seeds := make([]int, k)
	for i := range seeds {
		seeds[i] = i * 100
	}
	for b.Loop() {
		if _, err := newLloyd(s, Params{K: k}, seeds).assign(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	flop := 2 * float64(len(s.data)) * k * float64(b.N)
	b.ReportMetric(flop/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}

func BenchmarkSeed(b *testing.B) {
	s, err := prepare(context.Background(), vectors(), 300, false)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := plusPlus(b.Context(), s, 600, 1); err != nil {
			b.Fatal(err)
		}
	}
}
