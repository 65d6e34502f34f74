package parallel

import (
	"context"
	"sync"
)

// InOrder hands what comes numbered from 0 on, in any order and from several goroutines, to Put, in order.
type InOrder[T any] struct {
	// Put gets one at a time; after its first error no more.
	Put func(number int, x T) error

	mu      sync.Mutex
	next    int
	waiting map[int]T
	err     error
}

// Add hands on x and what has waited for it, or lets it wait. The error is the first of Put.
func (o *InOrder[T]) Add(number int, x T) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if number != o.next {
		if o.waiting == nil {
			o.waiting = map[int]T{}
		}
		o.waiting[number] = x
		return o.err
	}
	for ok := true; ok && o.err == nil; x, ok = o.waiting[o.next] {
		delete(o.waiting, o.next)
		o.err = o.Put(o.next, x)
		o.next++
	}
	return o.err
}

// Chunks makes n results in parallel blocks of the given size, and calls yield with each chunk of them, in order. The
// slice is used again after yield returns. An error of yield ends the run and is returned; others are those of Blocks.
func Chunks[R any](
	ctx context.Context, n, chunk, size int, one func(i int) (R, error), yield func(first int, results []R) error,
) error {
	results := make([]R, min(chunk, n))
	for first := 0; first < n; first += chunk {
		part := results[:min(chunk, n-first)]
		err := Blocks(ctx, len(part), size, func(lo, hi int) (err error) {
			for i := lo; i < hi && err == nil; i++ {
				part[i], err = one(first + i)
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := yield(first, part); err != nil {
			return err
		}
	}
	return ctx.Err()
}
