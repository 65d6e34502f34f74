package sppmi

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"contextmover/cmdlib/sparse"
)

// Benchmark reports the time per stored count on rows as long as those of a
// corpus: the r-th word has about n/r^0.6 contexts.
func Benchmark(b *testing.B) {
	const n = 20000
	random := rand.New(rand.NewPCG(1, 1))
	m := &sparse.Matrix[float64]{Rows: n, Cols: n, Start: []int64{0}}
	for w := range n {
		share := math.Pow(float64(w+1), -0.6)
		for c := range n {
			if random.Float64() < share {
				m.Index = append(m.Index, int32(c))
				m.Value = append(m.Value, random.ExpFloat64())
			}
		}
		m.Start = append(m.Start, int64(len(m.Value)))
	}
	for b.Loop() {
		if _, err := Compute(context.Background(), m, Params{Smoothing: 0.55, Shift: 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.NonZeros()), "ns/count")
}
