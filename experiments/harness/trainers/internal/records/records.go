// Package records trains on counts of co-occurrences one by one, as GloVe does. The words are dealt to parts, which
// cut the matrix of counts into blocks. The blocks of a diagonal share neither rows nor columns, so they are trained
// at once, one diagonal after the other. The result does not depend on the number of threads.
package records

import (
	"context"
	"fmt"
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
	trainers.Deal // its words in the order in which rows are visited
	// Block (r, c) has the Records starts[r*Parts+c] to starts[r*Parts+c+1], and the
	// runs at the same places of runStarts. A few more stand at the end, for kernels
	// that look ahead.
	Records   []Record
	starts    []int64
	runs      []Run
	runStarts []int64
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

// What random numbers are for.
const (
	_ = iota // trainers.Training
	rowStream
	columnStream
	startStream
)

// MaxParts bounds the number of workers. More parts mean shorter runs: a rare word
// has about 60 records, and each block that holds one of them loads its vectors
// from memory.
var MaxParts = 32

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
	// Parts that weigh the same have about the same number of records.
	weight := make([]int64, n)
	for i := range n {
		weight[i] = counts.Start[i+1] - counts.Start[i]
	}
	for _, j := range counts.Index {
		weight[j]++
	}
	l := &Layout{Deal: trainers.NewDeal(weight, MaxParts, p.Seed)}
	for q := range l.Parts {
		words := l.In(q)
		rand.New(l.Random(rowStream, 0, q)).Shuffle(len(words), func(i, j int) {
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
		for _, word := range l.In(q) {
			clear(inRow)
			columns, values := counts.Row(int(word))
			for e, column := range columns {
				if values[e] >= p.Least {
					inRow[l.Part[column]]++
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
		random := rand.New(l.Random(columnStream, 0, q))
		for _, word := range l.In(q) {
			copy(from, next)
			columns, values := counts.Row(int(word))
			for e, column := range columns {
				if values[e] < p.Least {
					continue
				}
				c := l.Part[column]
				// A random place among the run's records so far.
				r := l.Records[from[c] : next[c]+1]
				i := random.IntN(len(r))
				r[len(r)-1] = r[i]
				log, weight := p.target(values[e])
				r[i] = Record{l.Positions[column], log, weight}
				next[c]++
			}
			for c := range from {
				if k := next[c] - from[c]; k > 0 {
					l.runs[nextRun[c]] = Run{l.Positions[word], int32(k)}
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

// target returns ln X and f(X).
func (p Params) target(x float64) (log, weight float32) {
	f := 1.0
	if x < p.XMax {
		f = elementary.Pow(x/p.XMax, p.Exponent)
	}
	return float32(elementary.Log(x)), float32(f)
}

// Start calls f for each position of words and contexts, as trainers.Deal does.
func (l *Layout) Start(ctx context.Context, f func(side int, at int32, random *rand.Rand) error) error {
	return l.Deal.Start(ctx, startStream, f)
}

// Fit trains all blocks as t says but for what the layout knows; train returns the sum of the losses of a block.
func (l *Layout) Fit(ctx context.Context, train func(b Block) float64, t trainers.Training) (*trainers.Result, error) {
	t.Deal, t.Pass, t.Total = l.Deal, "epoch", l.starts[len(l.starts)-1]*int64(t.Passes)
	t.Block = func(_, row, column int, _ int64) (float64, int64) {
		b := l.Block(row, column)
		return train(b), b.Records
	}
	return t.Run(ctx)
}
