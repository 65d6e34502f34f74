// Package system tells what the program runs on.
package system

import "runtime"

// Processor names the processor and the vector instructions that the float32
// kernels can use.
func Processor() string {
	name := ProcessorName()
	if name == "" {
		name = runtime.GOARCH
	}
	switch {
	case AVX512:
		return name + ", AVX-512"
	case AVX2:
		return name + ", AVX2 and FMA"
	}
	return name + ", no vector instructions that the kernels use: slow portable code"
}
