// Package mips finds the rows of a matrix whose inner products with a query are largest (maximum inner-product
// search): of vectors of length 1 those at the smallest angle. Rows are kept in 8 bits a number. Rows looks at all of
// them, in one pass over memory; Lists at those near the query alone, which is many times faster and misses some.
package mips

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"contextmover/cmdlib/internal/quantised"
	"contextmover/internal/parallel"
)

// Rows are vectors of length 1, in 8 bits per number with one factor per row: so much of memory, or of a file, one
// behind the other,
//
//	factor   4 bytes, a float32, the lowest byte first
//	codes    dim bytes, each an int8 from −127 to 127
//
// A number of a row is its code times the factor, which is 0 of a row of zeros.
type Rows struct {
	dim  int
	data []byte
}

// factorSize is the number of bytes of a factor.
const factorSize = 4

// Size returns the number of bytes of a row.
func Size(dim int) int { return factorSize + dim }

// Encode returns rows for vectors, N×dim: scaled to length 1, and rounded by at most 1/127 of a vector's largest
// number in each. It panics if vectors has a part of one.
func Encode(vectors []float32, dim int) (to []byte) {
	if dim < 1 || len(vectors)%dim != 0 {
		panic(fmt.Sprintf("mips: %d numbers in rows of %d", len(vectors), dim))
	}
	v := quantised.New(vectors, dim, 8)
	for i, factor := range v.Factors {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(factor))
		to = append(to, v.Codes[i*dim:(i+1)*dim]...)
	}
	return to
}

// New returns the rows that Encode encodes.
func New(vectors []float32, dim int) *Rows { return &Rows{dim, Encode(vectors, dim)} }

// NewRows returns the rows in memory that Encode has encoded, which must not change. It is an error if they have a part
// of a row.
func NewRows(data []byte, dim int) (*Rows, error) {
	if dim < 1 || len(data)%Size(dim) != 0 {
		return nil, fmt.Errorf("mips: %d bytes in rows of %d numbers, expected a multiple of %d",
			len(data), dim, Size(dim))
	}
	return &Rows{dim, data}, nil
}

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.data) / Size(r.dim) }

// Dim returns the number of numbers of a row.
func (r *Rows) Dim() int { return r.dim }

// factor is that of a row; a number that is none, as damage may bring, counts as 0.
func (r *Rows) factor(i int) float64 {
	f := math.Float32frombits(binary.LittleEndian.Uint32(r.data[i*Size(r.dim):]))
	if !(f >= 0 && f <= 1) {
		return 0
	}
	return float64(f)
}

// codes are those from a row on.
func (r *Rows) codes(i int) []byte { return r.data[i*Size(r.dim)+factorSize:] }

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
	err := parallel.Workers(ctx, len(blocks), 16, func() func(lo, hi int) error {
		sums := make([]int32, blockRows)
		return func(lo, hi int) error {
			best := &top{n: n, least: math.Float64frombits(least.Load())}
			for _, b := range blocks[lo:hi] {
				r.scan(b, q, sums[:b.end-b.first], best)
			}
			best.cut()
			found[lo] = best.hits
			for before := least.Load(); best.least > math.Float64frombits(before); before = least.Load() {
				if least.CompareAndSwap(before, math.Float64bits(best.least)) {
					break
				}
			}
			return nil
		}
	})
	hits := slices.Concat(found...)
	slices.SortFunc(hits, order)
	return hits[:min(n, len(hits))], err
}

// scan looks at the rows of a block.
func (r *Rows) scan(b span, q query, sums []int32, best *top) {
	dots(sums, r.codes(b.first), q.codes, r.dim, Size(r.dim))
	for i, sum := range sums {
		if score := r.factor(b.first+i) * q.factor * float64(sum); score >= best.least {
			best.add(Hit{b.first + i, score})
		}
	}
}

// top keeps the n first hits in their order, among up to n more. What is below least is none of them.
type top struct {
	n     int
	least float64
	hits  []Hit
}

func (t *top) add(hit Hit) {
	if t.hits = append(t.hits, hit); len(t.hits) == 2*t.n {
		t.cut()
	}
}

// cut drops all but the n first.
func (t *top) cut() {
	slices.SortFunc(t.hits, order)
	if len(t.hits) >= t.n {
		t.hits = t.hits[:t.n]
		t.least = max(t.least, t.hits[t.n-1].Score)
	}
}
