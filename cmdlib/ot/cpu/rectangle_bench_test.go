package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
)

// rectangles are 256 problems of n×n bins between random points in 20 dimensions, with costs divided by their mean.
func rectangles(n int) *ot.Batch {
	rng := rand.New(rand.NewPCG(uint64(n), 2))
	const count, dim = 256, 20
	points := make([]float64, count*2*n*dim)
	for i := range points {
		points[i] = rng.NormFloat64() / math.Sqrt(2*dim)
	}
	return &ot.Batch{
		Settings: ot.Settings{Reg: 0.1, MaxIter: 100}, N: count,
		Load: func(i int, r *ot.Rectangle) error {
			r.Source, r.Target = r.Source[:0], r.Target[:0]
			for range n {
				r.Source, r.Target = append(r.Source, 1/float64(n)), append(r.Target, 1/float64(n))
			}
			x := points[i*2*n*dim:]
			r.Between(func(i, j int) float64 {
				sum := 0.0
				for d := range dim {
					y := x[i*dim+d] - x[(n+j)*dim+d]
					sum += float64(y * y)
				}
				return math.Sqrt(sum)
			})
			return nil
		},
	}
}

// BenchmarkBatch solves many small problems with a cost each; peers.sh has what others take.
func BenchmarkBatch(b *testing.B) {
	for _, n := range []int{10, 25, 60} {
		for _, engine := range []ot.Engine{New(), exact.New()} {
			b.Run(fmt.Sprintf("%s/%d", engine.Name(), n), func(b *testing.B) {
				batch := rectangles(n)
				for b.Loop() {
					if err := ot.Batches(b.Context(), engine, batch, func(int, []ot.Result) error { return nil }); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*batch.N), "µs/problem")
			})
		}
	}
}
