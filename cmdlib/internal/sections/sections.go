// Package sections puts numbers and bytes one behind the other, and takes them off again.
package sections

import (
	"encoding/binary"
	"math"
)

// Sized returns the length of a section and the section.
func Sized(section []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(section))), section...)
}

// AppendFloats appends the bytes of numbers by planes.
func AppendFloats(to []byte, list []float32) []byte {
	numbers := make([]uint32, len(list))
	for i, x := range list {
		numbers[i] = math.Float32bits(x)
	}
	return AppendPlanes(to, numbers, 4)
}

// AppendPlanes appends the lowest bytes of all numbers, then the second ones, and so on.
func AppendPlanes(to []byte, numbers []uint32, planes int) []byte {
	for p := range planes {
		for _, x := range numbers {
			to = append(to, byte(x>>(8*p)))
		}
	}
	return to
}

// Reader takes sections off a payload; Short tells that one was longer than what was left.
type Reader struct {
	Rest  []byte
	Short bool
}

// Take returns the next rows × cols × size bytes.
func (r *Reader) Take(rows, cols, size int) []byte {
	if rows > 0 && cols > len(r.Rest)/rows/size {
		r.Short = true
		return nil
	}
	section := r.Rest[:rows*cols*size]
	r.Rest = r.Rest[len(section):]
	return section
}

// Section returns the next section that begins with its length.
func (r *Reader) Section() []byte {
	length := r.Take(1, 4, 1)
	if r.Short {
		return nil
	}
	return r.Take(1, int(binary.LittleEndian.Uint32(length)), 1)
}

// Plane returns number i of a section of planes.
func Plane(section []byte, i, planes int) (x uint32) {
	n := len(section) / planes
	for p := range planes {
		x |= uint32(section[p*n+i]) << (8 * p)
	}
	return x
}

// Floats returns the numbers of a section of AppendFloats.
func Floats(section []byte) []float32 {
	list := make([]float32, len(section)/4)
	for i := range list {
		list[i] = math.Float32frombits(Plane(section, i, 4))
	}
	return list
}
