// Package bounded reads what is of a size that nobody has vouched for: a few kilobytes of a compressed
// file may hold gigabytes, and a pipe may never end. What goes beyond a bound is an error instead of
// the end of the process, which is what the system does to one that has taken all memory.
//
// A bound is what is expected of a file where that is known, or a share of the memory there is.
package bounded

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"syscall"

	"contextmover/internal/printable"
	"contextmover/internal/system"
)

// Document bounds what people or programs write to be read as a whole, such as settings, descriptions and
// indices: it is far more than any of these has.
const Document = 64 << 20

// ErrTooLarge is what an error is whose cause is that a bound was passed.
var ErrTooLarge = errors.New("too large")

// ErrMemory is what an ErrTooLarge is whose cause is that memory is short: what was to be read may be sound. It is the
// error with which systems refuse memory, too.
var ErrMemory error = syscall.ENOMEM

// failure is an ErrTooLarge, and an ErrMemory if that is its cause, with a message of its own.
type failure struct {
	text  string
	cause error
}

func (e failure) Error() string { return e.text }

func (e failure) Is(target error) bool { return target == ErrTooLarge }

func (e failure) Unwrap() error { return e.cause }

// Share returns how many bytes may be read where each takes the given number of bytes of memory, of
// which it takes all that is free. It is math.MaxInt64 where the system does not tell.
func Share(factor int64) int64 {
	free, ok := system.FreeMemory()
	if !ok {
		return math.MaxInt64
	}
	return free / factor
}

// Allocate returns an ErrMemory if more bytes of memory are needed than are free. Of less than a megabyte it does not
// ask the system, which takes longer than to read a small file.
func Allocate(need int64) error {
	if need < 1<<20 {
		return nil
	}
	return allocate(need, Share(1))
}

func allocate(need, free int64) error {
	if need > free {
		return failure{fmt.Sprintf("needs about %s of memory, of which %s is free here: give it less, or a larger "+
			"machine", printable.Bytes(need), printable.Bytes(free)), ErrMemory}
	}
	return nil
}

// Reader returns a reader of what r holds that fails with an ErrTooLarge behind limit bytes.
func Reader(r io.Reader, limit int64) io.Reader { return &reader{r, limit, limit} }

type reader struct {
	r           io.Reader
	left, limit int64
}

func (b *reader) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, b.err()
	}
	// One byte more than is left, to tell the end from the bound.
	if int64(len(p))-1 > b.left {
		p = p[:b.left+1]
	}
	n, err := b.r.Read(p)
	if b.left -= int64(n); b.left >= 0 {
		return n, err
	}
	if n == 1 {
		return 0, b.err()
	}
	return n - 1, nil // the error comes alone, so that a reader of lines knows which were whole
}

func (b *reader) err() error {
	return failure{text: fmt.Sprintf("holds more than %s, the most that is read here: is it the right file, and not "+
		"damaged?", printable.Bytes(b.limit))}
}

// ReadAll reads r to its end. expected is how much that will probably be, 0 if nothing is known. It is
// an ErrTooLarge if there are more than limit bytes; no more than twice as many are allocated.
func ReadAll(r io.Reader, expected, limit int64) ([]byte, error) {
	limit = min(limit, math.MaxInt-1) // what can be counted, with the byte behind it
	r = Reader(r, limit)
	// A byte more than there is, so that the end shows without growing.
	all := make([]byte, 0, max(512, min(expected, limit)+1))
	for {
		n, err := r.Read(all[len(all):cap(all)])
		all = all[:len(all)+n]
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if len(all) == cap(all) {
			all = append(all, 0)[:len(all)]
		}
	}
}

// ReadFile reads a file of at most limit bytes. Errors are those of os.ReadFile; that of a file that has
// more is an ErrTooLarge too.
func ReadFile(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var expected int64
	if info, err := f.Stat(); err == nil {
		expected = info.Size()
	}
	all, err := ReadAll(f, expected, limit)
	if errors.Is(err, ErrTooLarge) {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return all, err
}
