//go:build !noasm

package system

import "golang.org/x/sys/cpu"

// AVX512 tells whether the kernels for AVX-512 can run: they use instructions of F, DQ and VL, which a
// processor may have one by one.
var AVX512 = cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL && AVX2

// AVX2 tells whether the kernels for AVX2 can run: they use FMA as well.
var AVX2 = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// AVX512VNNI tells whether kernels for products of small integers can run: they use instructions of BW and VNNI, too.
var AVX512VNNI = AVX512 && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VNNI
