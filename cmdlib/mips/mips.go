// Package mips finds the rows of a matrix whose inner products with a query are largest (maximum inner-product
// search): of vectors of length 1 those at the smallest angle. Rows are kept in 8 bits a number. Rows looks at all of
// them, in one pass over memory; Lists at those near the query alone, which is many times faster and misses some.
package mips

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"contextmover/cmdlib/internal/quantised"
	"contextmover/internal/parallel"
)

// Rows are vectors of length 1, in 8 bits a number and a factor a row.
type Rows struct{ vectors *quantised.Vectors }

// New returns the rows of data, N×dim, scaled to length 1 and rounded: by at most 1/127 of a row's largest number in
// each. It panics if data has a part of a row. A row of zeros has the inner product 0 with all.
func New(data []float32, dim int) *Rows {
	if dim < 1 || len(data)%dim != 0 {
		panic(fmt.Sprintf("mips: %d numbers in rows of %d", len(data), dim))
	}
	return Of(quantised.New(data, dim))
}

// Of returns the rows of vectors, which they share.
func Of(vectors *quantised.Vectors) *Rows { return &Rows{vectors} }

// Len returns the number of rows, Dim that of the numbers of each.
func (r *Rows) Len() int { return r.vectors.Len() }

// Dim returns the number of numbers of a row.
func (r *Rows) Dim() int { return r.vectors.Dim }

// Hit is a row, from 0, and its inner product with the query, scaled to length 1.
type Hit struct {
	Row   int
	Score float64
}

func order(a, b Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Row, b.Row)) }

// query is a vector in up to 16 bits a number, filled up to a multiple of step.
type query struct {
	codes  []int16
	factor float64
}

// levels is the largest code of a query: one with which no sum of products leaves 32 bits.
func levels(dim int) float64 {
	return math.Floor(min(math.MaxInt16, math.MaxInt32/float64(quantised.Levels*dim)))
}

// newQuery returns the codes of a vector, as quantised.New makes them of rows. It is an error if a number is not
// finite.
func newQuery(vector []float32, dim int) (query, error) {
	if len(vector) != dim {
		return query{}, fmt.Errorf("mips: a query of %d numbers, expected %d as rows have", len(vector), dim)
	}
	most, squares := 0.0, 0.0
	for i, x := range vector {
		if !(math.Abs(float64(x)) <= math.MaxFloat32) {
			return query{}, fmt.Errorf("mips: number %d of the query is %v, expected a finite one", i, x)
		}
		most = max(most, math.Abs(float64(x)))
	}
	q := query{codes: make([]int16, (dim+step-1)/step*step)}
	if most == 0 {
		return q, nil
	}
	for i, x := range vector {
		c := math.Round(levels(dim) * (float64(x) / most))
		q.codes[i] = int16(c)
		squares += float64(c * c)
	}
	q.factor = 1 / math.Sqrt(squares)
	return q, nil
}

// blockRows is the number of rows whose sums are made at once, few enough to stay in the first cache.
const blockRows = 1024

// Nearest returns the n rows with the largest inner products, the largest first, of equal ones that which comes
// first; all if there are fewer. It takes them of the rounded rows and of the query rounded to 16 bits, and so
// exactly, with the same bits on all machines. It reads each row once: what it takes is what memory takes.
//
// It panics if n < 1. A query of another dimension, or with a number that is not finite, is an error.
func (r *Rows) Nearest(ctx context.Context, vector []float32, n int) ([]Hit, error) {
	q, err := newQuery(vector, r.Dim())
	if err != nil {
		return nil, err
	}
	return r.nearest(ctx, q, n, []span{{0, r.Len()}})
}

// span are the rows from first up to end.
type span struct{ first, end int }

// nearest searches some spans of rows.
func (r *Rows) nearest(ctx context.Context, q query, n int, spans []span) ([]Hit, error) {
	if n < 1 {
		panic(fmt.Sprintf("mips: %d nearest rows", n))
	}
	var blocks []span
	for _, s := range spans {
		for at := s.first; at < s.end; at += blockRows {
			blocks = append(blocks, span{at, min(at+blockRows, s.end)})
		}
	}
	// What one block has found is the least that all must have; whoever knows of it first, the result is the same.
	var least atomic.Uint64
	least.Store(math.Float64bits(-2))
	found := make([][]Hit, len(blocks))
	err := parallel.Workers(ctx, len(blocks), 16, func() (func(lo, hi int) error, func()) {
		sums := make([]int32, blockRows)
		return func(lo, hi int) error {
			best := &heap{n: n, least: math.Float64frombits(least.Load())}
			for _, b := range blocks[lo:hi] {
				r.scan(b, q, sums[:b.end-b.first], best)
			}
			found[lo] = best.hits
			for len(best.hits) == n {
				before := least.Load()
				if best.hits[0].Score <= math.Float64frombits(before) ||
					least.CompareAndSwap(before, math.Float64bits(best.hits[0].Score)) {
					break
				}
			}
			return nil
		}, func() {}
	})
	hits := slices.Concat(found...)
	slices.SortFunc(hits, order)
	return hits[:min(n, len(hits))], err
}

// scan looks at the rows of a block.
func (r *Rows) scan(b span, q query, sums []int32, best *heap) {
	dim := r.Dim()
	// Kernels may read on to the end of what is there.
	dots(sums, r.vectors.Codes[b.first*dim:], q.codes, dim)
	for i, factor := range r.vectors.Factors[b.first:b.end] {
		if score := float64(factor) * q.factor * float64(sums[i]); score >= best.least {
			best.add(Hit{b.first + i, score})
		}
	}
}

// heap keeps the n first hits in their order, the last of them on top. What is below least is none of them.
type heap struct {
	n     int
	least float64
	hits  []Hit
}

func (h *heap) add(hit Hit) {
	if len(h.hits) < h.n {
		h.hits = append(h.hits, hit)
		for i := len(h.hits) - 1; i > 0 && order(h.hits[(i-1)/2], h.hits[i]) < 0; i = (i - 1) / 2 {
			h.hits[i], h.hits[(i-1)/2] = h.hits[(i-1)/2], h.hits[i]
		}
	} else if order(hit, h.hits[0]) < 0 {
		h.hits[0] = hit
		for i := 0; ; {
			child := 2*i + 1
			if child >= len(h.hits) {
				break
			}
			if child+1 < len(h.hits) && order(h.hits[child], h.hits[child+1]) < 0 {
				child++
			}
			if order(h.hits[i], h.hits[child]) >= 0 {
				break
			}
			h.hits[i], h.hits[child] = h.hits[child], h.hits[i]
			i = child
		}
	}
	if len(h.hits) == h.n {
		h.least = max(h.least, h.hits[0].Score)
	}
}
