//go:build ignore

// This program writes kernel_arm64.s.
package main

import "contextmover/internal/neon"

// Registers of both kernels:
//
//	R0  rows                     R1  contexts
//	R2  next run                 R3  runs left, this one included
//	R4  record                   R5  bytes of a word's parameters
//	R6  row                      R7  context of the record
//	R8  of the next record       R9  of the record whose turn comes later
//	R10 records left in the run  R11 next row
//	R12 to R16 and R17           pointers and bytes left in a loop
const rate, limit, minusLimit, one = 28, 29, 30, 31

func kernel(a *neon.Assembler, name string, clipped bool) {
	label := func(s string) string { return name + "_" + s }
	a.Line("\nTEXT ·%s(SB), NOSPLIT, $0-64", name)
	a.Arguments("rows", "contexts", "runs", "n", "first", "stride")
	a.Line("\tFMOVS rate+48(FP), F%d", rate)
	if clipped {
		a.Line("\tFMOVS limit+52(FP), F%d", limit)
		a.Spread(neon.S4, limit, limit, 0)
		a.Two("fneg", neon.S4, minusLimit, limit)
	}
	a.Float(one, 1)
	a.Zero(27) // the sum of losses, a float64
	a.Line("\tMOVW (R4), R7")
	a.Line("\tMADD R5, R1, R7, R7")

	a.Line("%s:", label("row"))
	a.Line("\tMOVW (R2), R6")
	a.Line("\tMOVW 4(R2), R10")
	a.Line("\tMOVW 16(R2), R11") // runsAhead
	a.Line("\tADD $8, R2")
	a.Line("\tMADD R5, R0, R6, R6")
	a.Line("\tMADD R5, R0, R11, R11")

	// The product of the run's first record; those of the others are by-products of
	// the updates before them.
	a.Zeros(0, 4)
	a.Line("\tMOVD R6, R12")
	a.Line("\tMOVD R7, R13")
	a.Line("\tMOVD R5, R17")
	a.Line("\tPCALIGN $32")
	a.Line("%s:", label("product"))
	a.Fetch(11, 0)
	a.Fetch(11, 64)
	for i := 0; i < 4; i += 2 {
		a.LoadPair(4+i, 5+i, 12, 16*i)
		a.LoadPair(8+i, 9+i, 13, 16*i)
		a.Three("fmla", neon.S4, i, 4+i, 8+i)
		a.Three("fmla", neon.S4, i+1, 5+i, 9+i)
	}
	a.Advance(128, 11, 12, 13)
	a.Line("\tSUBS $128, R17, R17")
	a.Line("\tBNE %s", label("product"))

	// The sum of all lanes, the difference, its product with the rate and the weight, the loss.
	a.Line("%s:", label("update"))
	a.Line("\tFMOVS 4(R4), F5") // ln X
	a.Line("\tFMOVS 8(R4), F6") // f
	for half := 2; half > 0; half /= 2 {
		for i := range half {
			a.Three("fadd", neon.S4, i, i, i+half)
		}
	}
	a.Sum4(0, 1)
	a.Line("\tFSUBS F5, F0, F0")
	a.Line("\tFMULS F%d, F6, F4", rate)
	a.Line("\tFMULS F0, F4, F26")
	a.Line("\tFMULS F6, F0, F1")
	a.Line("\tFMULS F0, F1, F1")
	a.Line("\tFCVTSD F1, F1")
	a.Line("\tFADDD F1, F27, F27")

	a.Line("\tMOVW 12(R4), R8")
	a.Line("\tMOVW 60(R4), R9") // recordsAhead
	a.Line("\tMADD R5, R1, R8, R8")
	a.Line("\tMADD R5, R1, R9, R9")
	a.Zeros(0, 4)
	a.Line("\tMOVD R6, R12")
	a.Line("\tMOVD R7, R13")
	a.Line("\tMOVD R8, R14")
	a.Line("\tMOVD R5, R17")
	a.Line("\tPCALIGN $32")
	a.Line("%s:", label("chunk"))
	a.Fetch(9, 0)
	a.Fetch(9, 64)
	for part := range 4 {
		chunk(a, part, clipped)
	}
	a.Advance(128, 9, 12, 13, 14)
	a.Line("\tSUBS $128, R17, R17")
	a.Line("\tBNE %s", label("chunk"))

	a.Line("\tMOVD R8, R7")
	a.Line("\tADD $12, R4")
	a.Line("\tSUBS $1, R10, R10")
	a.Line("\tBNE %s", label("update"))
	a.Line("\tSUBS $1, R3, R3")
	a.Line("\tBNE %s", label("row"))
	a.Line("\tFMOVD F27, ret+56(FP)")
	a.Line("\tRET")
}

// chunk updates four components, and adds the part of the next record's product with the new row to v0–v3. 1/√ is the
// processor's estimate, the same on all of arm64, and a step of Newton's method: its relative error is at most 2⁻¹⁵.
func chunk(a *neon.Assembler, part int, clipped bool) {
	w, ofW, v, ofV, root, rootV, t, tV := 4, 5, 6, 7, 8, 9, 10, 11
	if part%2 == 1 {
		w, ofW, v, ofV, root, rootV, t, tV = 12, 13, 14, 15, 16, 17, 18, 19
	}
	a.Load(w, 12, 16*part)
	a.Load(ofW, 12, 64+16*part)
	a.Load(v, 13, 16*part)
	a.Load(ofV, 13, 64+16*part)
	a.Three("fadd", neon.S4, t, ofW, one)
	a.Three("fadd", neon.S4, tV, ofV, one)
	a.Two("frsqrte", neon.S4, root, t)
	a.Two("frsqrte", neon.S4, rootV, tV)
	const square = 20
	a.Three("fmul", neon.S4, square, root, root)
	a.Three("fmul", neon.S4, square+1, rootV, rootV)
	a.Three("frsqrts", neon.S4, t, t, square)
	a.Three("frsqrts", neon.S4, tV, tV, square+1)
	a.Three("fmul", neon.S4, root, root, t)
	a.Three("fmul", neon.S4, rootV, rootV, tV)
	// The rate times the gradients.
	a.Element("fmul", neon.S4, t, v, 26, 0)
	a.Element("fmul", neon.S4, tV, w, 26, 0)
	if clipped {
		for _, g := range []int{t, tV} {
			a.Three("fminnm", neon.S4, g, g, limit)
			a.Three("fmaxnm", neon.S4, g, g, minusLimit)
		}
	}
	a.Load(square, 14, 16*part)
	a.Three("fmls", neon.S4, w, t, root)
	a.Three("fmla", neon.S4, part, w, square)
	a.Three("fmls", neon.S4, v, tV, rootV)
	a.Three("fmla", neon.S4, ofW, t, t)
	a.Three("fmla", neon.S4, ofV, tV, tV)
	a.Store(w, 12, 16*part)
	a.Store(ofW, 12, 64+16*part)
	a.Store(v, 13, 16*part)
	a.Store(ofV, 13, 64+16*part)
}

func write(a *neon.Assembler) {
	kernel(a, "kernelNEON", false)
	kernel(a, "kernelClippedNEON", true)
}

func main() { neon.Main("kernel_arm64.s", write) }
