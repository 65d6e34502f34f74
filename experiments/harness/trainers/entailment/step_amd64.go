//go:build !noasm

package entailment

import "contextmover/internal/system"

func init() {
	if system.AVX2 {
		score, step = scoreAVX2, stepAVX2
	}
}

// The kernels do what scorePortable and stepPortable do, for vectors of a multiple of lanes values A and as many R.

//go:noescape
func scoreAVX2(w, c []float32, odds float32) float32

//go:noescape
func stepAVX2(w, c []float32, odds, move float32)
