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
