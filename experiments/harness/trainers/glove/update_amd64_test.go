//go:build !noasm

package glove

import "contextmover/internal/system"

func init() {
	if system.AVX512 {
		updates["AVX-512"] = updateBy(kernelAVX512, kernelClippedAVX512)
	}
	if system.AVX2 {
		updates["AVX2"] = updateBy(kernelAVX2, kernelClippedAVX2)
	}
}
