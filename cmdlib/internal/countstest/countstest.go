// Package countstest makes counts of co-occurrences to measure trainings on.
package countstest

import (
	"math"
	"math/rand/v2"
	"slices"

	"contextmover/cmdlib/sparse"
)

// Words is the number of words of CorpusLike.
const Words = 98492

// CorpusLike makes about 10 million counts of 98,492 words, as many as two corpora
// of novels and encyclopedia articles have, with Zipf's law in rows and columns.
func CorpusLike() *sparse.Matrix[float64] {
	random := rand.New(rand.NewPCG(1, 1))
	m := &sparse.Matrix[float64]{Rows: Words, Cols: Words, Start: []int64{0}}
	row := make([]int32, 0, Words)
	for i := range Words {
		row = row[:0]
		for range 1_600_000/(i+20) + 4 {
			row = append(row, int32(math.Pow(Words, random.Float64()))-1)
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
