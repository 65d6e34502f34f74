package score

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkPearsonDraws draws as for one of the sets of sentence pairs: once, and for a further row of it.
func BenchmarkPearsonDraws(b *testing.B) {
	const n, draws = 750, 10_000
	random := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = random.NormFloat64()
		y[i] = x[i] + random.NormFloat64()
	}
	kept := NewSampler(n, 1)
	for _, c := range []struct {
		name string
		of   func() *Sampler
	}{{"first", func() *Sampler { return NewSampler(n, 1) }}, {"further", func() *Sampler { return kept }}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := c.of().PearsonDraws(b.Context(), x, y, draws); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*draws), "ns/item")
		})
	}
}

// BenchmarkPairsDraws draws as for a set of hypernymy, of which every second term is shared by ten pairs.
func BenchmarkPairsDraws(b *testing.B) {
	const n, draws = 20_000, 200
	random := rand.New(rand.NewPCG(1, 1))
	first, second := make([]string, n), make([]string, n)
	labels, scores := make([]bool, n), make([]float64, n)
	for i := range first {
		first[i], second[i] = fmt.Sprint("a", i), fmt.Sprint("b", i/10)
		labels[i], scores[i] = random.IntN(5) == 0, random.NormFloat64()
	}
	pairs := NewPairs(first, second)
	ranking, err := NewRanking(labels, scores)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := pairs.Draws(b.Context(), draws, 1, func(_ int, weights []int32) float64 { return ranking.AveragePrecision(weights) }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*draws), "ns/pair")
}
