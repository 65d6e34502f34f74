//go:build ignore

// This program writes kernel_arm64.s.
package main

import "contextmover/internal/vectorasm"

// Every sum is as in the kernels for amd64: of products that are exact in float64, so that it does not matter whether they
// are fused with the addition.
func write(f *vectorasm.File) {
	kernel := func(name string, y, x string, product func(sum, v int)) {
		f.Function(name+"(s *sums, x, y *float32, n int)", 32, 4)
		f.Zeros(0, 16)
		f.Loop(name, 3, 1, func() {
			f.Code("ldp q16, q17, [x2]\nldr q18, [x1]\n" + y)
			for r := range 4 {
				f.Code("dup v19.4s, v18.s[%d]\n"+x, r)
				for v := range 4 {
					product(4*r+v, v)
				}
			}
			f.Advance(16, 1)
			f.Advance(32, 2)
		})
		for v := 0; v < 16; v += 2 {
			f.Code("stp q%d, q%d, [x0, #%d]", v, v+1, 16*v)
		}
		f.Code("RET")
	}
	kernel("squaresNEON", "", `
		fsub v20.4s, v19.4s, v16.4s
		fsub v21.4s, v19.4s, v17.4s
		fcvtl2 v23.2d, v20.4s
		fcvtl v22.2d, v20.2s
		fcvtl2 v25.2d, v21.4s
		fcvtl v24.2d, v21.2s`,
		func(sum, v int) { f.Code("fmla v%d.2d, v%[2]d.2d, v%[2]d.2d", sum, 22+v) })
	kernel("productsNEON", `
		fcvtl2 v21.2d, v16.4s
		fcvtl v20.2d, v16.2s
		fcvtl2 v23.2d, v17.4s
		fcvtl v22.2d, v17.2s`, `
		fcvtl2 v25.2d, v19.4s
		fcvtl v24.2d, v19.2s`,
		func(sum, v int) { f.Code("fmla v%d.2d, v%d.2d, v24.2d", sum, 20+v) })
}

func main() { vectorasm.Main("gen_neon.go", "kernel_arm64.s", "!noasm", write) }
