package mips

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
	"sync/atomic"

	"contextmover/cmdlib/cluster"
	"contextmover/internal/parallel"
)

// Lists are rows by the nearest of some centroids (an inverted file [Jégou, Douze, Schmid 2011]): a query looks at the
// rows of the lists whose centroids are nearest to it. Rows are in parts of so many that follow one another, each with
// its rows list by list, so that lists are made in the memory of one part.
type Lists struct {
	centroids *Rows
	rows      *Rows // part by part, list by list
	partRows  int
	parts     []part
	whole     []atomic.Bool // the lists of each part that are found to be what was written
}

// part is what a table has of a part, each number an uint32.
type part struct {
	ends    []byte // of its lists, among its rows
	sums    []byte // CRC-32C of the rows of each list
	numbers []byte // of its rows as they were, in the order in which they are
}

// ErrDamaged is the error of lists that are not as they were written.
var ErrDamaged = errors.New("the rows are not what was written")

const (
	// sampledRows is the number of rows a list that centroids are made of, rounds the most iterations of k-means
	// over these: more of either hardly changes what is found.
	sampledRows, rounds = 32, 10
	// mostLists bounds what making them takes.
	mostLists = 4096
	// probed is the part of the lists that is looked at.
	probed = 16

	tableHead = 8 // bytes: the numbers of lists and of rows of a part
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// DefaultLists returns a number of lists for n rows: 2√n, and at most 4,096.
func DefaultLists(n int) int {
	return max(1, min(n/sampledRows, int(2*math.Sqrt(float64(n))), mostLists))
}

// Sampled returns how many of n rows suffice as a sample for so many lists.
func Sampled(n, lists int) int { return min(n, sampledRows*lists) }

// DefaultProbes returns how many of the lists to look at: a sixteenth.
func DefaultProbes(lists int) int { return max(1, (lists+probed-1)/probed) }

// Grouping makes Lists of parts of rows.
type Grouping struct {
	centroids *Rows
	partRows  int
}

// NewGrouping returns what makes so many lists of parts of so many rows. Centroids are those of spherical k-means of a
// sample of all rows. It is an error if the sample has fewer rows that differ than lists, and the context's once that
// has ended. It panics if lists or partRows is below 1 or above 2³¹−1.
func NewGrouping(ctx context.Context, sample *Rows, lists, partRows int) (*Grouping, error) {
	if min(lists, partRows) < 1 || max(lists, partRows) > math.MaxInt32 {
		panic(fmt.Sprintf("mips: %d lists, %d rows a part", lists, partRows))
	}
	dim := sample.dim
	points := make([]float32, sample.Len()*dim)
	for i := range sample.Len() {
		for j, code := range sample.codes(i)[:dim] {
			points[i*dim+j] = float32(sample.factor(i)) * float32(int8(code))
		}
	}
	groups, err := cluster.KMeans(ctx, points, dim, cluster.Params{
		K: lists, Spherical: true, MaxIter: rounds, Tol: 0.01, Seed: 1,
	}, nil)
	if err != nil {
		return nil, fmt.Errorf("mips: %d lists of %d rows: %w", lists, sample.Len(), err)
	}
	return &Grouping{New(groups.Centroids, dim), partRows}, nil
}

// Head returns the beginning of the table of the lists, which what Part appends follows part by part.
func (g *Grouping) Head() []byte {
	table := binary.LittleEndian.AppendUint32(nil, uint32(g.centroids.Len()))
	return append(binary.LittleEndian.AppendUint32(table, uint32(g.partRows)), g.centroids.data...)
}

// Part appends the rows of a part to sorted, list by list, and what the table has of it to table. All parts but the
// last have the number of rows that NewGrouping was told. A row is in the list of the centroid with the largest inner
// product, of equal ones the first. So equal rows are in one list, and those of zeros in the first.
func (g *Grouping) Part(ctx context.Context, sorted, table []byte, rows *Rows) ([]byte, []byte, error) {
	n, lists, size := rows.Len(), g.centroids.Len(), Size(rows.dim)
	assigned := make([]int32, n)
	if err := g.assign(ctx, rows, assigned); err != nil {
		return sorted, table, err
	}
	ends := make([]int, lists+1)
	for _, list := range assigned {
		ends[list+1]++
	}
	for i := range lists {
		ends[i+1] += ends[i]
	}
	order, next := make([]int, n), slices.Clone(ends)
	for i, list := range assigned {
		order[next[list]] = i
		next[list]++
	}
	first := len(sorted)
	for _, i := range order {
		sorted = append(sorted, rows.data[i*size:(i+1)*size]...)
	}
	for _, end := range ends[1:] {
		table = binary.LittleEndian.AppendUint32(table, uint32(end))
	}
	for i := range lists {
		sum := crc32.Checksum(sorted[first+ends[i]*size:first+ends[i+1]*size], castagnoli)
		table = binary.LittleEndian.AppendUint32(table, sum)
	}
	for _, i := range order {
		table = binary.LittleEndian.AppendUint32(table, uint32(i))
	}
	return sorted, table, nil
}

// assign sets the list of each row.
func (g *Grouping) assign(ctx context.Context, r *Rows, assigned []int32) error {
	dim, c := r.dim, g.centroids
	return parallel.Workers(ctx, r.Len(), 256, func() func(lo, hi int) error {
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
		}
	})
}

// OpenLists returns the lists of the rows that Part has sorted, one part behind the other, and of their table. Neither
// may change. It is ErrDamaged if the table is not one of so many rows. Rows are compared with their
// checksums when a list is first looked at.
func OpenLists(sorted, table []byte, dim int) (*Lists, error) {
	rows, err := NewRows(sorted, dim)
	if err != nil {
		return nil, err
	}
	l := &Lists{rows: rows}
	if len(table) < tableHead {
		return nil, fmt.Errorf("mips: a table of %d bytes: %w", len(table), ErrDamaged)
	}
	lists := int(binary.LittleEndian.Uint32(table))
	l.partRows = int(binary.LittleEndian.Uint32(table[4:]))
	table = table[tableHead:]
	if lists < 1 || l.partRows < 1 || lists > len(table)/Size(dim) {
		return nil, fmt.Errorf("mips: %d lists of parts of %d rows: %w", lists, l.partRows, ErrDamaged)
	}
	take := func(n int) (taken []byte) {
		n = min(n, len(table))
		taken, table = table[:n], table[n:]
		return taken
	}
	l.centroids = &Rows{dim, take(lists * Size(dim))}
	for at := 0; at < rows.Len(); at += l.partRows {
		n := min(l.partRows, rows.Len()-at)
		p := part{take(4 * lists), take(4 * lists), take(4 * n)}
		if len(p.numbers) != 4*n || !p.valid(n) {
			return nil, fmt.Errorf("mips: the table of the part at row %d: %w", at, ErrDamaged)
		}
		l.parts = append(l.parts, p)
	}
	if len(table) > 0 {
		return nil, fmt.Errorf("mips: %d bytes behind the table: %w", len(table), ErrDamaged)
	}
	l.whole = make([]atomic.Bool, lists*len(l.parts))
	return l, nil
}

func number(of []byte, i int) int { return int(binary.LittleEndian.Uint32(of[4*i:])) }

// valid tells whether the lists are within n rows, and all numbers those of such.
func (p *part) valid(n int) bool {
	before := 0
	for i := range len(p.ends) / 4 {
		end := number(p.ends, i)
		if end < before {
			return false
		}
		before = end
	}
	for i := range n {
		if number(p.numbers, i) >= n {
			return false
		}
	}
	return before == n
}

// Len returns the number of lists.
func (l *Lists) Len() int { return l.centroids.Len() }

// Parts returns the number of parts.
func (l *Lists) Parts() int { return len(l.parts) }

// Part appends the rows of a part in the order that they had before they were sorted. It is ErrDamaged if they are not
// what was written.
func (l *Lists) Part(to []byte, i int) ([]byte, error) {
	p, size := &l.parts[i], Size(l.rows.dim)
	for list := range l.Len() {
		if _, err := l.span(i, list); err != nil {
			return to, err
		}
	}
	n := len(p.numbers) / 4
	first := len(to)
	to = append(to, make([]byte, n*size)...)
	rows := l.rows.data[i*l.partRows*size:]
	for at := range n {
		copy(to[first+number(p.numbers, at)*size:], rows[at*size:(at+1)*size])
	}
	return to, nil
}

// span returns the rows of a list in part i, among all, which it compares with their checksum the first time.
func (l *Lists) span(i, list int) (span, error) {
	first := i * l.partRows
	s := span{first, first + number(l.parts[i].ends, list)}
	if list > 0 {
		s.first += number(l.parts[i].ends, list-1)
	}
	if whole := &l.whole[i*l.Len()+list]; !whole.Load() {
		size := Size(l.rows.dim)
		got := crc32.Checksum(l.rows.data[s.first*size:s.end*size], castagnoli)
		if int(got) != number(l.parts[i].sums, list) {
			return s, fmt.Errorf("mips: list %d of part %d: %w", list, i, ErrDamaged)
		}
		whole.Store(true)
	}
	return s, nil
}

// Nearest returns what Rows.Nearest does of the rows in as many lists as there are probes, or in all lists if there
// are fewer, and the number of these rows. They are the lists whose centroids have the largest inner products with the
// query. There are fewer than n hits if these lists have fewer rows. It is ErrDamaged if rows are not what was written.
// It panics if n or probes is below 1.
func (l *Lists) Nearest(ctx context.Context, vector []float32, n, probes int) (hits []Hit, looked int, err error) {
	q, err := newQuery(vector, l.rows.Dim())
	if err != nil {
		return nil, 0, err
	}
	near, err := l.centroids.nearest(ctx, q, probes, []span{{0, l.Len()}})
	if err != nil {
		return nil, 0, err
	}
	// Lists that follow one another in the file are read one after the other.
	slices.SortFunc(near, func(a, b Hit) int { return a.Row - b.Row })
	spans := make([]span, len(l.parts)*len(near))
	err = parallel.Blocks(ctx, len(spans), 64, func(lo, hi int) (err error) {
		for i := lo; i < hi && err == nil; i++ {
			spans[i], err = l.span(i/len(near), near[i%len(near)].Row)
		}
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	joined := spans[:0]
	for _, s := range spans {
		looked += s.end - s.first
		if last := len(joined) - 1; last >= 0 && joined[last].end == s.first {
			joined[last].end = s.end
		} else {
			joined = append(joined, s)
		}
	}
	hits, err = l.rows.nearest(ctx, q, n, joined)
	for i := range hits {
		part := hits[i].Row / l.partRows
		hits[i].Row = part*l.partRows + number(l.parts[part].numbers, hits[i].Row%l.partRows)
	}
	slices.SortFunc(hits, order)
	return hits, looked, err
}
