//go:build ignore

// This program writes kernels_arm64.s.
package main

import "contextmover/internal/vectorasm"

func write(f *vectorasm.File) {
	const ahead = "prfm pldl1keep, [x3]\nprfm pldl1keep, [x3, #64]"
	f.Function("addScaledNEON(y, x *float32, n int, a float32, ahead *float32)", 40, 3)
	f.Code("FMOVS a+24(FP), F16\nMOVD ahead+32(FP), R3")
	f.Loop("next", 2, 32, func() {
		for i := 0; i < 8; i += 2 {
			f.Code("ldp q%d, q%d, [x0, #%d]", i, i+1, 16*i)
			f.Code("ldp q%d, q%d, [x1, #%d]", i+8, i+9, 16*i)
		}
		f.Code(ahead)
		for i := range 8 {
			f.Code("fmla v%d.4s, v%d.4s, v16.s[0]", i, i+8)
		}
		for i := 0; i < 8; i += 2 {
			f.Code("stp q%d, q%d, [x0, #%d]", i, i+1, 16*i)
		}
		f.Advance(128, 0, 1, 3)
	})
	f.Code("RET")

	// The sums of 32 lanes are added as those of AVX-512.
	f.Function("dotNEON(x, y *float32, n int, ahead *float32) float32", 36, 4)
	f.Zeros(0, 8)
	f.Loop("next", 2, 32, func() {
		f.Code(ahead)
		for i := 0; i < 8; i += 2 {
			f.Name(i, "sum", "sum2")
			f.Name(8+i, "x", "x2")
			f.Name(16+i, "y", "y2")
			f.Code(`
				ldp x, x2, [x0, #%[1]d]
				ldp y, y2, [x1, #%[1]d]
				fmla sum.4s, x.4s, y.4s
				fmla sum2.4s, x2.4s, y2.4s`, 16*i)
		}
		f.Advance(128, 0, 1, 3)
	})
	for half := 4; half > 0; half /= 2 {
		for i := range half {
			f.Code("fadd v%[1]d.4s, v%[1]d.4s, v%d.4s", i, i+half)
		}
	}
	f.Sum4(0, 1)
	f.Code("FMOVS F0, ret+32(FP)\nRET")
}

func main() { vectorasm.Main("gen_neon.go", "kernels_arm64.s", "!noasm", write) }
