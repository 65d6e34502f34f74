//go:build !noasm

package entailment

import "contextmover/internal/system"

var vectorised = system.AVX2

func score(w, c []float32, odds float32) float32 {
	if vectorised {
		return scoreAVX2(&w[0], &c[0], len(w)/2, odds)
	}
	return scorePortable(w, c, odds)
}

func step(w, c []float32, odds, move float32) {
	if vectorised {
		stepAVX2(&w[0], &c[0], len(w)/2, odds, move)
		return
	}
	stepPortable(w, c, odds, move)
}

// The kernels do what scorePortable and stepPortable do, for vectors of half values A
// and half values R, half a multiple of lanes.

//go:noescape
func scoreAVX2(w, c *float32, half int, odds float32) float32

//go:noescape
func stepAVX2(w, c *float32, half int, odds, move float32)
