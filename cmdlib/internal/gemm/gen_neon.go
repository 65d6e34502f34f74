//go:build ignore

package main

import "contextmover/internal/vectorasm"

// writeNEON writes the tile kernel for NEON: up to 6 rows of 16 columns of float32. An element is the same sequence of
// fused multiply-adds as on amd64, so the families agree in every bit. As there, heights differ in the loop over k
// alone.
//
// Registers: v0–v23 the sums, a row's four behind one another; v24–v29 a part of each row of A; v30 and v31 of B.
func writeNEON(f *vectorasm.File) {
	f.Begin("tileNEONx16", 8)
	f.Code(`
		MOVD t+0(FP), R0
		MOVD 0(R0), R11 // a
		MOVD 8(R0), R2  // strideA
		MOVD 16(R0), R3 // b
		MOVD 24(R0), R4 // k
		MOVD 32(R0), R5 // c
		MOVD 40(R0), R6 // strideC
		MOVD 48(R0), R7 // num
		MOVD 56(R0), R8 // least
		MOVD 64(R0), R9 // rows
		MOVD 72(R0), R10 // flags`)
	for r := 1; r < rowsNEON; r++ {
		f.Code("ADD R2, R%d, R%d", 11+r-1, 11+r)
	}
	f.Zeros(0, rowsNEON*vectorsNEON)
	f.Code("MOVD ZR, R17\nTBZ $0, R10, tileNEONx16_ready // flagAdd")
	eachRow(f, "ldr", "ready")
	for r := rowsNEON; r > 1; r-- {
		f.Code("CMP $%d, R9\nBEQ tileNEONx16_%[1]d_start", r)
	}
	for r := 1; r <= rowsNEON; r++ {
		loop(f, r)
	}
	f.Code("tileNEONx16_done:")
	eachRow(f, "str", "stored")
	f.Code("TBZ $1, R10, tileNEONx16_end // flagDivide")
	divide(f)
	f.Code("tileNEONx16_end:\nRET")
}

const vectorsNEON, rowsNEON = 4, 6

// eachRow loads or stores the sums of the first R9 rows of C, and goes on at the label end.
func eachRow(f *vectorasm.File, op, end string) {
	f.Code("MOVD R5, R1")
	for r := range rowsNEON {
		for v := range vectorsNEON {
			f.Code("%s q%d, [x1, #%d]", op, r*vectorsNEON+v, 16*v)
		}
		if r+1 < rowsNEON {
			f.Code("CMP $%d, R9\nBEQ tileNEONx16_%s\nADD R6, R1, R1", r+1, end)
		}
	}
	f.Code("tileNEONx16_%s:", end)
}

// step multiplies part k of what was loaded of A with a row of B.
func step(f *vectorasm.File, rows, k, offset int) {
	for v := range vectorsNEON {
		f.Name(30+v%2, "b")
		f.Code("ldr b, [x3, #%d]", offset+16*v)
		for r := range rows {
			f.Code("fmla v%d.4s, b.4s, v%d.s[%d]", r*vectorsNEON+v, 24+r, k)
		}
	}
}

// loop writes the loop over k of a number of rows, whose addresses are in R11 and behind: four steps an iteration, as
// many numbers of each row are loaded at once, and then one.
func loop(f *vectorasm.File, rows int) {
	f.Code(`
		tileNEONx16_%[1]d_start:
		SUBS $4, R4, R4
		BLT tileNEONx16_%[1]d_rest
		PCALIGN $32
		tileNEONx16_%[1]d_loop:`, rows)
	for r := range rows {
		f.Code("ldr q%d, [x%d, x17]", 24+r, 11+r)
	}
	f.Code("ADD $16, R17")
	for k := range 4 {
		step(f, rows, k, 64*k)
	}
	f.Code(`
		ADD $256, R3
		SUBS $4, R4, R4
		BGE tileNEONx16_%[1]d_loop
		tileNEONx16_%[1]d_rest:
		ADDS $4, R4, R4
		BEQ tileNEONx16_done
		tileNEONx16_%[1]d_one:`, rows)
	for r := range rows {
		f.Code("ldr s%d, [x%d, x17]", 24+r, 11+r)
	}
	f.Code("ADD $4, R17")
	step(f, rows, 0, 0)
	f.Code(`
		ADD $64, R3
		SUBS $1, R4, R4
		BNE tileNEONx16_%d_one
		JMP tileNEONx16_done`, rows)
}

// divide writes the loop that replaces the sums of R9 rows at R5 by quotients.
func divide(f *vectorasm.File) {
	f.Name(24, "num", "mask", "least", "tiny", "greater")
	f.Constant(27, 0x00800000)
	f.Code("tileNEONx16_divide:")
	for v := range vectorsNEON {
		f.Code(`
			ldr q0, [x5, #%[1]d]
			ldr num, [x7, #%[1]d]
			ldr least, [x8, #%[1]d]
			fcmeq mask.4s, num.4s, #0.0
			fcmgt greater.4s, least.4s, v0.4s
			bic mask.16b, greater.16b, mask.16b
			bit least.16b, v0.16b, mask.16b
			str least, [x8, #%[1]d]
			fmaxnm v0.4s, v0.4s, tiny.4s
			fdiv v0.4s, num.4s, v0.4s
			str q0, [x5, #%[1]d]`, 16*v)
	}
	f.Code(`
		ADD R6, R5, R5
		ADD R6, R7, R7
		ADD $64, R8
		SUBS $1, R9, R9
		BNE tileNEONx16_divide`)
}
