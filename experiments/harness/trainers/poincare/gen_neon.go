//go:build ignore

// This program writes kernels_arm64.s.
package main

import (
	"fmt"

	"contextmover/internal/vectorasm"
)

// Operations are those of the kernels for amd64, in their order, so that results have the same bits.

// R0 and R1 point to the first coordinates of a word and a context, R2 and R3 to the
// second ones, R4 and R5 to the sums of squares; R7 is the number of disks left.
const arguments = `
	MOVD x+0(FP), R0
	MOVD y+8(FP), R1
	MOVD n+16(FP), R7
	ADD R7<<2, R0, R2
	ADD R7<<2, R1, R3
	ADD R7<<2, R2, R4
	ADD R7<<2, R3, R5`

// disks has in v0–v3 the coordinates a, b, c, d at an offset, and then in v4 = a − c, v5 = b − d, v6 their
// squares' sum, v7 and v8 = 1 less the squares of either point, v9 = u.
const disks = `
	ldr q0, [x0, #%[1]d]
	ldr q1, [x2, #%[1]d]
	ldr q2, [x1, #%[1]d]
	ldr q3, [x3, #%[1]d]
	fsub v4.4s, v0.4s, v2.4s
	fsub v5.4s, v1.4s, v3.4s
	fmul v6.4s, v4.4s, v4.4s
	fmla v6.4s, v5.4s, v5.4s
	mov v7.16b, one.16b
	fmls v7.4s, v0.4s, v0.4s
	fmls v7.4s, v1.4s, v1.4s
	mov v8.16b, one.16b
	fmls v8.4s, v2.4s, v2.4s
	fmls v8.4s, v3.4s, v3.4s
	fmul v9.4s, v7.4s, v8.4s
	fdiv v9.4s, v6.4s, v9.4s`

// series evaluates c₀ − u(c₁ − u(…)) into v10, of u in v9; v11 is free. The coefficients are those behind c₀, the last
// one first, in registers down from one.
func series(f *vectorasm.File, last, n int) {
	from, to := last, 10+(n+1)%2 // so that the last step ends in v10
	for i := range n {
		c := fmt.Sprintf("v%d", last-1-i)
		if i == n-1 {
			c = "one"
		}
		f.Code("mov v%[1]d.16b, %[2]s.16b\nfmls v%[1]d.4s, v%[3]d.4s, v9.4s", to, c, from)
		from, to = to, 21-to
	}
}

func square(f *vectorasm.File) {
	f.Function("squareNEON(x, y *float32, n int) (sum, most float32)", 32, 0)
	f.Code(arguments)
	f.Name(30, "four", "one")
	f.Float(31, 1)
	f.Float(30, 4)
	for i, c := range []float32{0.33333333, 0.17777778, 0.11428571} {
		f.Float(27+i, c)
	}
	// Eight lanes: sums in v12 and v13, the greatest u in v14 and v15.
	f.Zeros(12, 4)
	f.Loop("square", 7, 8, func() {
		for part := range 2 {
			f.Code(disks, 16*part)
			f.Code("fmax v%[1]d.4s, v%[1]d.4s, v9.4s", 14+part)
			series(f, 29, 3)
			f.Code("fmla v%d.4s, v9.4s, v10.4s", 12+part)
		}
		f.Advance(32, 0, 1, 2, 3)
	})
	f.Code("fmul v12.4s, v12.4s, four.4s\nfmul v13.4s, v13.4s, four.4s\nfadd v12.4s, v12.4s, v13.4s")
	f.Sum4(12, 0)
	f.Code(`
		FMOVS F12, sum+24(FP)
		fmax v14.4s, v14.4s, v15.4s
		ext v0.16b, v14.16b, v14.16b, #8
		fmax v14.4s, v14.4s, v0.4s
		fmaxp v14.4s, v14.4s, v14.4s
		FMOVS F14, most+28(FP)
		RET`)
}

// move moves the point (x, y), for which alpha = 1 − x² − y², against the gradient (p, q); R of squares points to its
// sums of squares. v10 to v14 are free.
const move = `
	fmaxnm p.4s, p.4s, least.4s
	fminnm p.4s, p.4s, most.4s
	fmaxnm q.4s, q.4s, least.4s
	fminnm q.4s, q.4s, most.4s
	ldr q12, [x%[1]d]
	fsqrt v13.4s, v12.4s
	fmul v13.4s, v13.4s, alpha.4s
	fdiv v13.4s, rate.4s, v13.4s
	fmul v14.4s, p.4s, p.4s
	fmla v14.4s, q.4s, q.4s
	fmla v12.4s, v14.4s, half.4s
	str q12, [x%[1]d]
	fmul p.4s, p.4s, v13.4s
	fmul q.4s, q.4s, v13.4s
	fmul v12.4s, p.4s, p.4s
	fmla v12.4s, q.4s, q.4s
	fadd v11.4s, v12.4s, fifteen.4s
	mov v10.16b, fifteen.16b
	fmla v10.4s, v12.4s, six.4s
	fdiv v11.4s, v11.4s, v10.4s
	fsqrt v13.4s, v12.4s
	fdiv v13.4s, one.4s, v13.4s
	fcmgt v14.4s, v12.4s, far.4s
	bit v11.16b, v13.16b, v14.16b
	fmul p.4s, p.4s, v11.4s
	fmul q.4s, q.4s, v11.4s
	fmul v11.4s, v11.4s, v11.4s
	fmul v12.4s, v12.4s, v11.4s
	fmul v13.4s, p.4s, x.4s
	fmla v13.4s, q.4s, y.4s
	fadd v11.4s, v12.4s, one.4s
	fmla v11.4s, v13.4s, two.4s
	mov v13.16b, v11.16b
	fmls v13.4s, v12.4s, alpha.4s
	fdiv v13.4s, one.4s, v13.4s
	fmul x.4s, x.4s, v11.4s
	fmul y.4s, y.4s, v11.4s
	fmla x.4s, p.4s, alpha.4s
	fmla y.4s, q.4s, alpha.4s
	fmul x.4s, x.4s, v13.4s
	fmul y.4s, y.4s, v13.4s
	fmul v12.4s, x.4s, x.4s
	fmla v12.4s, y.4s, y.4s
	fsqrt v13.4s, v12.4s
	fdiv v13.4s, radius.4s, v13.4s
	fcmgt v14.4s, v12.4s, radius2.4s
	bif v13.16b, one.16b, v14.16b
	fmul x.4s, x.4s, v13.4s
	fmul y.4s, y.4s, v13.4s`

func step(f *vectorasm.File) {
	f.Function("stepNEON(x, y *float32, n int, slope, minusrate float32)", 32, 0)
	f.Code(arguments)
	for i, c := range []struct {
		name string
		x    float32
	}{
		{"one", 1}, {"two", 2}, {"half", 0.5}, {"six", 6}, {"fifteen", 15},
		{"far", 5.3},                 // from here on tanh is 1
		{"least", -10}, {"most", 10}, // the clip
		{"radius", 0.9999}, {"radius2", 0.99980001}, // 1 − border
		{"slope0", 0.66666667}, {"slope1", 0.53333333}, {"slope2", 0.45714286}, {"slope3", 0.40634921},
	} {
		f.Name(16+i, c.name)
		f.Float(16+i, c.x)
	}
	f.Name(30, "slope", "rate")
	f.Code(`
		FMOVS slope+24(FP), F30
		FMOVS minusrate+28(FP), F31
		dup slope.4s, slope.s[0]
		dup rate.4s, rate.s[0]
		fadd slope.4s, slope.4s, slope.4s
		PCALIGN $32
		step:`)
	f.Code(disks, 0)
	series(f, 29, 4)
	f.Code(`
		fmul v10.4s, v10.4s, slope.4s
		fdiv v12.4s, v7.4s, v8.4s
		fmul v12.4s, v12.4s, v10.4s
		fdiv v13.4s, v8.4s, v7.4s
		fmul v13.4s, v13.4s, v10.4s
		fdiv v10.4s, v6.4s, v7.4s
		fadd v10.4s, v10.4s, one.4s
		fdiv v14.4s, v6.4s, v8.4s
		fadd v14.4s, v14.4s, one.4s`)
	for _, g := range []struct{ to, own, other, scale, factor int }{
		{4, 0, 2, 10, 12}, {5, 1, 3, 10, 12}, {6, 2, 0, 14, 13}, {9, 3, 1, 14, 13},
	} {
		f.Code(`
			fneg v%[1]d.4s, v%[3]d.4s
			fmla v%[1]d.4s, v%[2]d.4s, v%[4]d.4s
			fmul v%[1]d.4s, v%[1]d.4s, v%[5]d.4s`, g.to, g.own, g.other, g.scale, g.factor)
	}
	f.Name(0, "x", "y")
	f.Name(4, "p", "q")
	f.Name(7, "alpha")
	f.Code(move, 4)
	f.Name(2, "x", "y")
	f.Name(6, "p")
	f.Name(9, "q")
	f.Name(8, "alpha")
	f.Code(move, 5)
	f.Code("str q0, [x0]\nstr q1, [x2]\nstr q2, [x1]\nstr q3, [x3]")
	f.Advance(16, 0, 1, 2, 3, 4, 5)
	f.Code("SUBS $4, R7, R7\nBNE step\nRET")
}

func write(f *vectorasm.File) {
	square(f)
	step(f)
}

func main() { vectorasm.Main("gen_neon.go", "kernels_arm64.s", "!noasm", write) }
