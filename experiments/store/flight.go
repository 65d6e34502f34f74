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
type flights[K comparable, V any] struct {
	mu sync.Mutex
	of map[K]*flight[V]
}

type flight[V any] struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiting int

	value V
	err   error
	panic *parallel.Panic
}

// do returns what f returns for the key, or what it returns to others who asked before it has ended. The context of f
// has the values of the first one's. Who leaves last waits until f has seen that.
func (fs *flights[K, V]) do(ctx context.Context, key K, f func(context.Context) (V, error)) (V, error) {
	var none V
	if err := ctx.Err(); err != nil {
		return none, err
	}
	fs.mu.Lock()
	fl := fs.of[key]
	if fl == nil {
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		fl = &flight[V]{done: make(chan struct{}), cancel: cancel, err: errors.New("store: the making did not return")}
		if fs.of == nil {
			fs.of = map[K]*flight[V]{}
		}
		fs.of[key] = fl
		go fs.run(own, key, fl, f)
	}
	fl.waiting++
	fs.mu.Unlock()
	select {
	case <-fl.done:
	case <-ctx.Done():
		if fs.leave(key, fl) {
			<-fl.done
		}
		return none, ctx.Err()
	}
	if fl.panic != nil {
		panic(fl.panic)
	}
	return fl.value, fl.err
}

func (fs *flights[K, V]) run(ctx context.Context, key K, fl *flight[V], f func(context.Context) (V, error)) {
	defer func() {
		if v := recover(); v != nil {
			fl.panic = &parallel.Panic{Value: v, Stack: debug.Stack()}
		}
		fl.cancel()
		fs.forget(key, fl)
		close(fl.done)
	}()
	fl.value, fl.err = f(ctx)
}

// leave tells whether nobody waits any more; then the flight is cancelled, and who comes next begins anew.
func (fs *flights[K, V]) leave(key K, fl *flight[V]) (last bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fl.waiting--; fl.waiting > 0 {
		return false
	}
	if fs.of[key] == fl {
		delete(fs.of, key)
	}
	fl.cancel()
	return true
}

func (fs *flights[K, V]) forget(key K, fl *flight[V]) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if fs.of[key] == fl {
		delete(fs.of, key)
	}
}
