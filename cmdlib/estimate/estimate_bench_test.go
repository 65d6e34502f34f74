package estimate

import (
	"context"
	"testing"
)

func Benchmark(b *testing.B) {
	m := matrixOf(random(2000, 2000, 0.3))
	assignment := make([]int32, 2000)
	for c := range assignment {
		assignment[c] = int32(c % 300)
	}
	for b.Loop() {
		if _, err := Histograms(context.Background(), m, assignment, 300, Params{Total, 1}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(m.NonZeros()), "ns/association")
}
