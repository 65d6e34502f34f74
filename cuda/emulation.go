//go:build cudaemulation && !cuda

package cuda

// The kernels, compiled for the CPU and run by kernels/emulate.h: what the tests of
// this package run where there is no GPU. Not built otherwise.

// #cgo CXXFLAGS: -std=c++17 -O2 -w -I${SRCDIR}/kernels
// #include <stdlib.h>
// const char *emulate(const char *kernel, int grid, int threads, int shared, void *args, int order);
import "C"

import (
	"embed"
	"fmt"
	"sync"
	"unsafe"
)

// The C++ compiler reads the kernels by itself; embedding them tells the go command
// that the package changes with them.
//
//go:embed kernels
var _ embed.FS

// emulated is a device that runs kernels on the CPU.
type emulated struct {
	shared int // limits().shared
	memory int // bytes that may be allocated
	order  int // of the threads of a block: forward, backward, shuffled

	mu   sync.Mutex
	used map[pointer]int
	sum  int
}

func newEmulated() *emulated {
	return &emulated{shared: 227 << 10, memory: 1 << 30, used: map[pointer]int{}}
}

func (d *emulated) enter() (func(), error) { return func() {}, nil }
func (d *emulated) limits() (int, int)     { return 2, d.shared }
func (d *emulated) hopper() bool           { return true }

// guard is what lies on both sides of an allocation, to be found unchanged.
const guard = 4096

func (d *emulated) alloc(bytes int) (pointer, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sum+bytes > d.memory {
		return 0, errMemory
	}
	at := C.malloc(C.size_t(bytes + 2*guard))
	for i := range unsafe.Slice((*byte)(at), bytes+2*guard) {
		unsafe.Slice((*byte)(at), bytes+2*guard)[i] = 0xff // NaNs
	}
	p := pointer(uintptr(at)) + guard
	d.used[p] = bytes
	d.sum += bytes
	return p, nil
}

func (d *emulated) free(p pointer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sum -= d.used[p]
	delete(d.used, p)
	C.free(unsafe.Add(unsafe.Pointer(nil), uintptr(p-guard)))
}

func (d *emulated) allocHost(bytes int) (unsafe.Pointer, error) {
	return C.malloc(C.size_t(bytes)), nil
}
func (d *emulated) freeHost(p unsafe.Pointer)  { C.free(p) }
func (d *emulated) newStream() (stream, error) { return emulatedStream{d}, nil }

func (d *emulated) at(p pointer) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(nil), uintptr(p)) }

type emulatedStream struct{ *emulated }

func (s emulatedStream) upload(to pointer, from unsafe.Pointer, bytes int) error {
	copy(unsafe.Slice((*byte)(s.at(to)), bytes), unsafe.Slice((*byte)(from), bytes))
	return nil
}

func (s emulatedStream) download(to unsafe.Pointer, from pointer, bytes int) error {
	copy(unsafe.Slice((*byte)(to), bytes), unsafe.Slice((*byte)(s.at(from)), bytes))
	return nil
}

func (s emulatedStream) launch(kernel string, grid, block, shared int, args pointer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if shared > s.shared {
		return fmt.Errorf("cuda: %s asks for %d bytes of shared memory of %d", kernel, shared, s.shared)
	}
	name := C.CString(kernel)
	defer C.free(unsafe.Pointer(name))
	if what := C.emulate(name, C.int(grid), C.int(block), C.int(shared), s.at(args), C.int(s.order)); what != nil {
		return fmt.Errorf("cuda: %s: %s", kernel, C.GoString(what))
	}
	for p, bytes := range s.used {
		for _, at := range []pointer{p - guard, p + pointer(bytes)} {
			for i, x := range unsafe.Slice((*byte)(s.at(at)), guard) {
				if x != 0xff {
					return fmt.Errorf("cuda: %s wrote outside an allocation of %d bytes (byte %d of the guard)",
						kernel, bytes, i)
				}
			}
		}
	}
	return nil
}

func (s emulatedStream) wait() error { return nil }
func (s emulatedStream) close()      {}
