package glove

import (
	"context"
	"testing"

	"contextmover/experiments/harness/trainers/internal/countstest"
)

// BenchmarkUpdate measures an epoch at dimension 300, on one thread.
func BenchmarkUpdate(b *testing.B) {
	p := Params{Dim: 300, Rate: 0.05, XMax: 100, Exponent: 0.75, Rule: Rule2018}
	l, err := arrange(context.Background(), countstest.CorpusLike(), p)
	if err != nil {
		b.Fatal(err)
	}
	m, err := newModel(context.Background(), l, p)
	if err != nil {
		b.Fatal(err)
	}
	for name, update := range updates {
		b.Run(name, func(b *testing.B) {
			records := int64(0)
			for b.Loop() {
				for d := range min(4, l.Parts) {
					for part := range l.Parts {
						block := l.Block(part, (part+d)%l.Parts)
						update(m, block)
						records += block.Records
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(records), "ns/record")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkTrain measures everything: arranging, starting and an epoch.
func BenchmarkTrain(b *testing.B) {
	counts := countstest.CorpusLike()
	p := Params{Dim: 300, Epochs: 1, Rate: 0.05, XMax: 100, Exponent: 0.75, Rule: Rule2018}
	for b.Loop() {
		if _, err := Train(context.Background(), counts, p, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(counts.NonZeros()), "ns/record")
}
