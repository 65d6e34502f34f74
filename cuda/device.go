//go:build cuda || cudaemulation

package cuda

import (
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"unsafe"
)

// device is what an engine needs of a GPU: a driver's, or the emulation's.
type device interface {
	// enter makes the device the calling goroutine's until leave is called.
	enter() (leave func(), err error)
	// multiprocessors and shared memory, in bytes, that a block may have
	limits() (multiprocessors, shared int)
	hopper() bool                     // it has the kernels of tensor.cu
	alloc(bytes int) (pointer, error) // errMemory if there is no room
	free(pointer)
	// allocHost returns memory that asynchronous copies may use.
	allocHost(bytes int) (unsafe.Pointer, error)
	freeHost(unsafe.Pointer)
	newStream() (stream, error)
}

// stream is a queue of work that is done in order, alongside other streams.
type stream interface {
	upload(to pointer, from unsafe.Pointer, bytes int) error
	download(to unsafe.Pointer, from pointer, bytes int) error
	launch(kernel string, grid, block, shared int, args pointer) error
	wait() error
	close()
}

// pointer is an address on the device.
type pointer uint64

var errMemory = errors.New("cuda: the device's memory is full")

// pool keeps device and pinned memory for later calls, in sizes of powers of two.
type pool struct {
	device
	mu   sync.Mutex
	idle map[int][]pointer
	host map[int][]unsafe.Pointer
}

func newPool(d device) *pool {
	return &pool{device: d, idle: map[int][]pointer{}, host: map[int][]unsafe.Pointer{}}
}

// class is the size in which bytes are allocated: at least 256, 2ⁿ or 3·2ⁿ.
func class(bytes int) int {
	if bytes <= 256 {
		return 256
	}
	n := 1 << bits.Len(uint(bytes-1))
	if bytes <= n/4*3 {
		return n / 4 * 3
	}
	return n
}

func (p *pool) take(bytes int) (pointer, error) {
	size := class(bytes)
	p.mu.Lock()
	defer p.mu.Unlock()
	if free := p.idle[size]; len(free) > 0 {
		p.idle[size] = free[:len(free)-1]
		return free[len(free)-1], nil
	}
	at, err := p.alloc(size)
	if errors.Is(err, errMemory) && len(p.idle) > 0 {
		for _, list := range p.idle {
			for _, x := range list {
				p.free(x)
			}
		}
		clear(p.idle)
		at, err = p.alloc(size)
	}
	return at, err
}

func (p *pool) takeHost(bytes int) (unsafe.Pointer, error) {
	size := class(bytes)
	p.mu.Lock()
	defer p.mu.Unlock()
	if free := p.host[size]; len(free) > 0 {
		p.host[size] = free[:len(free)-1]
		return free[len(free)-1], nil
	}
	return p.allocHost(size)
}

// session is one call's memory and queues, given back by close. After its first error it does no more.
type session struct {
	*pool
	leave  func()
	taken  []func()
	queues []queue
	err    error
}

func (p *pool) open() (*session, error) {
	leave, err := p.enter()
	if err != nil {
		return nil, err
	}
	return &session{pool: p, leave: leave}, nil
}

// try calls f unless there was an error.
func (s *session) try(f func() error) {
	if s.err == nil {
		s.err = f()
	}
}

// close waits for the queues first: a transfer may still use the memory.
func (s *session) close() {
	for _, q := range s.queues {
		_ = q.stream.wait() // an error was returned to whoever waited, or the call failed earlier
		q.stream.close()
	}
	for _, give := range s.taken {
		give()
	}
	s.leave()
}

// queue is a stream of a session.
type queue struct {
	session *session
	stream  stream
}

func (s *session) queue() queue {
	q := queue{session: s}
	s.try(func() (err error) {
		if q.stream, err = s.newStream(); err == nil {
			s.queues = append(s.queues, q)
		}
		return err
	})
	return q
}

func (q queue) wait() { q.session.try(func() error { return q.stream.wait() }) }

// array is memory for n elements on the device and, if staged, on the host.
type array[T any] struct {
	at   pointer
	host []T
}

func bytesOf[T any](n int) int {
	var x T
	return max(n, 1) * int(unsafe.Sizeof(x))
}

func newArray[T any](s *session, n int) (a array[T]) {
	bytes := bytesOf[T](n)
	s.try(func() error {
		at, err := s.take(bytes)
		if err != nil {
			return fmt.Errorf("%w (%d bytes asked for)", err, bytes)
		}
		s.taken = append(s.taken, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.idle[class(bytes)] = append(s.idle[class(bytes)], at)
		})
		a.at = at
		return nil
	})
	return a
}

func newStaged[T any](s *session, n int) array[T] {
	a, bytes := newArray[T](s, n), bytesOf[T](n)
	s.try(func() error {
		p, err := s.takeHost(bytes)
		if err != nil {
			return err
		}
		s.taken = append(s.taken, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.host[class(bytes)] = append(s.host[class(bytes)], p)
		})
		a.host = unsafe.Slice((*T)(p), max(n, 1))
		return nil
	})
	return a
}

// upload copies the first n elements to the device, download from it.
func (a array[T]) upload(q queue, n int) {
	q.session.try(func() error { return q.stream.upload(a.at, unsafe.Pointer(&a.host[0]), bytesOf[T](n)) })
}

func (a array[T]) download(q queue, n int) {
	q.session.try(func() error { return q.stream.download(unsafe.Pointer(&a.host[0]), a.at, bytesOf[T](n)) })
}

// launchWith sends a kernel its arguments and starts it. args has room for one call.
func launchWith[T any](q queue, kernel string, grid, block, shared int, args array[T], value T) {
	if q.session.err == nil {
		args.host[0] = value
	}
	args.upload(q, 1)
	q.session.try(func() error { return q.stream.launch(kernel, grid, block, shared, args.at) })
}
