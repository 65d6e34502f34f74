package shift

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/internal/parallel"
)

// mostUses is the number of uses of a word in a text that are looked at, an even sample of more.
const mostUses = 1000

// byVectors is like words by the mean distance of uses in both texts.
func (m *moving) byVectors(ctx context.Context, ids []int32) ([]Word, [][]float64, error) {
	words, nulls := make([]Word, len(ids)), make([][]float64, len(ids))
	err := parallel.Workers(ctx, len(ids), 1, func() (func(lo, hi int) error, func()) {
		u := m.newUses()
		sums := make([]float64, len(m.start)-1)
		var used []int32
		return func(i, _ int) error {
			w := Word{Word: m.space.Words[ids[i]], Counts: m.counts(ids[i])}
			for side := range uint8(2) {
				e, err := m.estimate(ids[i], 0, side, sums, &used)
				if errors.Is(err, cmdlib.ErrNoContexts) {
					return nil
				}
				if err != nil {
					return err
				}
				e.Occurrences = int(w.Counts[side])
				w.Estimates[side] = e
			}
			u.read(ids[i])
			var null []float64
			for d := range m.sides {
				x, ok := u.distance(m.sides[d])
				switch {
				case !ok && d == 0:
					return nil
				case d == 0:
					w.Distance = x
				case ok:
					null = append(null, x)
				}
			}
			if len(null) >= 3 {
				words[i], nulls[i] = w, null
			}
			return nil
		}, func() {}
	})
	var kept []Word
	var draws [][]float64
	for i, null := range nulls {
		if null != nil {
			kept, draws = append(kept, words[i]), append(draws, null)
		}
	}
	return kept, draws, err
}

// uses are those of a word: sums of their vectors in each piece, and how many they are.
type uses struct {
	*moving
	sums  [][]float64
	n     []float64
	x     []float64
	total [2][]float64
}

func (m *moving) newUses() *uses {
	dim := m.vectors.Dim()
	u := &uses{moving: m, n: make([]float64, 2*m.p.Pieces), x: make([]float64, dim)}
	for range u.n {
		u.sums = append(u.sums, make([]float64, dim))
	}
	for side := range u.total {
		u.total[side] = make([]float64, dim)
	}
	return u
}

// read sums the vectors of an even sample of the word's uses in either text.
func (u *uses) read(id int32) {
	clear(u.n)
	for _, sum := range u.sums {
		clear(sum)
	}
	var places [2][]uint32
	for _, at := range u.at[u.start[id]:u.start[id+1]] {
		side := 0
		if int(at) >= u.split {
			side = 1
		}
		places[side] = append(places[side], at)
	}
	for _, list := range places {
		for i := range min(len(list), mostUses) {
			at := int(list[i*len(list)/min(len(list), mostUses)])
			first, end := at, at
			for first > 0 && u.ids[first-1] != corpus.SentenceEnd {
				first--
			}
			for u.ids[end] != corpus.SentenceEnd {
				end++
			}
			if u.vectors.At(u.x, u.ids[first:end], at-first) {
				piece := u.piece[at]
				floats.Add(u.sums[piece], u.x)
				u.n[piece]++
			}
		}
	}
}

// distance returns the mean distance between uses on one side and uses on the other, 1 − x̄·ȳ of their mean vectors; a
// side without uses has none.
func (u *uses) distance(sides []uint8) (d float64, ok bool) {
	var n [2]float64
	for _, total := range u.total {
		clear(total)
	}
	for piece, side := range sides {
		n[side] += u.n[piece]
		floats.Add(u.total[side], u.sums[piece])
	}
	if n[0] == 0 || n[1] == 0 {
		return 0, false
	}
	return 1 - floats.Dot(u.total[0], u.total[1])/(n[0]*n[1]), true
}
