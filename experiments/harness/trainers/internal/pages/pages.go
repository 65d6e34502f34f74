// Package pages allocates what is read and written all over: parameters of a training that are spread
// over more memory than a processor keeps translations of small pages for.
package pages

import "unsafe"

// Large returns n zeroed elements that start at a cache line, on large pages where
// the system has them.
func Large[T any](n int) []T {
	const line = 64
	var one T
	size := int(unsafe.Sizeof(one))
	x := make([]byte, n*size+line)
	adviseLargePages(x)
	shift := int(-uintptr(unsafe.Pointer(unsafe.SliceData(x))) % line)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(x[shift:]))), n)
}

// Parameters of words (side 0) and contexts (side 1) lie by position, Stride floats each.
type Parameters struct {
	Stride int
	Sides  [2][]float32
}

// NewParameters returns zeros for n words and contexts.
func NewParameters(n, stride int) Parameters {
	return Parameters{stride, [2][]float32{Large[float32](n * stride), Large[float32](n * stride)}}
}

// At returns the parameters at a position of a side.
func (p *Parameters) At(side int, position int32) []float32 {
	return p.Sides[side][int(position)*p.Stride:][:p.Stride]
}

// Word returns the parameters of a word, Context those of a context.
func (p *Parameters) Word(position int32) []float32    { return p.At(0, position) }
func (p *Parameters) Context(position int32) []float32 { return p.At(1, position) }
