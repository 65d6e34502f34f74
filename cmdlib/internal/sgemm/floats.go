package sgemm

import "unsafe"

// floats is the slice of n floats that starts offset bytes behind p.
func floats(p *float32, offset uintptr, n int) []float32 {
	return unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(p), offset)), n)
}
