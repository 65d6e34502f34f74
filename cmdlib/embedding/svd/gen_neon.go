//go:build ignore

// This program writes kernels_arm64.s.
package main

import "contextmover/internal/vectorasm"

// Every sum is the sequence of fused multiply-adds of the kernels for amd64.
func write(f *vectorasm.File) {
	// The 64 sums stay in v0–v15 over all n entries.
	f.Function("stripSumNEON(y, x *float32, index *int32, value *float32, n int)", 40, 5)
	f.Zeros(0, 16)
	f.Loop("entry", 4, 1, func() {
		f.Code(`
			MOVW.P 4(R2), R5
			ldr s16, [x3]
			ADD R5<<8, R1, R6
			ADD $4, R3`)
		for i := 0; i < 16; i += 2 {
			f.Name(24+i%8, "x", "next")
			f.Code(`
				ldp x, next, [x6, #%d]
				fmla v%d.4s, x.4s, v16.s[0]
				fmla v%d.4s, next.4s, v16.s[0]`, 16*i, i, i+1)
		}
	})
	for i := 0; i < 16; i += 2 {
		f.Code("stp q%d, q%d, [x0, #%d]", i, i+1, 16*i)
	}
	f.Code("RET")

	// 4 columns of panel a and the 8 of panel b.
	f.Function("halfPanelNEON(sum *float64, stride int, a, b *float64, rows int)", 40, 5)
	sums := func(op string) {
		f.Code("MOVD R0, R5")
		for r := range 4 {
			for v := 0; v < 4; v += 2 {
				f.Code("%s q%d, q%d, [x5, #%d]", op, 4*r+v, 4*r+v+1, 16*v)
			}
			if r < 3 {
				f.Code("ADD R1<<3, R5, R5")
			}
		}
	}
	sums("ldp")
	f.Loop("row", 4, 1, func() {
		f.Code("ldp q20, q21, [x2]\nldp q16, q17, [x3]\nldp q18, q19, [x3, #32]")
		for r := range 4 {
			for v := range 4 {
				f.Code("fmla v%d.2d, v%d.2d, v%d.d[%d]", 4*r+v, 16+v, 20+r/2, r%2)
			}
		}
		f.Advance(64, 2, 3)
	})
	sums("stp")
	f.Code("RET")
}

func main() { vectorasm.Main("gen_neon.go", "kernels_arm64.s", "!noasm", write) }
