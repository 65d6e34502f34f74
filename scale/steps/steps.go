// Package steps are the pipelines of repro-scale on Apache Beam.
//
// An engine hands out numbers: of shards, of parts, of blocks. What they stand for is read
// from a folder that all workers reach and written there, each piece a file that is there
// whole or not at all, by what the processes of a job array run, too. So an engine needs
// no shuffle of its own, and what it does twice, after a failure perhaps, is done once.
package steps

import (
	"context"
	"runtime"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"golang.org/x/sync/semaphore"
)

func init() {
	register.DoFn3x1[context.Context, int, func(int), error](&each{})
	register.DoFn4x1[context.Context, int, func(*int) bool, func(int), error](&once{})
	register.Emitter1[int]()
	register.Iter1[int]()
}

// Work is a step as workers see it, with what it is a step of.
type Work struct {
	Step    string // one of steps
	Count   Count
	Prepare Prepare
	Copies  Copies
	Batch   Batch
}

// steps do what a number stands for, and return how many numbers there are for the next step.
var steps = map[string]func(ctx context.Context, w Work, number int) (next int, err error){
	"words": words, "vocabulary": vocabulary, "pairs": pairs, "parts": parts, "merge": merge, "counts": counts,
	"read": read, "corpus": collect,
	"copy":  copyFile,
	"block": block, "join": join,
}

// seats are the processors of a worker. Most pieces take all of them and, in memory, what
// the worker was promised: so there is one at a time, however many an engine gives at once.
var seats = semaphore.NewWeighted(allSeats)

var allSeats = int64(runtime.GOMAXPROCS(0))

// do does the step once it has its processors.
func (w Work) do(ctx context.Context, number int) (next int, err error) {
	n := allSeats
	if w.Step == "merge" || w.Step == "copy" { // which take little memory
		n = 1
	}
	if err := seats.Acquire(ctx, n); err != nil {
		return 0, err
	}
	defer seats.Release(n)
	return steps[w.Step](ctx, w, number)
}

type each struct{ Work Work }

// ProcessElement does the step with a number, and emits it.
func (f *each) ProcessElement(ctx context.Context, number int, emit func(int)) error {
	_, err := f.Work.do(ctx, number)
	if err == nil {
		emit(number)
	}
	return err
}

type once struct{ Work Work }

// ProcessElement does the step, and emits the numbers of the next one.
func (f *once) ProcessElement(ctx context.Context, _ int, _ func(*int) bool, emit func(int)) error {
	next, err := f.Work.do(ctx, 0)
	for number := range next {
		emit(number)
	}
	return err
}

// first deals out the numbers from 0 to n−1 among workers.
func first(s beam.Scope, n int) beam.PCollection {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return beam.Reshuffle(s, beam.CreateList(s, numbers)) // without it one worker would do all
}

// each adds to a pipeline what does a step with each of the numbers.
func (w Work) each(s beam.Scope, step string, numbers beam.PCollection) beam.PCollection {
	w.Step = step
	return beam.ParDo(s.Scope(step), &each{w}, numbers)
}

// once adds what does a step once, when all is done that gives the numbers before, and deals out those of the next.
func (w Work) once(s beam.Scope, step string, before beam.PCollection) beam.PCollection {
	w.Step = step
	s = s.Scope(step)
	return beam.Reshuffle(s, beam.ParDo(s, &once{w}, beam.GroupByKey(s, beam.AddFixedKey(s, before))))
}
