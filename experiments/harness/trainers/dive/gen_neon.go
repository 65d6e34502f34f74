//go:build ignore

// This program writes kernels_arm64.s.
package main

import "contextmover/internal/neon"

func write(a *neon.Assembler) {
	a.Function("dotNEON(w, c *float32, n int) float32", 28, 3)
	a.Zeros(0, 2)
	a.Loop("next", 2, 16, func() {
		a.LoadPair(2, 3, 0, 0)
		a.LoadPair(4, 5, 1, 0)
		a.Three("fmla", neon.S4, 0, 2, 4)
		a.Three("fmla", neon.S4, 1, 3, 5)
		a.Advance(64, 0, 1)
	})
	a.Three("fadd", neon.S4, 0, 0, 1)
	a.Sum4(0, 1)
	a.Line("\tFMOVS F0, ret+24(FP)")
	a.Line("\tRET")

	// 1/√ is the processor's estimate, the same on all of arm64, and two steps of Newton's method.
	const gradient, rate, zero = 29, 30, 31
	a.Function("stepNEON(w, c *float32, n int, gradient, rate float32)", 32, 3)
	a.Line("\tFMOVS gradient+24(FP), F%d", gradient)
	a.Line("\tFMOVS rate+28(FP), F%d", rate)
	a.Zero(zero)
	a.Loop("next", 2, 16, func() {
		for part := range 2 {
			r := 12 * part
			w, squares, c, squaresC, ofW, ofC, root, rootC, t, tC := r, r+1, r+2, r+3, r+4, r+5, r+6, r+7, r+8, r+9
			a.Load(w, 0, 16*part)
			a.Load(squares, 0, 32+16*part)
			a.Load(c, 1, 16*part)
			a.Load(squaresC, 1, 32+16*part)
			a.Element("fmul", neon.S4, ofW, c, gradient, 0)
			a.Element("fmul", neon.S4, ofC, w, gradient, 0)
			a.Three("fmla", neon.S4, squares, ofW, ofW)
			a.Three("fmla", neon.S4, squaresC, ofC, ofC)
			a.Two("frsqrte", neon.S4, root, squares)
			a.Two("frsqrte", neon.S4, rootC, squaresC)
			for range 2 {
				a.Three("fmul", neon.S4, t, root, root)
				a.Three("fmul", neon.S4, tC, rootC, rootC)
				a.Three("frsqrts", neon.S4, t, squares, t)
				a.Three("frsqrts", neon.S4, tC, squaresC, tC)
				a.Three("fmul", neon.S4, root, root, t)
				a.Three("fmul", neon.S4, rootC, rootC, tC)
			}
			a.Element("fmul", neon.S4, ofW, ofW, rate, 0)
			a.Element("fmul", neon.S4, ofC, ofC, rate, 0)
			a.Three("fmla", neon.S4, w, ofW, root)
			a.Three("fmla", neon.S4, c, ofC, rootC)
			a.Three("fmax", neon.S4, w, w, zero)
			a.Three("fmax", neon.S4, c, c, zero)
			a.Store(w, 0, 16*part)
			a.Store(squares, 0, 32+16*part)
			a.Store(c, 1, 16*part)
			a.Store(squaresC, 1, 32+16*part)
		}
		a.Advance(64, 0, 1)
	})
	a.Line("\tRET")
}

func main() { neon.Main("kernels_arm64.s", write) }
