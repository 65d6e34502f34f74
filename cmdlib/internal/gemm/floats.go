package gemm

import "unsafe"

// Float is the type of a matrix's elements.
type Float interface{ float32 | float64 }

// floats is the slice of n elements that starts offset bytes behind p.
func floats[T Float](p unsafe.Pointer, offset uintptr, n int) []T {
	return unsafe.Slice((*T)(unsafe.Add(p, offset)), n)
}

// size is that of an element in bytes.
func size[T Float]() uintptr {
	var x T
	return unsafe.Sizeof(x)
}

// Tiny is the smallest normal number of its type.
func Tiny[T Float]() T {
	tiny := 0x1p-1022
	if size[T]() == 4 {
		tiny = 0x1p-126
	}
	return T(tiny)
}
