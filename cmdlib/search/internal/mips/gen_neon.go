//go:build ignore

// This program writes kernel_arm64.s.
package main

import "contextmover/internal/vectorasm"

// Four rows at a time, as for amd64: what each step reads of the query serves them all. Sums are of
// whole numbers, and so the same in any order. (SDOT would take the query in 8 bits; it has 16.)
func write(f *vectorasm.File) {
	f.Function("dotsNEON(sums *int32, rows *byte, query *int16, fours, stride, steps int)", 48, 6)
	f.Code("rows:")
	f.Zeros(0, 8)
	f.Code(`
		MOVD R1, R6 // R6 to R9 point to the rows
		ADD R4, R6, R7
		ADD R4, R7, R8
		ADD R4, R8, R9
		MOVD R2, R10
		MOVD R5, R11`)
	f.Loop("step", 11, 1, func() { // 32 numbers
		f.Code("ldp q16, q17, [x10]\nldp q18, q19, [x10, #32]\nADD $64, R10")
		for r := range 4 {
			f.Code(`
				ldp q20, q21, [x%d]
				sshll2 v23.8h, v20.16b, #0
				sshll v22.8h, v20.8b, #0
				sshll2 v25.8h, v21.16b, #0
				sshll v24.8h, v21.8b, #0`, 6+r)
			for i := range 4 {
				f.Code("smlal v%d.4s, v%d.4h, v%d.4h", r, 22+i, 16+i)
				f.Code("smlal2 v%d.4s, v%d.8h, v%d.8h", 4+r, 22+i, 16+i)
			}
			f.Code("ADD $32, R%d", 6+r)
		}
	})
	f.Code(`
		add v0.4s, v0.4s, v4.4s
		add v1.4s, v1.4s, v5.4s
		add v2.4s, v2.4s, v6.4s
		add v3.4s, v3.4s, v7.4s
		addp v0.4s, v0.4s, v1.4s
		addp v2.4s, v2.4s, v3.4s
		addp v0.4s, v0.4s, v2.4s
		str q0, [x0]
		ADD $16, R0
		ADD R4<<2, R1, R1
		SUBS $1, R3, R3
		BNE rows
		RET`)
}

func main() { vectorasm.Main("gen_neon.go", "kernel_arm64.s", "!noasm", write) }
