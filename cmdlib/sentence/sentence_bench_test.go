package sentence

import (
	"math/rand/v2"
	"testing"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
)

// large is a world of the size of the experiments: 1,500 pairs of ten words each.
func large(b *testing.B) (*estimate.Estimates, Points, *ground.Ground, []Pair) {
	const words, k, dim, n = 5000, 300, 200, 1500
	random := rand.New(rand.NewPCG(1, 1))
	e := &estimate.Estimates{Histograms: ot.Histograms{K: k, Data: make([]float32, words*k)}, Known: make([]bool, words)}
	for i := range words {
		row, sum := e.Row(i), float32(0)
		for j := range row {
			row[j] = float32(random.ExpFloat64())
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
		e.Known[i] = true
	}
	gaussian := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(random.NormFloat64())
		}
		return x
	}
	g, err := ground.New(gaussian(k*dim), k, dim, ground.Params{Metric: ground.Angular, Normalisation: ground.Median})
	if err != nil {
		b.Fatal(err)
	}
	pairs := make([]Pair, n)
	for i := range pairs {
		for _, s := range []*Sentence{&pairs[i].A, &pairs[i].B} {
			for range 10 {
				*s = append(*s, int32(random.IntN(words)))
			}
		}
	}
	return e, Points{Vectors: gaussian(words * dim), Dim: dim}, g, pairs
}

func Benchmark(b *testing.B) {
	e, points, g, pairs := large(b)
	for name, m := range map[string]Method{
		"SIF":     VectorAverage{Points: Points{Vectors: points.Vectors, Dim: points.Dim}},
		"SIFPC":   VectorAverage{Points: Points{Vectors: points.Vectors, Dim: points.Dim}, Components: 1},
		"SIF5PC":  VectorAverage{Points: Points{Vectors: points.Vectors, Dim: points.Dim}, Components: 5},
		"SIFPC64": VectorAverage{Points: Points{Vectors: points.Vectors, Dim: points.Dim}, Components: 1, PCBatch: 64},
		// A single iteration shows what is not the engine's.
		"Average": Transport{
			Combiner: HistogramAverage{Estimates: e}, Ground: g, Engine: cpu.New(),
			Settings: ot.Settings{Reg: 0.1, MaxIter: 1},
		},
		"AverageMix": Transport{
			Combiner: HistogramAverage{Estimates: e}, Ground: g, Engine: cpu.New(),
			Settings: ot.Settings{Reg: 0.1, MaxIter: 1}, Mix: 0.4, Points: points,
		},
		"AverageMix100": Transport{
			Combiner: HistogramAverage{Estimates: e}, Ground: g, Engine: cpu.New(),
			Settings: ot.Settings{Reg: 0.1, MaxIter: 100}, Mix: 0.4, Points: points, RemovePC: true,
		},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Score(b.Context(), pairs); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(pairs)*b.N)/b.Elapsed().Seconds(), "pairs/s")
		})
	}
}
