package parallel

import "sync"

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
