package mips

import (
	"context"
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/cluster"
	"contextmover/internal/parallel"
)

// Lists are rows by the nearest of some centroids (an inverted file [Jégou, Douze, Schmid 2011]): a query looks at the
// rows of the lists whose centroids are nearest to it.
type Lists struct {
	centroids *Rows
	rows      *Rows   // list by list
	numbers   []int32 // of the rows in the matrix that they come from
	starts    []int   // of the lists, and the end of the last
}

// sampledRows is the number of rows a list that centroids are made of, rounds the most iterations of k-means over
// these: more of either hardly changes what is found.
const (
	sampledRows = 64
	rounds      = 10
)

// DefaultLists returns a number of lists for n rows: about 4√n, with which looking through centroids and through lists
// take about as long.
func DefaultLists(n int) int { return max(1, min(n/sampledRows, int(4*math.Sqrt(float64(n))))) }

// NewLists returns the rows of r in so many lists, of spherical k-means of some of them; it copies them. Rows of zeros,
// which are near to nothing, are in the first.
//
// It is an error if there are fewer rows that differ than lists, or more than 2³¹−1 rows, and the context's once that
// has ended. It panics if lists < 1.
func NewLists(ctx context.Context, r *Rows, lists int, seed uint64) (*Lists, error) {
	n, dim := r.Len(), r.Dim()
	if lists < 1 {
		panic(fmt.Sprintf("mips: %d lists", lists))
	}
	if n > math.MaxInt32 {
		return nil, fmt.Errorf("mips: %d rows in lists, expected at most %d", n, math.MaxInt32)
	}
	some := min(n, sampledRows*lists)
	sample := make([]float32, some*dim)
	for i := range some {
		row := int(int64(i) * int64(n) / int64(some))
		for j, code := range r.codes(row)[:dim] {
			sample[i*dim+j] = float32(r.factor(row)) * float32(int8(code))
		}
	}
	groups, err := cluster.KMeans(ctx, sample, dim, cluster.Params{
		K: lists, Spherical: true, MaxIter: rounds, Tol: 0.01, Seed: seed,
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("mips: %d lists of %d rows: %w", lists, n, err)
	}
	l := &Lists{centroids: New(groups.Centroids, dim), numbers: make([]int32, n), starts: make([]int, lists+1)}
	assigned := make([]int32, n)
	if err := l.assign(ctx, r, assigned); err != nil {
		return nil, err
	}
	for _, list := range assigned {
		l.starts[list+1]++
	}
	for i := range lists {
		l.starts[i+1] += l.starts[i]
	}
	data, size := make([]byte, len(r.data)), Size(dim)
	next := slices.Clone(l.starts)
	for i, list := range assigned {
		at := next[list]
		next[list]++
		l.numbers[at] = int32(i)
		copy(data[at*size:(at+1)*size], r.data[i*size:(i+1)*size])
	}
	l.rows = &Rows{dim, data}
	return l, nil
}

// assign sets the list of each row: that of the centroid with the largest inner product, of equal ones the first.
func (l *Lists) assign(ctx context.Context, r *Rows, assigned []int32) error {
	dim, c := r.dim, l.centroids
	return parallel.Workers(ctx, r.Len(), 256, func() (func(lo, hi int) error, func()) {
		sums, codes := make([]int32, c.Len()), make([]int16, (dim+step-1)/step*step)
		return func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				for j, code := range r.codes(i)[:dim] {
					codes[j] = int16(int8(code))
				}
				dots(sums, c.codes(0), codes, dim, Size(dim))
				best := math.Inf(-1)
				for k, sum := range sums {
					if score := c.factor(k) * float64(sum); score > best {
						best, assigned[i] = score, int32(k)
					}
				}
			}
			return nil
		}, func() {}
	})
}

// Len returns the number of lists.
func (l *Lists) Len() int { return l.centroids.Len() }

// Nearest returns what Rows.Nearest does of the rows in as many lists as there are probes, or in all lists if there
// are fewer. Those are the lists whose centroids have the largest inner products with the query. There are fewer than
// n hits if these lists have fewer rows. It panics if n or probes is below 1.
func (l *Lists) Nearest(ctx context.Context, vector []float32, n, probes int) ([]Hit, error) {
	q, err := newQuery(vector, l.rows.Dim())
	if err != nil {
		return nil, err
	}
	near, err := l.centroids.nearest(ctx, q, probes, []span{{0, l.Len()}})
	if err != nil {
		return nil, err
	}
	spans := make([]span, len(near))
	for i, list := range near {
		spans[i] = span{l.starts[list.Row], l.starts[list.Row+1]}
	}
	hits, err := l.rows.nearest(ctx, q, n, spans)
	for i := range hits {
		hits[i].Row = int(l.numbers[hits[i].Row])
	}
	slices.SortFunc(hits, order)
	return hits, err
}
