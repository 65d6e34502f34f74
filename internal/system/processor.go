// Package system tells what the program runs on.
package system

import (
	"runtime"

	"golang.org/x/sys/cpu"
)

// Processor names the processor and the vector instructions that the float32
// kernels can use.
func Processor() string {
	name := ProcessorName()
	if name == "" {
		name = runtime.GOARCH
	}
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasFMA:
		return name + ", AVX-512"
	case cpu.X86.HasAVX2 && cpu.X86.HasFMA:
		return name + ", AVX2 and FMA"
	}
	return name + ", no vector instructions that the kernels use: slow portable code"
}
