package trainers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"contextmover/cmdlib/sparse"
	"contextmover/internal/parallel"
)

// Check returns what is wrong with counts to train on: a square matrix that has entries, all of them positive finite
// numbers.
func Check(counts *sparse.Matrix[float64]) error {
	if err := counts.Validate(); err != nil {
		return err
	}
	switch {
	case counts.Rows != counts.Cols:
		return fmt.Errorf("counts of %d words in %d contexts, expected a square matrix", counts.Rows, counts.Cols)
	case counts.NonZeros() == 0:
		return errors.New("the matrix has no entries, so there is nothing to learn; was the corpus empty, or no word " +
			"frequent enough?")
	}
	for i := range counts.Rows {
		columns, values := counts.Row(i)
		for e, x := range values {
			if !(x > 0) || math.IsInf(x, 0) {
				return fmt.Errorf("word %d, context %d: the count is %v, expected a positive number", i, columns[e], x)
			}
		}
	}
	return nil
}

// A Deal has words dealt to parts, which cut a square matrix of counts into blocks.
type Deal struct {
	Parts int
	// Words and Positions are inverse to each other; part q has the positions First[q] to First[q+1].
	Words, Positions, First []int32
	Part                    []uint8 // of each word
	Seed                    uint64
}

// wordsPerPart keeps the parts of a small matrix worth a block.
const wordsPerPart = 64

// NewDeal deals words, at most to so many parts that weigh about the same.
func NewDeal[W cmp.Ordered](weight []W, most int, seed uint64) Deal {
	d := Deal{Parts: min(max(len(weight)/wordsPerPart, 1), most), Part: make([]uint8, len(weight)), Seed: seed}
	d.Words, d.Positions, d.First = parallel.Balanced(weight, d.Parts)
	for q := range d.Parts {
		for _, word := range d.In(q) {
			d.Part[word] = uint8(q)
		}
	}
	return d
}

// In returns the words of a part.
func (d *Deal) In(q int) []int32 { return d.Words[d.First[q]:d.First[q+1]] }

// Random returns the random numbers for a purpose of at most 255, in a pass and a part; 0 is that of Training.
func (d *Deal) Random(purpose, pass, part int) *rand.PCG {
	return rand.NewPCG(d.Seed, uint64(pass)<<32|uint64(part)<<8|uint64(purpose))
}

// Start calls f for each position of words (side 0) and then of contexts (1), for all parts at once, each with its own
// random numbers for a purpose.
func (d *Deal) Start(ctx context.Context, purpose int, f func(side int, at int32, random *rand.Rand) error) error {
	return parallel.Blocks(ctx, d.Parts, 1, func(q, _ int) error {
		random := rand.New(d.Random(purpose, 0, q))
		for side := range 2 {
			for at := d.First[q]; at < d.First[q+1]; at++ {
				if err := f(side, at, random); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// A Training goes over square counts in passes. The blocks of a diagonal share neither rows nor columns, so they are
// trained at once, one diagonal after the other. The result does not depend on the number of threads.
type Training struct {
	Deal
	Passes int
	Pass   string // what errors call one
	Total  int64  // items of all passes, about

	// Block trains on a block, and returns the sum of the losses of its items, each before its own update, and their
	// number. done items of all passes came before its diagonal.
	Block func(pass, row, column int, done int64) (loss float64, items int64)
	// Before and After are called around a pass; they may be nil.
	Before func(ctx context.Context, pass int) error
	After  func(ctx context.Context) error
	// Progress is told how many items of all passes are done, some times a pass, from one goroutine; it may be nil.
	Progress func(done, total int64)

	// Vector writes the vector of the word at a position: a part's words have positions in a row.
	Vector func(position int32, to []float32)
	Dim    int
}

// Run trains. An error tells in which pass the loss, or a vector, stopped being a number.
func (t Training) Run(ctx context.Context) (*Result, error) {
	r := &Result{Vectors: make([]float32, len(t.Positions)*t.Dim)}
	random := rand.New(t.Random(0, 0, 0))
	losses, items := make([]float64, t.Parts), make([]int64, t.Parts)
	var done int64
	for pass := range t.Passes {
		if t.Before != nil {
			if err := t.Before(ctx, pass); err != nil {
				return nil, err
			}
		}
		loss, before := 0.0, done
		for _, diagonal := range random.Perm(t.Parts) {
			err := parallel.Blocks(ctx, t.Parts, 1, func(row, _ int) error {
				losses[row], items[row] = t.Block(pass, row, (row+diagonal)%t.Parts, done)
				return nil
			})
			if err != nil {
				return nil, err
			}
			change := 0.0
			for row, x := range losses {
				change += x
				done += items[row]
			}
			if loss += change; loss-loss != 0 {
				return nil, Diverged(t.Pass, pass, t.Passes)
			}
			if t.Progress != nil {
				t.Progress(done, max(done, t.Total))
			}
		}
		r.Add(t.Pass, loss/float64(max(done-before, 1)))
		if t.After != nil {
			if err := t.After(ctx); err != nil {
				return nil, err
			}
		}
	}
	for word, position := range t.Positions {
		t.Vector(position, r.Vectors[word*t.Dim:][:t.Dim])
	}
	for _, x := range r.Vectors {
		if x-x != 0 {
			return nil, Diverged(t.Pass, t.Passes-1, t.Passes)
		}
	}
	return r, nil
}

// Diverged is the error of a training whose loss or vectors stopped being numbers in a pass, from 0.
func Diverged(name string, pass, passes int) error {
	return fmt.Errorf("%s %d of %d: the loss is no longer a number; train again with a lower rate",
		name, pass+1, passes)
}

// Named puts the name of a training before its error.
func Named(name string, err *error) {
	if *err != nil {
		*err = fmt.Errorf("%s: %w", name, *err)
	}
}
