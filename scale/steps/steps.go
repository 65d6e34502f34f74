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

	"contextmover/internal/checkpoint"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"golang.org/x/sync/semaphore"
)

// seats are the processors of a worker. Most pieces take all of them and, in memory, what
// the worker was promised: so there is one at a time, however many an engine gives at once.
var seats = semaphore.NewWeighted(allSeats)

var allSeats = int64(runtime.GOMAXPROCS(0))

// seated does something once it has so many processors.
func seated(ctx context.Context, n int64, do func() error) error {
	if err := seats.Acquire(ctx, n); err != nil {
		return err
	}
	defer seats.Release(n)
	return do()
}

// each makes what a number stands for, once it has so many processors, and emits the number.
func each(ctx context.Context, n int64, number int, emit func(int), open func() (checkpoint.ByNumber, error)) error {
	return seated(ctx, n, func() error {
		do, err := open()
		if err == nil {
			_, err = do(ctx, number, nil)
		}
		if err == nil {
			emit(number)
		}
		return err
	})
}

// emitAll emits the numbers from 0 to that which count returns.
func emitAll(ctx context.Context, emit func(int), count func() (int, error)) error {
	return seated(ctx, allSeats, func() error {
		n, err := count()
		for number := range n {
			emit(number)
		}
		return err
	})
}

// first deals out the numbers from 0 to n−1 among workers.
func first(s beam.Scope, n int) beam.PCollection {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return beam.Reshuffle(s, beam.CreateList(s, numbers)) // without it one worker would do all
}

// then does something once, when all is done that gives the numbers before, and deals out the numbers that it emits.
func then(s beam.Scope, before beam.PCollection, once any) beam.PCollection {
	return beam.Reshuffle(s, beam.ParDo(s, once, beam.GroupByKey(s, beam.AddFixedKey(s, before))))
}
