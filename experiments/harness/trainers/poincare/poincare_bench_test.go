package poincare

import (
	"testing"
	"time"

	"contextmover/experiments/harness/trainers/glove"
	"contextmover/experiments/harness/trainers/internal/countstest"
)

// BenchmarkTrain measures an epoch at 50 disks, with one of GloVe at dimension 100, which has as many numbers,
// on the same 10 million counts beside it: how many of GloVe's records are trained in the time of one.
func BenchmarkTrain(b *testing.B) {
	counts := countstest.CorpusLike()
	p := Params{Disks: 50, Epochs: 1, Rate: 0.05, XMax: 100, Exponent: 0.75}
	of := glove.Params{Dim: 100, Epochs: 1, Rate: 0.05, XMax: 100, Exponent: 0.75, Rule: glove.Rule2018}
	var other time.Duration
	for b.Loop() {
		if _, err := Train(b.Context(), counts, p, nil); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		start := time.Now()
		if _, err := glove.Train(b.Context(), counts, of, nil); err != nil {
			b.Fatal(err)
		}
		other += time.Since(start)
		b.StartTimer()
	}
	records := float64(b.N) * float64(counts.NonZeros())
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/records, "ns/record")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(other.Nanoseconds()), "GloVe-records/record")
	b.ReportMetric(0, "ns/op")
}
