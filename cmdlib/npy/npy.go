// Package npy reads and writes arrays in NumPy's .npy format: version 1.0 (2.0 is
// read too), little-endian, in C order, of the element types float32, float64,
// int32, int64, uint8 and uint16. The files open with numpy.load, and what numpy.save writes of
// these types opens here.
//
// Files are written whole or not at all: under a temporary name in the same folder,
// synced to the disk, then renamed.
//
// Source: the format specification in numpy/lib/format.py.
package npy

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"unsafe"

	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
)

// Element is a type that an array may hold.
type Element interface {
	float32 | float64 | int32 | int64 | uint8 | uint16
}

// Write writes data as an array of the given shape, in C order (the last index
// runs fastest), and replaces a file that is already at path. An empty shape is a
// single number. An error leaves the old file, if any, as it was.
//
// Write panics if a dimension is negative or data has not exactly the product of
// the dimensions as its length.
func Write[T Element](path string, shape []int, data []T) error {
	if err := atomicfile.Write(path, func(w *bufio.Writer) error { return Encode(w, shape, data) }); err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	return nil
}

// Encode writes to w what Write writes to a file. It panics where Write does, and its errors are those of w.
func Encode[T Element](w *bufio.Writer, shape []int, data []T) error {
	if n, ok := count(shape, 1); !ok || n != len(data) {
		panic(fmt.Sprintf("npy: %d elements for the shape %v", len(data), shape))
	}
	if _, err := w.Write(Header[T](shape...)); err != nil {
		return err
	}
	return writeElements(w, data)
}

// Header returns what a file of an array of the given shape begins with. Its elements
// follow in C order, the lowest byte of each first. It panics if a dimension is negative.
func Header[T Element](shape ...int) []byte {
	if _, ok := count(shape, 1); !ok {
		panic(fmt.Sprintf("npy: the shape %v", shape))
	}
	return formatHeader(descr[T](), shape)
}

// Read returns the shape and the elements of an array, in C order. It fails if the file is no .npy file, is cut short
// or too long, or is in Fortran or big-endian order. It also fails if it holds another type than T, or more elements
// than there is memory for. A pipe is read no further than one byte behind its array.
func Read[T Element](path string) (shape []int, data []T, err error) {
	err = open(path, func(h header, body io.Reader) error {
		if err := h.mustHold(descr[T]()); err != nil {
			return err
		}
		if err := h.allocate(h.size()); err != nil {
			return err
		}
		shape, data = h.shape, make([]T, h.count)
		return readElements(body, data)
	})
	return shape, data, err
}

// ReadFloats is like Read for an array of any element type, and rounds to the nearest T. A finite number beyond the
// range of float32 is an error that names its index, if T is float32.
func ReadFloats[T float32 | float64](path string) (shape []int, data []T, err error) {
	err = open(path, func(h header, body io.Reader) error {
		if err := h.allocate(sizeOf[T]()); err != nil {
			return err
		}
		shape, data = h.shape, make([]T, h.count)
		switch h.descr {
		case descr[T]():
			return readElements(body, data)
		case "<f4":
			return readConverted[float32](body, data)
		case "<f8":
			return readConverted[float64](body, data)
		case "<i4":
			return readConverted[int32](body, data)
		case "<i8":
			return readConverted[int64](body, data)
		case "<u2":
			return readConverted[uint16](body, data)
		default:
			return readConverted[uint8](body, data)
		}
	})
	return shape, data, err
}

func readConverted[From Element, To float32 | float64](body io.Reader, data []To) error {
	var chunk [4096]From
	for at := 0; at < len(data); {
		part := chunk[:min(len(chunk), len(data)-at)]
		if err := readElements(body, part); err != nil {
			return err
		}
		for i, from := range part {
			x := float64(from)
			y := To(x)
			if math.IsInf(float64(y), 0) && !math.IsInf(x, 0) {
				return fmt.Errorf("element %d is %v, beyond the range of float32", at+i, x)
			}
			data[at+i] = y
		}
		at += len(part)
	}
	return nil
}

// open reads the header of the file at path, checks the length of what follows and
// calls f with a reader of exactly the elements.
func open(path string, f func(h header, body io.Reader) error) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	defer file.Close()
	if err := read(file, f); err != nil {
		return fmt.Errorf("npy: %s: %w", path, err)
	}
	return nil
}

func read(file *os.File, f func(h header, body io.Reader) error) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		return errors.New("is a folder, expected a .npy file")
	}
	buffered := bufio.NewReaderSize(file, 1<<16)
	h, err := readHeader(buffered)
	if err != nil {
		return err
	}
	// The length is checked before anything is allocated, so a damaged header
	// cannot ask for more memory than its file has bytes.
	if info.Mode().IsRegular() {
		if err := h.checkLength(info.Size()); err != nil {
			return err
		}
		return f(h, buffered)
	}
	// A pipe tells no length, and may have no end.
	if err := f(h, buffered); err != nil {
		return err
	}
	if _, err := buffered.ReadByte(); err == nil {
		return fmt.Errorf("goes on behind the %d bytes of the shape %s of %s: it should hold one array",
			h.count*h.size(), formatShape(h.shape), typeName(h.descr))
	} else if err != io.EOF {
		return err
	}
	return nil
}

// descr returns the type's name in a header.
func descr[T Element]() string {
	var zero T
	switch any(zero).(type) {
	case float32:
		return "<f4"
	case float64:
		return "<f8"
	case int32:
		return "<i4"
	case int64:
		return "<i8"
	case uint16:
		return "<u2"
	default:
		return "|u1"
	}
}

func typeName(descr string) string {
	return map[string]string{
		"<f4": "float32", "<f8": "float64", "<i4": "int32", "<i8": "int64", "<u2": "uint16", "|u1": "uint8",
	}[descr]
}

// sizeOf returns the number of bytes of an element.
func sizeOf[T Element]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// count returns the product of the dimensions, and false if one is negative or the
// elements, of the given size in bytes, would take more bytes than an int can count.
func count(shape []int, size int) (int, bool) {
	if slices.ContainsFunc(shape, func(d int) bool { return d < 0 }) {
		return 0, false
	}
	if slices.Contains(shape, 0) {
		return 0, true
	}
	n := 1
	for _, d := range shape {
		if n > (math.MaxInt-1<<16)/size/d { // the rest is for the header
			return 0, false
		}
		n *= d
	}
	return n, true
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// bytesOf returns the memory of data.
func bytesOf[T Element](data []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*sizeOf[T]())
}

func writeElements[T Element](w *bufio.Writer, data []T) error {
	if littleEndian {
		// Pieces: one call of write(2) stops at 2 GB.
		for b := bytesOf(data); len(b) > 0; {
			n := min(len(b), 1<<26)
			if _, err := w.Write(b[:n]); err != nil {
				return err
			}
			b = b[n:]
		}
		return nil
	}
	return binary.Write(w, binary.LittleEndian, data)
}

func readElements[T Element](r io.Reader, data []T) error {
	b := bytesOf(data)
	if n, err := io.ReadFull(r, b); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("the file ends %d bytes before its last element", len(b)-n)
		}
		return err
	}
	if !littleEndian {
		swap(b, len(b)/max(len(data), 1))
	}
	return nil
}

// swap reverses the bytes of each element.
func swap(b []byte, size int) {
	for at := 0; at+size <= len(b) && size > 0; at += size {
		for i, j := at, at+size-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
	}
}

// View returns the shape and the elements, in C order, of an array in memory, which is what a file of it holds, and
// must not change. The elements are those of the memory where these are aligned, and a copy elsewhere. It fails like
// Read.
func View[T Element](content []byte) (shape []int, data []T, err error) {
	in := bytes.NewReader(content)
	h, err := readHeader(in)
	if err == nil {
		err = h.mustHold(descr[T]())
	}
	if err == nil {
		err = h.checkLength(int64(len(content)))
	}
	if err != nil {
		return nil, nil, err
	}
	elements := content[h.length:]
	if start := unsafe.Pointer(unsafe.SliceData(elements)); littleEndian && uintptr(start)%uintptr(sizeOf[T]()) == 0 {
		return h.shape, unsafe.Slice((*T)(start), h.count), nil
	}
	if err := h.allocate(sizeOf[T]()); err != nil {
		return nil, nil, err
	}
	data = make([]T, h.count)
	return h.shape, data, readElements(in, data)
}

// header is what stands before the elements.
type header struct {
	descr  string
	shape  []int
	count  int // number of elements
	length int // bytes before the first element
}

func (h header) size() int { return int(h.descr[2] - '0') }

// allocate fails if there is no memory for the elements, of the given size in bytes.
func (h header) allocate(size int) error {
	if err := bounded.Allocate(int64(h.count) * int64(size)); err != nil {
		return fmt.Errorf("the shape %s: %w", formatShape(h.shape), err)
	}
	return nil
}

func (h header) mustHold(want string) error {
	if h.descr != want {
		return fmt.Errorf("holds %s ('%s'), expected %s ('%s'): save it with numpy.save(file, array.astype('%s'))",
			typeName(h.descr), h.descr, typeName(want), want, want)
	}
	return nil
}

func (h header) checkLength(size int64) error {
	want := int64(h.length) + int64(h.count)*int64(h.size())
	if size < want {
		return fmt.Errorf("is cut short: %d bytes, expected %d for the shape %s of %s: copy or make it again",
			size, want, formatShape(h.shape), typeName(h.descr))
	}
	if size > want {
		return fmt.Errorf("is too long: %d bytes, expected %d for the shape %s of %s: it should hold one array",
			size, want, formatShape(h.shape), typeName(h.descr))
	}
	return nil
}

func formatShape(shape []int) string {
	b := []byte{'('}
	for i, d := range shape {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(d), 10)
	}
	if len(shape) == 1 {
		b = append(b, ',')
	}
	return string(append(b, ')'))
}
