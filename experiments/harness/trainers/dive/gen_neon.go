//go:build ignore

// This program writes kernels_arm64.s.
package main

import "contextmover/internal/vectorasm"

func write(f *vectorasm.File) {
	f.Function("dotNEON(w, c *float32, n int) float32", 28, 3)
	f.Zeros(0, 2)
	f.Loop("next", 2, 16, func() {
		f.Code(`
			ldp q2, q3, [x0]
			ldp q4, q5, [x1]
			fmla v0.4s, v2.4s, v4.4s
			fmla v1.4s, v3.4s, v5.4s`)
		f.Advance(64, 0, 1)
	})
	f.Code("fadd v0.4s, v0.4s, v1.4s")
	f.Sum4(0, 1)
	f.Code("FMOVS F0, ret+24(FP)\nRET")

	// 1/√ is the processor's estimate, the same on all of arm64, and two steps of Newton's method.
	f.Function("stepNEON(w, c *float32, n int, gradient, rate float32)", 32, 3)
	f.Name(29, "gradient", "rate", "zero")
	f.Code("FMOVS gradient+24(FP), F29\nFMOVS rate+28(FP), F30")
	f.Zeros(31, 1)
	f.Loop("next", 2, 16, func() {
		for part := range 2 {
			f.Name(12*part, "w", "squares", "c", "squaresC", "ofW", "ofC", "root", "rootC", "t", "tC")
			f.Code(`
				ldr w, [x0, #%[1]d]
				ldr squares, [x0, #%[2]d]
				ldr c, [x1, #%[1]d]
				ldr squaresC, [x1, #%[2]d]
				fmul ofW.4s, c.4s, gradient.s[0]
				fmul ofC.4s, w.4s, gradient.s[0]
				fmla squares.4s, ofW.4s, ofW.4s
				fmla squaresC.4s, ofC.4s, ofC.4s
				frsqrte root.4s, squares.4s
				frsqrte rootC.4s, squaresC.4s`, 16*part, 32+16*part)
			for range 2 {
				f.Code(`
					fmul t.4s, root.4s, root.4s
					fmul tC.4s, rootC.4s, rootC.4s
					frsqrts t.4s, squares.4s, t.4s
					frsqrts tC.4s, squaresC.4s, tC.4s
					fmul root.4s, root.4s, t.4s
					fmul rootC.4s, rootC.4s, tC.4s`)
			}
			f.Code(`
				fmul ofW.4s, ofW.4s, rate.s[0]
				fmul ofC.4s, ofC.4s, rate.s[0]
				fmla w.4s, ofW.4s, root.4s
				fmla c.4s, ofC.4s, rootC.4s
				fmax w.4s, w.4s, zero.4s
				fmax c.4s, c.4s, zero.4s
				str w, [x0, #%[1]d]
				str squares, [x0, #%[2]d]
				str c, [x1, #%[1]d]
				str squaresC, [x1, #%[2]d]`, 16*part, 32+16*part)
		}
		f.Advance(64, 0, 1)
	})
	f.Code("RET")
}

func main() { vectorasm.Main("gen_neon.go", "kernels_arm64.s", "!noasm", write) }
