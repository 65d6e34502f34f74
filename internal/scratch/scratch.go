// Package scratch keeps arrays on disk that memory has no room for. They are files without a name, mapped into
// memory. The system reads what is used and writes back what it needs the room of. They go when the process ends,
// however it ends.
package scratch

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
)

// Disk is where arrays are kept. The nil Disk is memory.
type Disk struct {
	path string

	mu     sync.Mutex
	mapped map[unsafe.Pointer][]byte // by their first byte
}

// Beside returns the disk that path is on: arrays are files in the folder that it is in, which may be filled.
func Beside(path string) *Disk {
	return &Disk{path: path, mapped: map[unsafe.Pointer][]byte{}}
}

// Make returns n ≥ 0 zeros of a type without pointers, on d, until they are freed or d is closed. Touching them
// afterwards ends the process, as does a disk that fails under them. The error is the system's, as of a disk that is
// full. In memory, or where the system maps no files (see Maps), they are what make returns, and there is no error.
func Make[T any](d *Disk, n int) ([]T, error) {
	var one T
	size := int(unsafe.Sizeof(one))
	if d == nil || !Maps || n == 0 {
		return make([]T, n), nil
	}
	memory, err := d.mapFile(n * size)
	if err != nil {
		return nil, fmt.Errorf("scratch: %d bytes next to %s: %w", n*size, d.path, err)
	}
	first := unsafe.Pointer(unsafe.SliceData(memory))
	d.mu.Lock()
	d.mapped[first] = memory
	d.mu.Unlock()
	return unsafe.Slice((*T)(first), n), nil
}

func (d *Disk) mapFile(bytes int) (memory []byte, err error) {
	file, release, err := atomicfile.File(d.path)
	if err != nil {
		return nil, err
	}
	defer release() // the mapping keeps what is in it
	if err = file.Allocate(int64(bytes)); err == nil {
		memory, err = mapping(file.Reader(), bytes, true)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return memory, nil
}

// File returns the elements of a type without pointers that a file holds, in the machine's own order, for reading
// only, until unmapped is called. They are mapped into memory, or read into it where the system maps no files.
func File[T any](file *os.File) (x []T, unmapped func() error, err error) {
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	var one T
	n := int(info.Size()) / int(unsafe.Sizeof(one))
	if n == 0 {
		return nil, func() error { return nil }, nil
	}
	memory, err := mapping(file, int(info.Size()), false)
	unmapped = func() error { return unmap(memory) }
	if err != nil { // such as where files cannot be mapped
		unmapped = func() error { return nil }
		if memory, err = bounded.ReadAll(file, info.Size(), bounded.Share(1)); err != nil {
			return nil, nil, err
		}
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), n), unmapped, nil
}

// Free gives back what Make has returned, whole; what is in memory is left to the
// collector. It panics if x is on d and not what Make has returned, or freed already.
func Free[T any](d *Disk, x []T) {
	if d == nil || !Maps || len(x) == 0 {
		return
	}
	first := unsafe.Pointer(unsafe.SliceData(x))
	d.mu.Lock()
	memory := d.mapped[first]
	delete(d.mapped, first)
	d.mu.Unlock()
	if err := unmap(memory); err != nil {
		panic(err) // the system knows a mapping that it has made, and x is none
	}
}

// Close gives back all that has not been freed.
func (d *Disk) Close() error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	for first, memory := range d.mapped {
		delete(d.mapped, first)
		err = errors.Join(err, unmap(memory))
	}
	return err
}
