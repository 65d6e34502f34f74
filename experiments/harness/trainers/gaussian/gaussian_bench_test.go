package gaussian

import (
	"testing"
	"time"

	"contextmover/experiments/harness/trainers/glove"
	"contextmover/experiments/harness/trainers/internal/countstest"
)

// BenchmarkTrain measures a pass of 5 million co-occurrences at dimension 100, with
// an epoch of GloVe on the same counts beside it: how many of GloVe's records, of
// 10 million, are trained in the time of a co-occurrence with its negative.
func BenchmarkTrain(b *testing.B) {
	counts := countstest.CorpusLike()
	p := params()
	p.Dim, p.Passes, p.Samples = 100, 1, 5_000_000
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
	pair := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / float64(p.Samples)
	record := float64(other.Nanoseconds()) / float64(b.N) / float64(counts.NonZeros())
	b.ReportMetric(pair, "ns/co-occurrence")
	b.ReportMetric(pair/record, "GloVe-records/co-occurrence")
	b.ReportMetric(0, "ns/op")
}
