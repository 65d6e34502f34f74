// Package system tells what the program runs on.
package system

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

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
	case cpu.X86.HasAVX512F && cpu.X86.HasFMA:
		return "AVX-512"
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return "AVX2 and FMA"
	}
	return "no vector instructions that the kernels use: slow portable code"
}
