// Package system tells what the program runs on.
package system

import "runtime"

// Processor names the processor and the vector instructions that the float32 kernels can use.
func Processor() string {
	name := ProcessorName()
	if name == "" {
		name = runtime.GOARCH
	}
	return name + ", " + Kernels()
}

// Kernels names the vector instructions that the float32 kernels can use here.
func Kernels() string {
	switch {
	case AVX512:
		return "AVX-512"
	case AVX2:
		return "AVX2 and FMA"
	case NEON:
		return "NEON"
	}
	return "no vector instructions that the kernels use: slow portable code"
}
