package glove

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"contextmover/cmdlib/internal/pages"
	"contextmover/cmdlib/internal/parallel"
	"contextmover/cmdlib/sparse"
)

// A record is one entry of the matrix.
type record struct {
	column int32   // position of the context
	log    float32 // ln X
	weight float32 // f(X)
}

// A run is a number of consecutive records of one row.
type run struct {
	row     int32 // position of the word
	records int32
}

// A layout is the matrix cut into parts×parts blocks of rows and columns, with the
// records in the order of training.
type layout struct {
	parts int
	// A word's place among the rows and among the contexts: part p has the positions
	// first[p] to first[p+1].
	position []int32
	first    []int32
	// Block (r, c) has the records starts[r*parts+c] to starts[r*parts+c+1], and the
	// runs at the same places of runStarts. A few more stand at the end, for kernels
	// that look ahead.
	records   []record
	starts    []int64
	runs      []run
	runStarts []int64
}

// A block is the part of the matrix that one worker trains on at a time.
type block struct {
	runs    []run
	first   int64 // record
	records int64
}

func (l *layout) block(row, column int) block {
	b := row*l.parts + column
	return block{l.runs[l.runStarts[b]:l.runStarts[b+1]], l.starts[b], l.starts[b+1] - l.starts[b]}
}

// How many records and runs ahead of their turn the kernels fetch parameters.
const (
	recordsAhead = 5
	runsAhead    = 2
)

// Random streams, a part each.
const (
	diagonalStream = iota
	rowStream
	columnStream
	startStream
)

func stream(purpose, part int) uint64 { return uint64(part)<<8 | uint64(purpose) }

// maxParts bounds the number of workers. More parts mean shorter runs: a rare word
// has about 60 records, and each block that holds one of them loads its vectors
// from memory.
var maxParts = 32

// wordsPerPart keeps the parts of a small matrix worth a block.
const wordsPerPart = 64

// arrange makes the layout of counts.
func arrange(ctx context.Context, counts *sparse.Matrix[float64], p Params) (*layout, error) {
	if err := counts.Validate(); err != nil {
		return nil, fmt.Errorf("glove: %w", err)
	}
	n := counts.Rows
	switch {
	case n != counts.Cols:
		return nil, fmt.Errorf("glove: counts of %d words in %d contexts, expected a square matrix", n, counts.Cols)
	case counts.NonZeros() == 0:
		return nil, errEmpty
	}
	l := &layout{parts: min(max(n/wordsPerPart, 1), maxParts)}
	// Parts that weigh the same have about the same number of records.
	weight := make([]int64, n)
	for i := range n {
		weight[i] = counts.Start[i+1] - counts.Start[i]
	}
	for _, j := range counts.Index {
		weight[j]++
	}
	// The words of a part are put in the order in which its rows are visited.
	var visit []int32
	visit, l.position, l.first = parallel.Balanced(weight, l.parts)
	part := make([]uint8, n)
	for q := range l.parts {
		for _, word := range visit[l.first[q]:l.first[q+1]] {
			part[word] = uint8(q)
		}
	}
	for q := range l.parts {
		words := visit[l.first[q]:l.first[q+1]]
		rand.New(rand.NewPCG(p.Seed, stream(rowStream, q))).Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	}

	// Count, then place: workers own the rows of a part.
	blocks := l.parts * l.parts
	l.starts = make([]int64, blocks+1)
	l.runStarts = make([]int64, blocks+1)
	err := parallel.Blocks(ctx, l.parts, 1, func(q, _ int) error {
		records := l.starts[q*l.parts+1:]
		runs := l.runStarts[q*l.parts+1:]
		inRow := make([]int32, l.parts)
		for _, word := range visit[l.first[q]:l.first[q+1]] {
			clear(inRow)
			columns, values := counts.Row(int(word))
			for e, column := range columns {
				if x := values[e]; !(x > 0) || math.IsInf(x, 0) {
					return fmt.Errorf("glove: word %d, context %d: the count is %v, expected a positive number", word, column, x)
				}
				inRow[part[column]]++
			}
			for c, k := range inRow {
				records[c] += int64(k)
				if k > 0 {
					runs[c]++
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for b := range blocks {
		l.starts[b+1] += l.starts[b]
		l.runStarts[b+1] += l.runStarts[b]
	}
	l.records = pages.Large[record](int(l.starts[blocks]) + recordsAhead)
	l.runs = make([]run, l.runStarts[blocks]+runsAhead)
	err = parallel.Blocks(ctx, l.parts, 1, func(q, _ int) error {
		next := append([]int64(nil), l.starts[q*l.parts:(q+1)*l.parts]...)
		nextRun := append([]int64(nil), l.runStarts[q*l.parts:(q+1)*l.parts]...)
		from := make([]int64, l.parts)
		target := newTargets(p)
		random := rand.New(rand.NewPCG(p.Seed, stream(columnStream, q)))
		for _, word := range visit[l.first[q]:l.first[q+1]] {
			copy(from, next)
			columns, values := counts.Row(int(word))
			for e, column := range columns {
				c := part[column]
				// A random place among the run's records so far.
				r := l.records[from[c] : next[c]+1]
				i := random.IntN(len(r))
				r[len(r)-1] = r[i]
				log, weight := target.of(values[e])
				r[i] = record{l.position[column], log, weight}
				next[c]++
			}
			for c := range from {
				if k := next[c] - from[c]; k > 0 {
					l.runs[nextRun[c]] = run{l.position[word], int32(k)}
					nextRun[c]++
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// targets computes ln X and f(X) and remembers: most counts are one of a few sums
// of 1/distance.
type targets struct {
	xmax, exponent float64
	recent         [1 << 12]struct {
		x           float64
		log, weight float32
	}
}

func newTargets(p Params) *targets {
	return &targets{xmax: p.XMax, exponent: p.Exponent}
}

func (t *targets) of(x float64) (log, weight float32) {
	// Multiplying by a large odd number spreads all bits of x to the upper ones
	// [Knuth, The Art of Computer Programming 3, section 6.4].
	r := &t.recent[math.Float64bits(x)*0x9e3779b97f4a7c15>>(64-12)]
	if r.x != x {
		f := 1.0
		if x < t.xmax {
			f = math.Pow(x/t.xmax, t.exponent)
		}
		r.x, r.log, r.weight = x, float32(math.Log(x)), float32(f)
	}
	return r.log, r.weight
}
