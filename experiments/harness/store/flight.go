package store

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"

	"contextmover/internal/parallel"
)

// flights do what several ask for at the same time once. Unlike golang.org/x/sync/singleflight, each who asks waits by
// their own context, and what nobody waits for any more is cancelled.
type flights[V any] struct {
	mu      sync.Mutex
	running map[Key]*flight[V]
}

type flight[V any] struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int // 0 when all have left

	value V
	err   error
	panic *parallel.Panic
}

// do returns what f returns for the key, or what it returns to others who asked before it has ended. The context of f
// has the values of the first one's, but notes no reads. Who leaves last waits until f has seen that.
func (fs *flights[V]) do(ctx context.Context, key Key, f func(context.Context) (V, error)) (none V, err error) {
	if err := ctx.Err(); err != nil {
		return none, err
	}
	fs.mu.Lock()
	fl := fs.running[key]
	if fl == nil || fl.waiting == 0 {
		own, cancel := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), readsKey{}, nil))
		fl = &flight[V]{done: make(chan struct{}), cancel: cancel, err: errors.New("store: the making did not return")}
		if fs.running == nil {
			fs.running = map[Key]*flight[V]{}
		}
		fs.running[key] = fl
		go func() {
			defer fs.land(key, fl)
			fl.value, fl.err = f(own)
		}()
	}
	fl.waiting++
	fs.mu.Unlock()
	select {
	case <-fl.done:
	case <-ctx.Done():
		fs.mu.Lock()
		fl.waiting--
		last := fl.waiting == 0
		fs.mu.Unlock()
		if last {
			fl.cancel()
			<-fl.done
		}
		return none, ctx.Err()
	}
	if fl.panic != nil {
		panic(fl.panic)
	}
	return fl.value, fl.err
}

// land ends a flight; it is deferred by who made the value, and takes a panic of theirs.
func (fs *flights[V]) land(key Key, fl *flight[V]) {
	if v := recover(); v != nil {
		fl.panic = &parallel.Panic{Value: v, Stack: debug.Stack()}
	}
	fl.cancel()
	fs.mu.Lock()
	if fs.running[key] == fl {
		delete(fs.running, key)
	}
	fs.mu.Unlock()
	close(fl.done)
}
