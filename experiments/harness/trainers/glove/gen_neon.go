//go:build ignore

// This program writes kernel_arm64.s.
package main

import "contextmover/internal/vectorasm"

// Registers of both kernels:
//
//	R0  rows                     R1  contexts
//	R2  next run                 R3  runs left, this one included
//	R4  record                   R5  bytes of a word's parameters
//	R6  row                      R7  context of the record
//	R8  of the next record       R9  of the record whose turn comes later
//	R10 records left in the run  R11 next row
//	R12 to R16 and R17           pointers and bytes left in a loop
func kernel(f *vectorasm.File, name string, clipped bool) {
	f.Begin(name, 64)
	f.Name(28, "rate", "limit", "minusLimit", "one")
	f.Arguments("rows", "contexts", "runs", "n", "first", "stride")
	f.Code("FMOVS rate+48(FP), F28")
	if clipped {
		f.Code("FMOVS limit+52(FP), F29\ndup limit.4s, limit.s[0]\nfneg minusLimit.4s, limit.4s")
	}
	f.Float(31, 1)
	f.Zeros(27, 1) // the sum of losses, a float64
	f.Code(`
		MOVW (R4), R7
		MADD R5, R1, R7, R7
		%s_row:
		MOVW (R2), R6
		MOVW 4(R2), R10
		MOVW 16(R2), R11 // runsAhead
		ADD $8, R2
		MADD R5, R0, R6, R6
		MADD R5, R0, R11, R11`, name)

	// The product of the run's first record; those of the others are by-products of
	// the updates before them.
	f.Zeros(0, 4)
	f.Code("MOVD R6, R12\nMOVD R7, R13\nMOVD R5, R17")
	f.Loop(name+"_product", 17, 128, func() {
		f.Code(`
			prfm pldl1keep, [x11]
			prfm pldl1keep, [x11, #64]
			ldp q4, q5, [x12]
			ldp q8, q9, [x13]
			fmla v0.4s, v4.4s, v8.4s
			fmla v1.4s, v5.4s, v9.4s
			ldp q6, q7, [x12, #32]
			ldp q10, q11, [x13, #32]
			fmla v2.4s, v6.4s, v10.4s
			fmla v3.4s, v7.4s, v11.4s`)
		f.Advance(128, 11, 12, 13)
	})

	// The sum of all lanes, the difference, its product with the rate and the weight, the loss.
	f.Code(`
		%s_update:
		FMOVS 4(R4), F5 // ln X
		FMOVS 8(R4), F6 // f
		fadd v0.4s, v0.4s, v2.4s
		fadd v1.4s, v1.4s, v3.4s
		fadd v0.4s, v0.4s, v1.4s`, name)
	f.Sum4(0, 1)
	f.Code(`
		FSUBS F5, F0, F0
		FMULS F28, F6, F4
		FMULS F0, F4, F26
		FMULS F6, F0, F1
		FMULS F0, F1, F1
		FCVTSD F1, F1
		FADDD F1, F27, F27

		MOVW 12(R4), R8
		MOVW 60(R4), R9 // recordsAhead
		MADD R5, R1, R8, R8
		MADD R5, R1, R9, R9`)
	f.Zeros(0, 4)
	f.Code("MOVD R6, R12\nMOVD R7, R13\nMOVD R8, R14\nMOVD R5, R17")
	f.Loop(name+"_chunk", 17, 128, func() {
		f.Code("prfm pldl1keep, [x9]\nprfm pldl1keep, [x9, #64]")
		for part := range 4 {
			chunk(f, part, clipped)
		}
		f.Advance(128, 9, 12, 13, 14)
	})
	f.Code(`
		MOVD R8, R7
		ADD $12, R4
		SUBS $1, R10, R10
		BNE %[1]s_update
		SUBS $1, R3, R3
		BNE %[1]s_row
		FMOVD F27, ret+56(FP)
		RET`, name)
}

// chunk updates four components, and adds the part of the next record's product with the new row to v0–v3. 1/√ is the
// processor's estimate, the same on all of arm64, and a step of Newton's method: its relative error is at most 2⁻¹⁵.
func chunk(f *vectorasm.File, part int, clipped bool) {
	f.Name(part, "product")
	f.Name(4+part%2*8, "w", "ofW", "v", "ofV", "root", "rootV", "t", "tV")
	f.Name(20, "square", "squareV")
	f.Code(`
		ldr w, [x12, #%[1]d]
		ldr ofW, [x12, #%[2]d]
		ldr v, [x13, #%[1]d]
		ldr ofV, [x13, #%[2]d]
		fadd t.4s, ofW.4s, one.4s
		fadd tV.4s, ofV.4s, one.4s
		frsqrte root.4s, t.4s
		frsqrte rootV.4s, tV.4s
		fmul square.4s, root.4s, root.4s
		fmul squareV.4s, rootV.4s, rootV.4s
		frsqrts t.4s, t.4s, square.4s
		frsqrts tV.4s, tV.4s, squareV.4s
		fmul root.4s, root.4s, t.4s
		fmul rootV.4s, rootV.4s, tV.4s
		fmul t.4s, v.4s, v26.s[0] // the rate times the gradients
		fmul tV.4s, w.4s, v26.s[0]`, 16*part, 64+16*part)
	if clipped {
		f.Code(`
			fminnm t.4s, t.4s, limit.4s
			fmaxnm t.4s, t.4s, minusLimit.4s
			fminnm tV.4s, tV.4s, limit.4s
			fmaxnm tV.4s, tV.4s, minusLimit.4s`)
	}
	f.Code(`
		ldr square, [x14, #%[1]d]
		fmls w.4s, t.4s, root.4s
		fmla product.4s, w.4s, square.4s
		fmls v.4s, tV.4s, rootV.4s
		fmla ofW.4s, t.4s, t.4s
		fmla ofV.4s, tV.4s, tV.4s
		str w, [x12, #%[1]d]
		str ofW, [x12, #%[2]d]
		str v, [x13, #%[1]d]
		str ofV, [x13, #%[2]d]`, 16*part, 64+16*part)
}

func write(f *vectorasm.File) {
	kernel(f, "kernelNEON", false)
	kernel(f, "kernelClippedNEON", true)
}

func main() { vectorasm.Main("gen_neon.go", "kernel_arm64.s", "!noasm", write) }
