// Package knn finds the documents that are nearest to a document. It compares bags of words by their L1 distance, or
// by moving words at the cost of their vectors' distance. It compares vectors by cosines, and histograms over one
// support by transport. All documents are compared; moving words, bounds rule most out without solving, and change no
// result.
package knn

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/ot"
	"contextmover/internal/parallel"
)

// Bag is a document as shares of words: Words are ids, ascending, and Mass their shares, above 0 and of sum 1. A
// document without words is the zero value; it has no neighbours and is none.
type Bag struct {
	Words []int32
	Mass  []float64
}

// NewBag returns the words of a document, each with the share Σ weight(word) over its occurrences. Words whose weight
// is 0 are left out; weights must not be negative.
func NewBag(words []int32, weight func(word int32) float64) Bag {
	sorted := slices.Clone(words)
	slices.Sort(sorted)
	var b Bag
	total := 0.0
	for i, word := range sorted {
		w := weight(word)
		if w == 0 {
			continue
		}
		total += w
		if i > 0 && sorted[i-1] == word {
			b.Mass[len(b.Mass)-1] += w
			continue
		}
		b.Words, b.Mass = append(b.Words, word), append(b.Mass, w)
	}
	for i := range b.Mass {
		b.Mass[i] /= total
	}
	return b
}

// Neighbour is a document by its index, with its distance.
type Neighbour struct {
	Index    int
	Distance float64
}

// Search says what is looked for: the K documents of Among that are nearest to each of Queries, both indices of
// documents. No document is its own neighbour. Equally near ones are in the order of their indices.
type Search struct {
	Queries, Among []int
	K              int
}

func (s Search) check(documents int) error {
	if s.K < 1 {
		return fmt.Errorf("knn: %d neighbours, expected at least 1", s.K)
	}
	for _, i := range slices.Concat(s.Queries, s.Among) {
		if i < 0 || i >= documents {
			return fmt.Errorf("knn: document %d of %d", i, documents)
		}
	}
	return nil
}

// first returns the k first of list, sorted.
func first(list []Neighbour, k int) []Neighbour {
	slices.SortFunc(list, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.Index, b.Index))
	})
	return slices.Clone(list[:min(k, len(list))])
}

// compared returns the neighbours of each query by what compare says of some queries at a time: it calls near with the
// number of the query among these, and the index and the distance of a document.
func (s Search) compared(
	ctx context.Context, documents int, compare func(queries []int, near func(query, index int, distance float64)),
) ([][]Neighbour, error) {
	if err := s.check(documents); err != nil {
		return nil, err
	}
	all := make([][]Neighbour, len(s.Queries))
	return all, parallel.Blocks(ctx, len(s.Queries), 16, func(lo, hi int) error {
		queries, lists := s.Queries[lo:hi], all[lo:hi]
		compare(queries, func(q, index int, distance float64) {
			if index != queries[q] {
				lists[q] = append(lists[q], Neighbour{index, distance})
			}
		})
		for q, list := range lists {
			lists[q] = first(list, s.K)
		}
		return nil
	})
}

// Bags returns the neighbours of each query by L1. An error is about indices or K, or ctx's.
func (s Search) Bags(ctx context.Context, bags []Bag) ([][]Neighbour, error) {
	type posting struct {
		document int
		mass     float64
	}
	with := map[int32][]posting{}
	for i, b := range bags {
		for j, word := range b.Words {
			with[word] = append(with[word], posting{i, b.Mass[j]})
		}
	}
	return s.compared(ctx, len(bags), func(queries []int, near func(q, index int, distance float64)) {
		shared := make([]float64, len(bags))
		for q, query := range queries {
			clear(shared)
			from := bags[query]
			for j, word := range from.Words {
				for _, p := range with[word] {
					shared[p.document] += min(from.Mass[j], p.mass)
				}
			}
			for _, i := range s.Among {
				if len(from.Words) > 0 && len(bags[i].Words) > 0 {
					near(q, i, 2*max(0, 1-shared[i]))
				}
			}
		}
	})
}

// Vectors returns the neighbours of each query by 1 − x·y. Rows of vectors, dim numbers each, are documents, scaled to
// length 1; one of zeros is a document without words.
func (s Search) Vectors(ctx context.Context, vectors []float32, dim int) ([][]Neighbour, error) {
	rows := slices.Collect(slices.Chunk(vectors, dim))
	return s.compared(ctx, len(rows), func(queries []int, near func(q, index int, distance float64)) {
		var from, to [][]float32
		for _, query := range queries {
			from = append(from, rows[query])
		}
		for _, i := range s.Among {
			to = append(to, rows[i])
		}
		var r ot.Rectangle
		r.BetweenVectors(from, to)

		for at, length := range r.Cost {
			q, n := at/len(to), at%len(to)
			if !allZero(from[q]) && !allZero(to[n]) {
				near(q, s.Among[n], float64(length*length)/2) // 1 − x·y = ‖x − y‖²/2
			}
		}
	})
}

func allZero(v []float32) bool {
	return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 })
}
