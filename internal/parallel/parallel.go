// Package parallel runs loops on all processors without letting their number
// change a result: work is cut into blocks of a fixed size, so whatever a block
// computes does not depend on how many blocks run at once.
//
// The number of workers is runtime.GOMAXPROCS(0).
package parallel

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// Blocks calls f(lo, hi) for the consecutive ranges of length size (the last one
// may be shorter) that cover [0, n). Calls run concurrently, in increasing order
// of their start. It returns the error of the lowest failing block, or ctx.Err()
// if the context ended before all blocks had started. After the first error no
// further block starts.
//
// Blocks panics if size < 1. If f panics, no further block starts, and Blocks panics with a *Panic when
// the others have ended: in a goroutine of its own a panic would end the program past every recover.
func Blocks(ctx context.Context, n, size int, f func(lo, hi int) error) error {
	return Workers(ctx, n, size, func() func(lo, hi int) error { return f })
}

// Workers is like Blocks for work that needs scratch memory: start is called once
// per worker and returns the function that handles its blocks.
func Workers(ctx context.Context, n, size int, start func() (block func(lo, hi int) error)) error {
	if size < 1 {
		panic("parallel: block size < 1")
	}
	if n <= 0 {
		return ctx.Err()
	}
	blocks := (n + size - 1) / size
	workers := min(runtime.GOMAXPROCS(0), blocks)

	var (
		next   atomic.Int64
		failed atomic.Bool
		died   atomic.Pointer[Panic]
		mu     sync.Mutex
		first  error
		at     = blocks
		wg     sync.WaitGroup
	)
	for range workers {
		wg.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					failed.Store(true)
					died.CompareAndSwap(nil, &Panic{v, debug.Stack()})
				}
			}()
			f := start()
			for !failed.Load() && ctx.Err() == nil {
				b := int(next.Add(1)) - 1
				if b >= blocks {
					return
				}
				if err := f(b*size, min((b+1)*size, n)); err != nil {
					failed.Store(true)
					mu.Lock()
					if b < at {
						at, first = b, err
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	if p := died.Load(); p != nil {
		panic(p)
	}
	if first != nil {
		return first
	}
	if int(next.Load()) < blocks {
		return ctx.Err()
	}
	return nil
}

// Panic is a panic of a worker, handed over to the caller.
type Panic struct {
	Value any    // what the worker panicked with
	Stack []byte // the worker's
}

// Error returns the value, and where the worker was.
func (p *Panic) Error() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }
