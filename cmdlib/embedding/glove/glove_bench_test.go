package glove

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/cmdlib/sparse"
)

// corpusLike makes about 10 million counts of 98,492 words, as many as two corpora
// of novels and encyclopedia articles have, with Zipf's law in rows and columns.
func corpusLike() *sparse.Matrix[float64] {
	const n = 98492
	random := rand.New(rand.NewPCG(1, 1))
	m := &sparse.Matrix[float64]{Rows: n, Cols: n, Start: []int64{0}}
	row := make([]int32, 0, n)
	for i := range n {
		row = row[:0]
		for range 1_600_000/(i+20) + 4 {
			row = append(row, int32(math.Pow(n, random.Float64()))-1)
		}
		slices.Sort(row)
		for _, j := range slices.Compact(row) {
			m.Index = append(m.Index, j)
			m.Value = append(m.Value, 1/float64(1+random.IntN(10))+1e6/float64(i+1)/float64(j+1))
		}
		m.Start = append(m.Start, int64(len(m.Index)))
	}
	return m
}

// BenchmarkUpdate measures an epoch at dimension 300, on one thread.
func BenchmarkUpdate(b *testing.B) {
	p := Params{Dim: 300, Rate: 0.05, XMax: 100, Exponent: 0.75, Rule: Rule2018}
	l, err := arrange(context.Background(), corpusLike(), p)
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
				for d := range min(4, l.parts) {
					for part := range l.parts {
						block := l.block(part, (part+d)%l.parts)
						update(m, block)
						records += block.records
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
	counts := corpusLike()
	p := Params{Dim: 300, Epochs: 1, Rate: 0.05, XMax: 100, Exponent: 0.75, Rule: Rule2018}
	for b.Loop() {
		if _, err := Train(context.Background(), counts, p, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(counts.NonZeros()), "ns/record")
}
