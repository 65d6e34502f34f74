//go:build ignore

// This program writes step_arm64.s.
package main

import "contextmover/internal/vectorasm"

// Operations are those of the kernels for amd64, in their order, so that results
// have the same bits. R0 and R1 point to A of w and c, R2 and R3 to R of them.
const arguments = `
	MOVD w+0(FP), R0
	MOVD c+8(FP), R1
	MOVD half+16(FP), R4
	ADD R4<<2, R0, R2
	ADD R4<<2, R1, R3
	FMOVS odds+24(FP), F24
	dup odds.4s, odds.s[0]`

// loop writes a loop over half of the components, eight at a time in two parts.
func loop(f *vectorasm.File, label string, body func(part int)) {
	f.Code("PCALIGN $32\n%s:", label)
	for part := range 2 {
		body(part)
	}
	f.Advance(32, 0, 1, 2, 3)
	f.Code("SUBS $8, R4, R4\nBNE %s", label)
}

func write(f *vectorasm.File) {
	f.Name(24, "odds", "one", "half", "minusHalf", "sixth", "move")
	f.Function("scoreNEON(w, c *float32, half int, odds float32) float32", 36, 0)
	f.Code(arguments)
	f.Zeros(0, 2)
	loop(f, "sum", func(part int) {
		f.Name(part, "sum")
		f.Name(2+4*part, "r", "t", "s")
		f.Code(`
			ldr r, [x2, #%[1]d]
			ldr t, [x3, #%[1]d]
			fmul r.4s, r.4s, t.4s
			fadd t.4s, r.4s, odds.4s
			fdiv r.4s, r.4s, t.4s
			ldr s, [x0, #%[1]d]
			ldr t, [x1, #%[1]d]
			fadd s.4s, s.4s, t.4s
			fmla sum.4s, s.4s, r.4s`, 16*part)
	})
	f.Code("fadd v0.4s, v0.4s, v1.4s")
	f.Sum4(0, 1)
	f.Code("FMOVS F0, ret+32(FP)\nRET")

	f.Function("stepNEON(w, c *float32, half int, odds, move float32)", 32, 0)
	f.Code(arguments + "\nFMOVS move+28(FP), F29")
	for i, x := range []float32{1, 0.5, -0.5, 0.16666667} {
		f.Float(25+i, x)
	}
	loop(f, "step", func(part int) {
		at := 12 * part
		f.Name(at, "a", "a2", "r", "r2", "q", "s", "d", "t")
		f.Code(`
			ldr a, [x0, #%[1]d]
			ldr a2, [x1, #%[1]d]
			ldr r, [x2, #%[1]d]
			ldr r2, [x3, #%[1]d]
			fmul q.4s, r.4s, r2.4s
			fadd s.4s, q.4s, odds.4s
			fdiv q.4s, q.4s, s.4s
			fadd s.4s, a.4s, a2.4s
			fsub t.4s, one.4s, q.4s
			fneg d.4s, one.4s
			fmla d.4s, t.4s, s.4s // s(1−q) − 1
			fmul d.4s, d.4s, q.4s
			fmul d.4s, d.4s, move.s[0]`, 16*part)
		for i := range 2 {
			f.Name(at+i, "x")
			f.Name(at+2+i, "r")
			f.Name(at+4+i, "u")
			f.Name(at+7+i, "e")
			f.Name(at+9+i, "t")
			f.Code(`
				fsub e.4s, one.4s, r.4s
				fmul e.4s, e.4s, d.4s
				fminnm e.4s, e.4s, half.4s
				fmaxnm e.4s, e.4s, minusHalf.4s
				fadd x.4s, x.4s, e.4s
				mov t.16b, half.16b
				fmls t.4s, e.4s, sixth.4s
				mov u.16b, one.16b
				fmls u.4s, e.4s, t.4s
				fmul u.4s, e.4s, u.4s
				fmls r.4s, r.4s, u.4s`)
		}
		for i := range 4 {
			f.Code("str q%d, [x%d, #%d]", at+i, i, 16*part)
		}
	})
	f.Code("RET")
}

func main() { vectorasm.Main("gen_neon.go", "step_arm64.s", "!noasm", write) }
