package cpu

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"contextmover/internal/parallel"
)

// stream hands the numbers 0 … n−1 out to workers and the results back to the
// caller, in order and in batches of a fixed size. Workers run at most a window
// ahead of the caller.
type stream[T any] struct {
	n     int
	ring  []T // result i lies at i mod len(ring)
	yield func(first int, results []T) error
	ctx   context.Context

	mu       sync.Mutex
	changed  *sync.Cond
	next     int // first number not handed out
	first    int // first result not yielded
	done     []bool
	yielding bool
	err      error
}

// batch is the number of results in a call of yield; windows are multiples of it.
const batch = 128

func newStream[T any](n, window int, yield func(first int, results []T) error) *stream[T] {
	window = min(window, (n+batch-1)/batch*batch)
	s := &stream[T]{n: n, ring: make([]T, window), done: make([]bool, window), yield: yield}
	s.changed = sync.NewCond(&s.mu)
	return s
}

// run calls worker on all processors and returns the first error, of a worker, of
// yield or of ctx.
func (s *stream[T]) run(ctx context.Context, worker func() error) error {
	s.ctx = ctx
	stop := context.AfterFunc(ctx, func() { s.fail(ctx.Err()) })
	defer stop()
	workers := runtime.GOMAXPROCS(0)
	err := parallel.Blocks(ctx, workers, 1, func(_, _ int) (err error) {
		// The others would wait for ever for a result of one that panics.
		err = errPanicked
		defer func() {
			if err != nil {
				s.fail(err)
			}
		}()
		err = worker()
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.first == s.n:
		return nil // a context that ends after the last result is not an error
	case s.err != nil:
		return s.err
	}
	return err
}

// errPanicked is the error of a worker that has none of its own.
var errPanicked = errors.New("cpu: a worker panicked")

func (s *stream[T]) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	s.changed.Broadcast()
}

// take returns the next number to be handed out if fits agrees. If the window is
// full it waits, or returns false if wait is not set. It also returns false at the end.
func (s *stream[T]) take(wait bool, fits func(i int) bool) (int, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.err != nil:
			return 0, false, s.err
		case s.next == s.n:
			return 0, false, nil
		case s.next < s.first+len(s.ring):
			if !fits(s.next) {
				return 0, false, nil
			}
			s.next++
			return s.next - 1, true, nil
		case !wait:
			return 0, false, nil
		}
		s.changed.Wait()
	}
}

// slot is where the result of a number that was taken goes.
func (s *stream[T]) slot(i int) *T { return &s.ring[i%len(s.ring)] }

// finish declares result i complete and yields what is ready.
func (s *stream[T]) finish(i int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done[i%len(s.done)] = true
	if s.yielding {
		return s.err
	}
	s.yielding = true
	defer func() { s.yielding = false }()
	for s.err == nil && s.first < s.n {
		count := min(batch, s.n-s.first)
		lo := s.first % len(s.ring)
		for _, ok := range s.done[lo : lo+count] {
			if !ok {
				return nil
			}
		}
		if s.err = s.ctx.Err(); s.err != nil {
			break // nothing is yielded after ctx has ended, be it within yield
		}
		if err := s.unlocked(func() error {
			return s.yield(s.first, s.ring[lo:lo+count])
		}); err != nil {
			if s.err == nil {
				s.err = err
			}
			s.changed.Broadcast()
			break // it is an error even of the last results
		}
		clear(s.done[lo : lo+count])
		s.first += count
		s.changed.Broadcast()
	}
	return s.err
}

// unlocked calls f without the lock, and has it again even if f panics.
func (s *stream[T]) unlocked(f func() error) error {
	s.mu.Unlock()
	defer s.mu.Lock()
	return f()
}

// blockSize is how many of n rows a worker should hold at a time, at most limit, so
// that all workers get an equal share.
func blockSize(n, limit int) int {
	workers := runtime.GOMAXPROCS(0)
	rounds := max(1, (n+workers*limit-1)/(workers*limit))
	return max(1, (n+workers*rounds-1)/(workers*rounds))
}
