// Package records trains on counts of co-occurrences one by one, as GloVe does. The words are dealt to parts, which
// cut the matrix of counts into blocks. The blocks of a diagonal share neither rows nor columns, so they are trained
// at once, one diagonal after the other. The result does not depend on the number of threads.
package records

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/pages"
	"contextmover/internal/elementary"
	"contextmover/internal/parallel"
	"contextmover/internal/scratch"
)

// A Record is one entry of the matrix.
type Record struct {
	Column int32   // position of the context
	Log    float32 // ln X
	Weight float32 // f(X)
}

// A Run is a number of consecutive records of one row.
type Run struct {
	Row     int32 // position of the word
	Records int32
}

// A Layout is the matrix cut into parts×parts blocks of rows and columns, with the
// records in the order of training.
type Layout struct {
	Parts int
	// A word's place among the rows and among the contexts: part p has the positions
	// First[p] to First[p+1].
	Position []int32
	First    []int32
	// Block (r, c) has the Records starts[r*Parts+c] to starts[r*Parts+c+1], and the
	// runs at the same places of runStarts. A few more stand at the end, for kernels
	// that look ahead.
	Records   []Record
	starts    []int64
	runs      []Run
	runStarts []int64
	seed      uint64
	disk      *scratch.Disk // of Records
}

// Free gives back what the layout takes of a disk.
func (l *Layout) Free() { scratch.Free(l.disk, l.Records) }

// A Block is the part of the matrix that one worker trains on at a time.
type Block struct {
	Runs    []Run
	First   int64 // record
	Records int64
}

// Block returns the block of a part of words and a part of contexts.
func (l *Layout) Block(row, column int) Block {
	b := row*l.Parts + column
	return Block{l.runs[l.runStarts[b]:l.runStarts[b+1]], l.starts[b], l.starts[b+1] - l.starts[b]}
}

// How many records and runs ahead of their turn kernels may fetch parameters: so many stand behind the last.
const (
	recordsAhead = 5
	runsAhead    = 2
)

// Random streams, a part each.
const (
	_ = iota // trainers.Training
	rowStream
	columnStream
	startStream
)

func stream(purpose, part int) uint64 { return uint64(part)<<8 | uint64(purpose) }

// MaxParts bounds the number of workers. More parts mean shorter runs: a rare word
// has about 60 records, and each block that holds one of them loads its vectors
// from memory.
var MaxParts = 32

// wordsPerPart keeps the parts of a small matrix worth a block.
const wordsPerPart = 64

// Params say what a record's weight is, f(X) = min(1, (X/XMax)^Exponent), which counts
// are records, those of at least Least, and what the order of training depends on.
type Params struct {
	XMax, Exponent float64
	Least          float64
	Seed           uint64
}

// Arrange makes the layout of square counts, whose entries have to be positive finite numbers. The
// records are on the disk of the counts, if those are on one: each epoch reads them once, block by block.
func Arrange(ctx context.Context, counts *sparse.Matrix[float64], p Params) (*Layout, error) {
	if err := trainers.Check(counts); err != nil {
		return nil, err
	}
	n := counts.Rows
	l := &Layout{Parts: min(max(n/wordsPerPart, 1), MaxParts), seed: p.Seed}
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
	visit, l.Position, l.First = parallel.Balanced(weight, l.Parts)
	part := make([]uint8, n)
	for q := range l.Parts {
		for _, word := range visit[l.First[q]:l.First[q+1]] {
			part[word] = uint8(q)
		}
	}
	for q := range l.Parts {
		words := visit[l.First[q]:l.First[q+1]]
		rand.New(rand.NewPCG(p.Seed, stream(rowStream, q))).Shuffle(len(words), func(i, j int) {
			words[i], words[j] = words[j], words[i]
		})
	}

	// Count, then place: workers own the rows of a part.
	blocks := l.Parts * l.Parts
	l.starts = make([]int64, blocks+1)
	l.runStarts = make([]int64, blocks+1)
	err := parallel.Blocks(ctx, l.Parts, 1, func(q, _ int) error {
		records := l.starts[q*l.Parts+1:]
		runs := l.runStarts[q*l.Parts+1:]
		inRow := make([]int32, l.Parts)
		for _, word := range visit[l.First[q]:l.First[q+1]] {
			clear(inRow)
			columns, values := counts.Row(int(word))
			for e, column := range columns {
				if values[e] >= p.Least {
					inRow[part[column]]++
				}
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
	if l.starts[blocks] == 0 {
		return nil, fmt.Errorf("no count is at least %v, so there is nothing to learn", p.Least)
	}
	if counts.Disk == nil {
		l.Records = pages.Large[Record](int(l.starts[blocks]) + recordsAhead)
	} else if l.Records, err = scratch.Make[Record](counts.Disk, int(l.starts[blocks])+recordsAhead); err != nil {
		return nil, err
	}
	l.disk = counts.Disk
	l.runs = make([]Run, l.runStarts[blocks]+runsAhead)
	err = parallel.Blocks(ctx, l.Parts, 1, func(q, _ int) error {
		next := append([]int64(nil), l.starts[q*l.Parts:(q+1)*l.Parts]...)
		nextRun := append([]int64(nil), l.runStarts[q*l.Parts:(q+1)*l.Parts]...)
		from := make([]int64, l.Parts)
		target := &targets{xmax: p.XMax, exponent: p.Exponent}
		random := rand.New(rand.NewPCG(p.Seed, stream(columnStream, q)))
		for _, word := range visit[l.First[q]:l.First[q+1]] {
			copy(from, next)
			columns, values := counts.Row(int(word))
			for e, column := range columns {
				if values[e] < p.Least {
					continue
				}
				c := part[column]
				// A random place among the run's records so far.
				r := l.Records[from[c] : next[c]+1]
				i := random.IntN(len(r))
				r[len(r)-1] = r[i]
				log, weight := target.lookUp(values[e])
				r[i] = Record{l.Position[column], log, weight}
				next[c]++
			}
			for c := range from {
				if k := next[c] - from[c]; k > 0 {
					l.runs[nextRun[c]] = Run{l.Position[word], int32(k)}
					nextRun[c]++
				}
			}
		}
		return nil
	})
	if err != nil {
		l.Free()
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

func (t *targets) lookUp(x float64) (log, weight float32) {
	// Multiplying by a large odd number spreads all bits of x to the upper ones
	// [Knuth, The Art of Computer Programming 3, section 6.4].
	r := &t.recent[math.Float64bits(x)*0x9e3779b97f4a7c15>>(64-12)]
	if r.x != x {
		f := 1.0
		if x < t.xmax {
			f = elementary.Pow(x/t.xmax, t.exponent)
		}
		r.x, r.log, r.weight = x, float32(elementary.Log(x)), float32(f)
	}
	return r.log, r.weight
}

// Start calls f once for each part, at once, with the part's own random numbers.
func (l *Layout) Start(ctx context.Context, f func(part int, random *rand.Rand)) error {
	return parallel.Blocks(ctx, l.Parts, 1, func(part, _ int) error {
		f(part, rand.New(rand.NewPCG(l.seed, stream(startStream, part))))
		return nil
	})
}

// Fit trains all blocks as t says but for what the layout knows; train returns the sum of the losses of a block.
func (l *Layout) Fit(ctx context.Context, train func(b Block) float64, t trainers.Training) (*trainers.Result, error) {
	t.Parts, t.Pass, t.Seed, t.Positions = l.Parts, "epoch", l.seed, l.Position
	t.Total = l.starts[len(l.starts)-1] * int64(t.Passes)
	t.Block = func(_, row, column int, _ int64) (float64, int64) {
		b := l.Block(row, column)
		return train(b), b.Records
	}
	return t.Run(ctx)
}
