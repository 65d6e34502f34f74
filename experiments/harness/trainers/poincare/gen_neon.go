//go:build ignore

// This program writes kernels_arm64.s.
package main

import "contextmover/internal/neon"

// Operations are those of the kernels for amd64, in their order, so that results have the same bits.
type kernel struct{ neon.Assembler }

func (k *kernel) do(op string, d, n, m int) { k.Three(op, neon.S4, d, n, m) }

// from writes d = c − n·m; d is none of them.
func (k *kernel) from(d, c, n, m int) {
	k.Move(d, c)
	k.do("fmls", d, n, m)
}

// R0 and R1 point to the first coordinates of a word and a context, R2 and R3 to the
// second ones, R4 and R5 to the sums of squares; R7 is the number of disks left.
func (k *kernel) arguments() {
	k.Line("\tMOVD x+0(FP), R0")
	k.Line("\tMOVD y+8(FP), R1")
	k.Line("\tMOVD n+16(FP), R7")
	k.Line("\tADD R7<<2, R0, R2")
	k.Line("\tADD R7<<2, R1, R3")
	k.Line("\tADD R7<<2, R2, R4")
	k.Line("\tADD R7<<2, R3, R5")
}

func (k *kernel) next(pointers int, label string) {
	for r := range pointers {
		k.Line("\tADD $16, R%d", r)
	}
	k.Line("\tSUBS $4, R7, R7")
	k.Line("\tBNE %s", label)
}

// v0–v3 = the coordinates a, b, c, d; v4 = a − c, v5 = b − d, v6 = their
// squares' sum, v7 and v8 = 1 less the squares of either point, v9 = u.
func (k *kernel) load(one int) {
	for i, pointer := range []int{0, 2, 1, 3} {
		k.Load(i, pointer, 0)
	}
	k.disks(one)
}

func (k *kernel) disks(one int) {
	k.do("fsub", 4, 0, 2)
	k.do("fsub", 5, 1, 3)
	k.do("fmul", 6, 4, 4)
	k.do("fmla", 6, 5, 5)
	k.from(7, one, 0, 0)
	k.do("fmls", 7, 1, 1)
	k.from(8, one, 2, 2)
	k.do("fmls", 8, 3, 3)
	k.do("fmul", 9, 7, 8)
	k.do("fdiv", 9, 6, 9)
}

// series evaluates c₀ − u(c₁ − u(…)) into v10, of u in v9; v11 is free. Coefficients are registers, the last one first.
func (k *kernel) series(coefficients ...int) {
	from, to := coefficients[0], 10+len(coefficients)%2 // so that the last step ends in v10
	for _, c := range coefficients[1:] {
		k.from(to, c, from, 9)
		from, to = to, 21-to
	}
}

func (k *kernel) square() {
	const one, four, first = 31, 30, 27
	k.Function("squareNEON(x, y *float32, n int) (sum, most float32)", 32, 0)
	k.arguments()
	k.Float(one, 1)
	k.Float(four, 4)
	for i, c := range []float32{0.33333333, 0.17777778, 0.11428571} {
		k.Float(first+i, c)
	}
	// Eight lanes: sums in v12 and v13, the greatest u in v14 and v15.
	k.Zeros(12, 4)
	k.Loop("square", 7, 8, func() {
		for part := range 2 {
			for i, pointer := range []int{0, 2, 1, 3} {
				k.Load(i, pointer, 16*part)
			}
			k.disks(one)
			k.do("fmax", 14+part, 14+part, 9)
			k.series(first+2, first+1, first, one)
			k.do("fmla", 12+part, 9, 10)
		}
		k.Advance(32, 0, 1, 2, 3)
	})
	k.do("fmul", 12, 12, four)
	k.do("fmul", 13, 13, four)
	k.do("fadd", 12, 12, 13)
	k.Sum4(12, 0)
	k.Line("\tFMOVS F12, sum+24(FP)")
	k.do("fmax", 14, 14, 15)
	k.Turn(0, 14, 14)
	k.do("fmax", 14, 14, 0)
	k.do("fmaxp", 14, 14, 14)
	k.Line("\tFMOVS F14, most+28(FP)")
	k.Line("\tRET")
}

const (
	one = 16 + iota
	two
	half
	six
	fifteen
	far   // from here on tanh is 1
	least // −clip
	most
	radius // 1 − border
	radius2
	slopes // four coefficients
	slope  = slopes + 4
	rate   = slope + 1
)

// move moves the point (x, y), for which alpha = 1 − x² − y², against the gradient (p, q); R of squares points to its
// sums of squares. v10 to v14 are free.
func (k *kernel) move(x, y, alpha, p, q, squares int) {
	for _, g := range []int{p, q} {
		k.Three("fmaxnm", neon.S4, g, g, least)
		k.Three("fminnm", neon.S4, g, g, most)
	}
	k.Load(12, squares, 0)
	k.Two("fsqrt", neon.S4, 13, 12)
	k.do("fmul", 13, 13, alpha)
	k.do("fdiv", 13, rate, 13)
	k.do("fmul", 14, p, p)
	k.do("fmla", 14, q, q)
	k.do("fmla", 12, 14, half)
	k.Store(12, squares, 0)
	k.do("fmul", p, p, 13)
	k.do("fmul", q, q, 13)
	k.do("fmul", 12, p, p)
	k.do("fmla", 12, q, q)
	k.do("fadd", 11, 12, fifteen)
	k.Move(10, fifteen)
	k.do("fmla", 10, 12, six)
	k.do("fdiv", 11, 11, 10)
	k.Two("fsqrt", neon.S4, 13, 12)
	k.do("fdiv", 13, one, 13)
	k.do("fcmgt", 14, 12, far)
	k.Bits("bit", 11, 13, 14)
	k.do("fmul", p, p, 11)
	k.do("fmul", q, q, 11)
	k.do("fmul", 11, 11, 11)
	k.do("fmul", 12, 12, 11)
	k.do("fmul", 13, p, x)
	k.do("fmla", 13, q, y)
	k.do("fadd", 11, 12, one)
	k.do("fmla", 11, 13, two)
	k.from(13, 11, 12, alpha)
	k.do("fdiv", 13, one, 13)
	k.do("fmul", x, x, 11)
	k.do("fmul", y, y, 11)
	k.do("fmla", x, p, alpha)
	k.do("fmla", y, q, alpha)
	k.do("fmul", x, x, 13)
	k.do("fmul", y, y, 13)
	k.do("fmul", 12, x, x)
	k.do("fmla", 12, y, y)
	k.Two("fsqrt", neon.S4, 13, 12)
	k.do("fdiv", 13, radius, 13)
	k.do("fcmgt", 14, 12, radius2)
	k.Bits("bif", 13, one, 14)
	k.do("fmul", x, x, 13)
	k.do("fmul", y, y, 13)
}

func (k *kernel) step() {
	k.Function("stepNEON(x, y *float32, n int, slope, minusrate float32)", 32, 0)
	k.arguments()
	for i, c := range []float32{
		1, 2, 0.5, 6, 15, 5.3, -10, 10, 0.9999, 0.99980001, 0.66666667, 0.53333333, 0.45714286, 0.40634921,
	} {
		k.Float(one+i, c)
	}
	k.Line("\tFMOVS slope+24(FP), F%d", slope)
	k.Line("\tFMOVS minusrate+28(FP), F%d", rate)
	k.Spread(neon.S4, slope, slope, 0)
	k.Spread(neon.S4, rate, rate, 0)
	k.do("fadd", slope, slope, slope)
	k.Line("\tPCALIGN $32")
	k.Line("step:")
	k.load(one)
	k.series(slopes+3, slopes+2, slopes+1, slopes, one)
	k.do("fmul", 10, 10, slope)
	k.do("fdiv", 12, 7, 8)
	k.do("fmul", 12, 12, 10)
	k.do("fdiv", 13, 8, 7)
	k.do("fmul", 13, 13, 10)
	k.do("fdiv", 10, 6, 7)
	k.do("fadd", 10, 10, one)
	k.do("fdiv", 14, 6, 8)
	k.do("fadd", 14, 14, one)
	for _, g := range []struct{ to, own, other, scale, factor int }{
		{4, 0, 2, 10, 12}, {5, 1, 3, 10, 12}, {6, 2, 0, 14, 13}, {9, 3, 1, 14, 13},
	} {
		k.Two("fneg", neon.S4, g.to, g.other)
		k.do("fmla", g.to, g.own, g.scale)
		k.do("fmul", g.to, g.to, g.factor)
	}
	k.move(0, 1, 7, 4, 5, 4)
	k.move(2, 3, 8, 6, 9, 5)
	for i, pointer := range []int{0, 2, 1, 3} {
		k.Store(i, pointer, 0)
	}
	k.next(6, "step")
	k.Line("\tRET")
}

func write(a *neon.Assembler) {
	k := &kernel{}
	k.square()
	k.step()
	a.Write(k.Bytes())
}

func main() { neon.Main("kernels_arm64.s", write) }
