package knn

import (
	"context"
	"fmt"
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
	if w.Dim < 1 || len(w.Vectors)%w.Dim != 0 || !(w.Most >= 0) {
		return nil, 0, fmt.Errorf("knn: %d numbers in rows of %d, costs at most %v", len(w.Vectors), w.Dim, w.Most)
	}
	words := len(w.Vectors) / w.Dim
	if n := wordsOf(bags); n > words {
		return nil, 0, fmt.Errorf("knn: word %d of %d that have a vector", n-1, words)
	}
	vectors := make([][]float32, words)
	for i := range vectors {
		vectors[i] = w.Vectors[i*w.Dim : (i+1)*w.Dim]
	}
	all = make([][]Neighbour, len(s.Queries))
	counts := make([]int64, len(s.Queries))
	err = parallel.Workers(ctx, len(s.Queries), 1, func() func(lo, hi int) error {
		m := &mover{Search: s, bags: bags, most: float32(w.Most), vectors: vectors, shares: make([]float64, words)}
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

	query  Bag
	shares []float64 // the query's share of each word
	apart  ot.Rectangle
	cost   []float32 // from the query's words to all words, in rows as long
	least  []float32 // from any other word of the query
	left   []float64 // of split
	points []int
}

type candidate = nearest.Candidate[struct{}]

// nearest returns the neighbours of a query, and how many problems were solved.
func (m *mover) nearest(ctx context.Context, query int) (found []Neighbour, solved int64, err error) {
	m.query = m.bags[query]
	if len(m.query.Words) == 0 {
		return nil, 0, nil
	}
	for i, word := range m.query.Words {
		m.shares[word] = m.query.Mass[i]
	}
	defer func() {
		for _, word := range m.query.Words {
			m.shares[word] = 0
		}
	}()
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

	m.cost, m.least = m.cost[:0], slices.Grow(m.least[:0], len(m.vectors))[:len(m.vectors)]
	for v := range m.least {
		m.least[v] = float32(math.Inf(1))
	}
	top := float32(0)
	for at, apart := range m.apart.Cost {
		c, v := float32(apart), at%len(m.vectors)
		if m.most > 0 {
			c = min(c, m.most)
		}
		m.cost = append(m.cost, c)
		top = max(top, c)
		if v != int(m.query.Words[at/len(m.vectors)]) {
			m.least[v] = min(m.least[v], c)
		}
	}
	return float64(top)
}

// bound is what a document's words that the query has less of cost at least.
func (m *mover) bound(d Bag) float64 {
	sum := 0.0
	for j, word := range d.Words {
		if left := d.Mass[j] - m.shares[word]; left > 0 {
			if c := m.least[word]; c < float32(math.Inf(1)) { // a query of this word alone has no other
				sum += float64(left * float64(c))
			}
		}
	}
	return sum
}

// split appends what is left of the query, where a document has less, and which of its words these are.
func (m *mover) split(d Bag, left []float64, points []int) ([]float64, []int) {
	j := 0
	for i, word := range m.query.Words {
		for j < len(d.Words) && d.Words[j] < word {
			j++
		}
		x := m.query.Mass[i]
		if j < len(d.Words) && d.Words[j] == word {
			x -= d.Mass[j]
		}
		if x > 0 {
			left, points = append(left, x), append(points, i)
		}
	}
	return left, points
}

// row has the costs from word i of the query.
func (m *mover) row(i int) []float32 { return m.cost[i*len(m.vectors):] }

// bothBounds is the larger of bound and of what the query's words that the document has less of cost at least.
func (m *mover) bothBounds(d Bag) float64 {
	m.left, m.points = m.split(d, m.left[:0], m.points[:0])
	forth := 0.0
	for at, i := range m.points {
		row, least := m.row(i), float32(math.Inf(1))
		for j, word := range d.Words {
			if c := row[word]; c < least && d.Mass[j] > m.shares[word] {
				least = c
			}
		}
		if least < float32(math.Inf(1)) {
			forth += float64(m.left[at] * float64(least))
		}
	}
	back := 0.0
	for j, word := range d.Words {
		left := d.Mass[j] - m.shares[word]
		if left <= 0 {
			continue
		}
		least := float32(math.Inf(1))
		for _, i := range m.points {
			least = min(least, m.row(i)[word])
		}
		if least < float32(math.Inf(1)) {
			back += float64(left * float64(least))
		}
	}
	return max(forth, back)
}

// solve moves what is left of the query to each of some documents.
func (m *mover) solve(ctx context.Context, some []candidate) error {
	moved := make([]float64, len(some)) // mass
	b := &ot.Batch{N: len(some), Load: func(i int, r *ot.Rectangle) error {
		moved[i] = m.load(r, m.bags[some[i].Position])
		return nil
	}}
	return ot.Batches(ctx, exact.New(), b, func(first int, results []ot.Result) error {
		for i, r := range results {
			some[first+i].Value = float64(r.Cost * moved[first+i])
		}
		return nil
	})
}

// load makes r the problem of moving what is left, with masses of sum 1, and returns how much mass that is. Where it is
// none, r is one bin that stays.
func (m *mover) load(r *ot.Rectangle, d Bag) (moved float64) {
	left, points := m.split(d, r.Source[:0], nil)
	var to []int32
	var out, in float64
	r.Target, r.Cost = r.Target[:0], r.Cost[:0]
	for j, word := range d.Words {
		if x := d.Mass[j] - m.shares[word]; x > 0 {
			to, r.Target = append(to, word), append(r.Target, x)
			in += x
		}
	}
	for _, x := range left {
		out += x
	}
	if r.Source = left; !(out > leastMoved && in > leastMoved) {
		r.Source, r.Target, r.Cost = append(r.Source[:0], 1), append(r.Target[:0], 1), append(r.Cost, 0)
		return 0
	}
	for at, i := range points {
		r.Source[at] /= out
		row := m.row(i)
		for _, word := range to {
			r.Cost = append(r.Cost, float64(row[word]))
		}
	}
	for j := range r.Target {
		r.Target[j] /= in
	}
	return max(out, in)
}

// leastMoved is less than any real difference of two documents, and more than rounding of their shares.
const leastMoved = 1e-12
