package glove

import "unsafe"

// large returns n zeroed elements that start at a cache line, on large pages where
// the system has them: a record's parameters are all over hundreds of megabytes,
// more small pages than a processor keeps translations of.
func large[T any](n int) []T {
	const line = 64
	var one T
	size := int(unsafe.Sizeof(one))
	x := make([]byte, n*size+line)
	adviseLargePages(x)
	shift := int(-uintptr(unsafe.Pointer(unsafe.SliceData(x))) % line)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(x[shift:]))), n)
}
