//go:build !noasm

package sent2vec

import "contextmover/internal/system"

func kernels() map[string]kernel {
	k := map[string]kernel{"chosen": {addScaled, dot}}
	if system.AVX512 {
		k["AVX-512"] = kernel{addScaledAVX512, dotAVX512}
	}
	if system.AVX2 {
		k["AVX2"] = kernel{addScaledAVX2, dotAVX2}
	}
	return k
}
