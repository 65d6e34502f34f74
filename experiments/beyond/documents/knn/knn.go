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
	for _, list := range [][]int{s.Queries, s.Among} {
		for _, i := range list {
			if i < 0 || i >= documents {
				return fmt.Errorf("knn: document %d of %d", i, documents)
			}
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

// Bags returns the neighbours of each query by L1. An error is about indices or K, or ctx's.
func (s Search) Bags(ctx context.Context, bags []Bag) ([][]Neighbour, error) {
	if err := s.check(len(bags)); err != nil {
		return nil, err
	}
	type posting struct {
		at   int32 // in Among
		mass float64
	}
	words := wordsOf(bags)
	with := make([][]posting, words)
	for at, i := range s.Among {
		for j, word := range bags[i].Words {
			with[word] = append(with[word], posting{int32(at), bags[i].Mass[j]})
		}
	}
	all := make([][]Neighbour, len(s.Queries))
	return all, parallel.Blocks(ctx, len(s.Queries), 16, func(lo, hi int) error {
		shared := make([]float64, len(s.Among))
		for q := lo; q < hi; q++ {
			from := bags[s.Queries[q]]
			if len(from.Words) == 0 {
				continue
			}
			clear(shared)
			for j, word := range from.Words {
				for _, p := range with[word] {
					shared[p.at] += min(from.Mass[j], p.mass)
				}
			}
			var list []Neighbour
			for at, i := range s.Among {
				if i != s.Queries[q] && len(bags[i].Words) > 0 {
					list = append(list, Neighbour{i, 2 * max(0, 1-shared[at])})
				}
			}
			all[q] = first(list, s.K)
		}
		return nil
	})
}

// wordsOf is one more than the largest id.
func wordsOf(bags []Bag) int {
	most := -1
	for _, b := range bags {
		if n := len(b.Words); n > 0 {
			most = max(most, int(b.Words[n-1]))
		}
	}
	return most + 1
}

// Vectors returns the neighbours of each query by 1 − x·y. Rows of vectors, dim numbers each, are documents, scaled to
// length 1; one of zeros is a document without words.
func (s Search) Vectors(ctx context.Context, vectors []float32, dim int) ([][]Neighbour, error) {
	if dim < 1 || len(vectors)%dim != 0 {
		return nil, fmt.Errorf("knn: %d numbers are no rows of %d", len(vectors), dim)
	}
	if err := s.check(len(vectors) / dim); err != nil {
		return nil, err
	}
	row := func(i int) []float32 { return vectors[i*dim : (i+1)*dim] }
	var with []int // of Among
	var among [][]float32
	for _, i := range s.Among {
		if !allZero(row(i)) {
			with, among = append(with, i), append(among, row(i))
		}
	}
	all := make([][]Neighbour, len(s.Queries))
	return all, parallel.Blocks(ctx, len(s.Queries), 16, func(lo, hi int) error {
		var queries [][]float32
		for _, query := range s.Queries[lo:hi] {
			queries = append(queries, row(query))
		}
		var r ot.Rectangle
		r.BetweenVectors(queries, among)

		for q := lo; q < hi; q++ {
			if allZero(queries[q-lo]) {
				continue
			}
			var list []Neighbour
			for at, length := range r.Cost[(q-lo)*len(among):][:len(among)] {
				if with[at] != s.Queries[q] {
					list = append(list, Neighbour{with[at], float64(length*length) / 2}) // 1 − x·y = ‖x − y‖²/2
				}
			}
			all[q] = first(list, s.K)
		}
		return nil
	})
}

func allZero(v []float32) bool {
	return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 })
}
