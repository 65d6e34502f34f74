//go:build ignore

// This program writes step_arm64.s.
package main

import "contextmover/internal/neon"

// Operations are those of the kernels for amd64, in their order, so that results
// have the same bits. R0 and R1 point to A of w and c, R2 and R3 to R of them.
func arguments(a *neon.Assembler) {
	a.Line("\tMOVD w+0(FP), R0")
	a.Line("\tMOVD c+8(FP), R1")
	a.Line("\tMOVD half+16(FP), R4")
	a.Line("\tADD R4<<2, R0, R2")
	a.Line("\tADD R4<<2, R1, R3")
	a.Line("\tFMOVS odds+24(FP), F24")
	a.Spread(neon.S4, 24, 24, 0)
}

func next(a *neon.Assembler, label string) {
	a.Advance(32, 0, 1, 2, 3)
	a.Line("\tSUBS $8, R4, R4")
	a.Line("\tBNE %s", label)
}

func write(a *neon.Assembler) {
	const odds, one, half, minusHalf, sixth, move = 24, 25, 26, 27, 28, 29
	a.Function("scoreNEON(w, c *float32, half int, odds float32) float32", 36, 0)
	arguments(a)
	a.Zeros(0, 2)
	a.Line("\tPCALIGN $32")
	a.Line("sum:")
	for part := range 2 {
		r, t, s := 2+4*part, 3+4*part, 4+4*part
		a.Load(r, 2, 16*part)
		a.Load(t, 3, 16*part)
		a.Three("fmul", neon.S4, r, r, t)
		a.Three("fadd", neon.S4, t, r, odds)
		a.Three("fdiv", neon.S4, r, r, t)
		a.Load(s, 0, 16*part)
		a.Load(t, 1, 16*part)
		a.Three("fadd", neon.S4, s, s, t)
		a.Three("fmla", neon.S4, part, s, r)
	}
	next(a, "sum")
	a.Three("fadd", neon.S4, 0, 0, 1)
	a.Sum4(0, 1)
	a.Line("\tFMOVS F0, ret+32(FP)")
	a.Line("\tRET")

	a.Function("stepNEON(w, c *float32, half int, odds, move float32)", 32, 0)
	arguments(a)
	a.Line("\tFMOVS move+28(FP), F%d", move)
	a.Float(one, 1)
	a.Float(half, 0.5)
	a.Float(minusHalf, -0.5)
	a.Float(sixth, 0.16666667)
	a.Line("\tPCALIGN $32")
	a.Line("step:")
	for part := range 2 {
		at := 12 * part
		q, s, d, t := at+4, at+5, at+6, at+7
		for i := range 4 { // A, A', R, R'
			a.Load(at+i, i, 16*part)
		}
		a.Three("fmul", neon.S4, q, at+2, at+3)
		a.Three("fadd", neon.S4, s, q, odds)
		a.Three("fdiv", neon.S4, q, q, s)
		a.Three("fadd", neon.S4, s, at, at+1)
		a.Three("fsub", neon.S4, t, one, q)
		a.Two("fneg", neon.S4, d, one)
		a.Three("fmla", neon.S4, d, t, s) // s(1−q) − 1
		a.Three("fmul", neon.S4, d, d, q)
		a.Element("fmul", neon.S4, d, d, move, 0)
		for i := range 2 {
			x, r, e, t, u := at+i, at+2+i, at+7+i, at+9+i, at+4+i
			a.Three("fsub", neon.S4, e, one, r)
			a.Three("fmul", neon.S4, e, e, d)
			a.Three("fminnm", neon.S4, e, e, half)
			a.Three("fmaxnm", neon.S4, e, e, minusHalf)
			a.Three("fadd", neon.S4, x, x, e)
			a.Move(t, half)
			a.Three("fmls", neon.S4, t, e, sixth)
			a.Move(u, one)
			a.Three("fmls", neon.S4, u, e, t)
			a.Three("fmul", neon.S4, u, e, u)
			a.Three("fmls", neon.S4, r, r, u)
		}
		for i := range 4 {
			a.Store(at+i, i, 16*part)
		}
	}
	next(a, "step")
	a.Line("\tRET")
}

func main() { neon.Main("step_arm64.s", write) }
