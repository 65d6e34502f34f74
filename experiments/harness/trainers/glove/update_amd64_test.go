//go:build !noasm

package glove

import "contextmover/internal/system"

func init() {
	if system.AVX512 {
		updates["AVX-512"] = updateAVX512
	}
	if system.AVX2 {
		updates["AVX2"] = updateAVX2
	}
}
