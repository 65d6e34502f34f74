//go:build !noasm

package glove

import "golang.org/x/sys/cpu"

func init() {
	if cpu.X86.HasAVX512F {
		updates["AVX-512"] = updateAVX512
	}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		updates["AVX2"] = updateAVX2
	}
}
