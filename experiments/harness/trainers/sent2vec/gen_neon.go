//go:build ignore

// This program writes kernels_arm64.s.
package main

import "contextmover/internal/neon"

func write(a *neon.Assembler) {
	a.Function("addScaledNEON(y, x *float32, n int, a float32, ahead *float32)", 40, 3)
	a.Line("\tFMOVS a+24(FP), F16")
	a.Line("\tMOVD ahead+32(FP), R3")
	a.Loop("next", 2, 32, func() {
		for i := 0; i < 8; i += 2 {
			a.LoadPair(i, i+1, 0, 16*i)
			a.LoadPair(i+8, i+9, 1, 16*i)
		}
		a.Fetch(3, 0)
		a.Fetch(3, 64)
		for i := range 8 {
			a.Element("fmla", neon.S4, i, i+8, 16, 0)
		}
		for i := 0; i < 8; i += 2 {
			a.StorePair(i, i+1, 0, 16*i)
		}
		a.Advance(128, 0, 1, 3)
	})
	a.Line("\tRET")

	// The sums of 32 lanes are added as those of AVX-512.
	a.Function("dotNEON(x, y *float32, n int, ahead *float32) float32", 36, 4)
	a.Zeros(0, 8)
	a.Loop("next", 2, 32, func() {
		a.Fetch(3, 0)
		a.Fetch(3, 64)
		for i := 0; i < 8; i += 2 {
			a.LoadPair(8+i, 9+i, 0, 16*i)
			a.LoadPair(16+i, 17+i, 1, 16*i)
			a.Three("fmla", neon.S4, i, 8+i, 16+i)
			a.Three("fmla", neon.S4, i+1, 9+i, 17+i)
		}
		a.Advance(128, 0, 1, 3)
	})
	for half := 4; half > 0; half /= 2 {
		for i := range half {
			a.Three("fadd", neon.S4, i, i, i+half)
		}
	}
	a.Sum4(0, 1)
	a.Line("\tFMOVS F0, ret+32(FP)")
	a.Line("\tRET")
}

func main() { neon.Main("kernels_arm64.s", write) }
