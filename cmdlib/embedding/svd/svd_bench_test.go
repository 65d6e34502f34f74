package svd

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"contextmover/cmdlib/sparse"
	"contextmover/internal/parallel"
)

// words returns a square matrix shaped like associations of words sorted by frequency:
// the number of entries of a row, and the density of a column, fall by a power of
// the rank.
func words(n, entries int) *sparse.Matrix[float32] {
	weight := make([]float64, n)
	total := 0.0
	for i := range weight {
		weight[i] = math.Pow(float64(i+n/300), -0.75)
		total += weight[i]
	}
	// The column of a random number, by table.
	column := make([]int32, 1<<20)
	sum, j := 0.0, 0
	for t := range column {
		for sum+weight[j] < total*float64(t)/float64(len(column)) {
			sum += weight[j]
			j++
		}
		column[t] = int32(j)
	}
	rows := make([][]int32, n)
	parallel.Blocks(context.Background(), n, 1, func(i, _ int) error {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		row := make([]int32, int(weight[i]/total*float64(entries)))
		for e := range row {
			row[e] = column[random.IntN(len(column))]
		}
		slices.Sort(row)
		rows[i] = slices.Compact(row)
		return nil
	})
	m := &sparse.Matrix[float32]{Rows: n, Cols: n, Start: make([]int64, n+1)}
	for i, row := range rows {
		m.Start[i+1] = m.Start[i] + int64(len(row))
	}
	m.Index, m.Value = make([]int32, m.Start[n]), make([]float32, m.Start[n])
	random := rand.New(rand.NewPCG(2, 2))
	for i, row := range rows {
		copy(m.Index[m.Start[i]:], row)
		for e := range row {
			m.Value[m.Start[i]+int64(e)] = 3 * random.Float32()
		}
	}
	return m
}

// The second size is that of 84 million tokens with words seen at least 10 times.
var sizes = []struct {
	name    string
	entries int
	matrix  func() *sparse.Matrix[float32]
}{
	{"n=20000", 4_000_000, sync.OnceValue(func() *sparse.Matrix[float32] { return words(20_000, 4_300_000) })},
	{"n=98492", 57_800_000, sync.OnceValue(func() *sparse.Matrix[float32] { return words(98_492, 62_000_000) })},
}

func BenchmarkProduct(b *testing.B) {
	for _, size := range sizes {
		for _, columns := range []int{64, 256} {
			b.Run(fmt.Sprintf("%s/columns=%d", size.name, columns), func(b *testing.B) {
				m := size.matrix()
				x, y := newTall(m.Cols, columns), newTall(m.Rows, columns)
				if err := gaussian(b.Context(), x, 1); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					if err := multiply(b.Context(), y, 1, m, x); err != nil {
						b.Fatal(err)
					}
				}
				flop := 2 * float64(m.NonZeros()) * float64(columns) * float64(b.N)
				b.ReportMetric(flop/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

func BenchmarkOrthonormalise(b *testing.B) {
	x, q := newTall(98_492, 220), newTall(98_492, 220)
	if err := gaussian(b.Context(), x, 1); err != nil {
		b.Fatal(err)
	}
	b.Run("gram", func(b *testing.B) {
		for b.Loop() {
			if _, err := gram(b.Context(), x); err != nil {
				b.Fatal(err)
			}
		}
		flop := float64(x.rows) * float64(x.cols) * float64(x.cols) * float64(b.N)
		b.ReportMetric(flop/b.Elapsed().Seconds()/1e9, "GFLOP/s")
	})
	b.Run("all", func(b *testing.B) {
		for b.Loop() {
			if err := orthonormalise(b.Context(), q, x); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkTranspose(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			m := size.matrix()
			for b.Loop() {
				if _, err := transpose(b.Context(), m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCompute(b *testing.B) {
	for _, size := range sizes {
		b.Run(size.name, func(b *testing.B) {
			m := size.matrix()
			for b.Loop() {
				if _, err := Compute(b.Context(), m, Params{Dim: 200, Oversampling: 20, PowerIterations: 3, Exponent: 0.5}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
