// Package countstest makes counts of co-occurrences to test trainings on, and to measure them.
package countstest

import (
	"math/rand/v2"
	"slices"

	"contextmover/cmdlib/sparse"
	"contextmover/internal/elementary"
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
			row = append(row, int32(elementary.Pow(Words, random.Float64()))-1)
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

// Groups makes counts of n words in groups of the given size. A word is near those of its group, the first of each
// group next to all, and some others are near each other by chance.
func Groups(n, group int) *sparse.Matrix[float64] {
	random := rand.New(rand.NewPCG(7, 0))
	m := &sparse.Matrix[float64]{Rows: n, Cols: n, Start: []int64{0}}
	for i := range n {
		for j := range n {
			x := 0.0
			if i/group == j/group {
				x = 5 + float64(random.Float64())
			} else if i%group == 0 || j%group == 0 || random.IntN(20) == 0 {
				x = 0.5
			}
			if x > 0 {
				m.Index, m.Value = append(m.Index, int32(j)), append(m.Value, x)
			}
		}
		m.Start = append(m.Start, int64(len(m.Index)))
	}
	return m
}
