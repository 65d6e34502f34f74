package knn

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
	"contextmover/internal/nearest"
	"contextmover/internal/parallel"
)

// Words says what moving a share of one word onto another costs. It is the distance of their vectors, which are rows
// of Dim numbers by the words' ids, or Most where that is smaller and not 0 [Pele and Werman 2009].
type Words struct {
	Vectors []float32
	Dim     int
	Most    float64
}

// slack is more than what rounding to float32 makes bounds and distances differ by, in units of the largest cost.
const slack = 1e-5

// Words returns the neighbours of each query by the word mover's distance [Kusner, Sun, Kolkin, Weinberger 2015],
//
//	min_T Σ T_ij c(i, j)   over T ≥ 0 with the two bags as row and column sums
//
// solved exactly, and the number of problems that had to be solved. As c is a metric, the share of a word that both
// documents have stays where it is. What is left, d in all, moves at least to the nearest word of the other side.
// Documents are taken by this bound, the smallest first, until all others are ruled out.
//
// An error says that a word has no vector, or is about indices or K, or ctx's.
func (s Search) Words(ctx context.Context, bags []Bag, w Words) (all [][]Neighbour, solved int64, err error) {
	if err := s.check(len(bags)); err != nil {
		return nil, 0, err
	}
	vectors := slices.Collect(slices.Chunk(w.Vectors, w.Dim))
	for _, b := range bags {
		if n := len(b.Words); n > 0 && int(b.Words[n-1]) >= len(vectors) {
			return nil, 0, fmt.Errorf("knn: word %d of %d that have a vector", b.Words[n-1], len(vectors))
		}
	}
	all = make([][]Neighbour, len(s.Queries))
	counts := make([]int64, len(s.Queries))
	err = parallel.Workers(ctx, len(s.Queries), 1, func() func(lo, hi int) error {
		m := &mover{Search: s, bags: bags, most: float32(w.Most), vectors: vectors}
		return func(q, _ int) (err error) {
			all[q], counts[q], err = m.nearest(ctx, s.Queries[q])
			return err
		}
	})
	for _, n := range counts {
		solved += n
	}
	return all, solved, err
}

// mover looks for the neighbours of one query after the other.
type mover struct {
	Search
	bags    []Bag
	most    float32 // of Words
	vectors [][]float32

	query Bag
	apart ot.Rectangle
	cost  []float32    // from the query's words to all words, in rows as long
	least []float32    // from any other word of the query
	moved ot.Rectangle // of bothBounds
}

type candidate = nearest.Candidate[struct{}]

// nearest returns the neighbours of a query, and how many problems were solved.
func (m *mover) nearest(ctx context.Context, query int) (found []Neighbour, solved int64, err error) {
	m.query = m.bags[query]
	if len(m.query.Words) == 0 {
		return nil, 0, nil
	}
	largest := m.measure()
	var list []candidate
	for _, i := range m.Among {
		if i != query && len(m.bags[i].Words) > 0 {
			list = append(list, candidate{Position: int64(i), Value: m.bound(m.bags[i])})
		}
	}
	run := nearest.Search[struct{}]{
		N: m.K, First: 16, Most: 16, Limit: func(nth float64) float64 { return nth + float64(slack*largest) },
		Refine: func(_ context.Context, some []candidate, limit float64) error {
			for i := range some {
				if some[i].Value <= limit {
					some[i].Value = max(some[i].Value, m.bothBounds(m.bags[some[i].Position]))
				}
			}
			return nil
		},
		Solve: func(ctx context.Context, some []candidate) ([]candidate, error) {
			if err := m.solve(ctx, some); err != nil {
				return nil, fmt.Errorf("knn: document %d and others: %w", query, err)
			}
			solved += int64(len(some))
			return some, nil
		},
	}
	if err := run.Run(ctx, list); err != nil {
		return nil, 0, err
	}
	for _, c := range run.Nearest {
		found = append(found, Neighbour{int(c.Position), c.Value})
	}
	return found, solved, nil
}

// measure computes costs from the query's words to all, and returns the largest.
func (m *mover) measure() (largest float64) {
	var from [][]float32
	for _, word := range m.query.Words {
		from = append(from, m.vectors[word])
	}
	m.apart.BetweenVectors(from, m.vectors)

	m.cost, m.least = m.cost[:0], slices.Repeat([]float32{float32(math.Inf(1))}, len(m.vectors))
	for at, apart := range m.apart.Cost {
		c, word := float32(apart), at%len(m.vectors)
		if m.most > 0 {
			c = min(c, m.most)
		}
		m.cost = append(m.cost, c)
		if word != int(m.query.Words[at/len(m.vectors)]) {
			m.least[word] = min(m.least[word], c)
		}
	}
	return float64(slices.Max(m.cost))
}

// left yields the places of the words that a has more of than b, with how much more.
func left(a, b Bag) iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		j := 0
		for i, x := range a.Mass {
			for j < len(b.Words) && b.Words[j] < a.Words[i] {
				j++
			}
			if j < len(b.Words) && b.Words[j] == a.Words[i] {
				x -= b.Mass[j]
			}
			if x > 0 && !yield(i, x) {
				return
			}
		}
	}
}

// bound is what a document's words that the query has less of cost at least.
func (m *mover) bound(d Bag) (sum float64) {
	for j, mass := range left(d, m.query) {
		if c := float64(m.least[d.Words[j]]); !math.IsInf(c, 1) { // a query of this word alone has no other
			sum += float64(mass * c)
		}
	}
	return sum
}

// bothBounds is the larger of bound and of what the query's words that the document has less of cost at least.
func (m *mover) bothBounds(d Bag) float64 {
	r := &m.moved
	if m.load(r, d); len(r.Cost) == 0 {
		return 0
	}
	n := len(r.Target)
	forth, back := 0.0, 0.0
	for i, mass := range r.Source {
		forth += float64(mass * slices.Min(r.Cost[i*n:][:n]))
	}
	for j, mass := range r.Target {
		least := r.Cost[j]
		for i := range r.Source {
			least = min(least, r.Cost[i*n+j])
		}
		back += float64(mass * least)
	}
	return max(forth, back)
}

// solve moves what is left of the query to each of some documents.
func (m *mover) solve(ctx context.Context, some []candidate) error {
	moved := make([]float64, len(some)) // mass
	b := &ot.Batch{N: len(some), Load: func(i int, r *ot.Rectangle) error {
		out, in := m.load(r, m.bags[some[i].Position])
		if !(out > leastMoved && in > leastMoved) { // one bin that stays
			r.Source, r.Target, r.Cost = []float64{1}, []float64{1}, []float64{0}
			return nil
		}
		moved[i] = max(out, in)
		for at := range r.Source {
			r.Source[at] /= out
		}
		for at := range r.Target {
			r.Target[at] /= in
		}
		return nil
	}}
	return ot.Batches(ctx, exact.New(), b, func(first int, results []ot.Result) error {
		for i, r := range results {
			some[first+i].Value = float64(r.Cost * moved[first+i])
		}
		return nil
	})
}

// load makes r the problem of moving what is left of the query to what is left of a document, and returns how much that
// is of both.
func (m *mover) load(r *ot.Rectangle, d Bag) (out, in float64) {
	r.Source, r.Target, r.Cost = r.Source[:0], r.Target[:0], r.Cost[:0]
	for i, mass := range left(m.query, d) {
		r.Source, out = append(r.Source, mass), out+mass
		for j := range left(d, m.query) {
			r.Cost = append(r.Cost, float64(m.cost[i*len(m.vectors)+int(d.Words[j])]))
		}
	}
	for _, mass := range left(d, m.query) {
		r.Target, in = append(r.Target, mass), in+mass
	}
	return out, in
}

// leastMoved is less than any real difference of two documents, and more than rounding of their shares.
const leastMoved = 1e-12
