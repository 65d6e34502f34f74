//go:build ignore

package main

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"contextmover/internal/neon"
)

// loops writes the loops for NEON: the same operations on every element as on amd64, and sums in the same 16 lanes, so
// that the families agree in every bit.
//
// The coefficients of polynomials are loaded where they are added to, which takes none of the units that multiply.
type loops struct {
	neon.Assembler
	shape neon.Shape
	size  int // bytes of a number
}

// parts is the number of registers of 16 numbers.
func (l *loops) parts() int { return l.size }

func (l *loops) function(name string, size int) {
	if l.size == 8 {
		name += "d"
	}
	l.Line("\nTEXT ·%sNEON(SB), NOSPLIT, $0-%d", name, size)
}

// each writes a loop over 16 numbers an iteration. n is the register of how many there are.
func (l *loops) each(name string, n int, pointers []int, body func(part int)) {
	l.Loop(name, n, 16, func() {
		for part := range l.parts() {
			body(part)
		}
		l.Advance(16*l.size, pointers...)
	})
}

// all is each for a body that takes six registers from v on, where the parts go together.
func (l *loops) all(name string, n int, pointers []int, body func(v, part int)) {
	l.each(name, n, pointers, func(part int) {
		if part > 0 {
			return
		}
		var parts []func()
		for part := range l.parts() {
			parts = append(parts, func() { body(6*part, part) })
		}
		l.together(parts...)
	})
}

// together writes what the functions write, in turn a line of each, so that one does not wait for the other.
func (l *loops) together(write ...func()) {
	before := slices.Clone(l.Bytes())
	var lines [][]string
	for _, w := range write {
		l.Reset()
		w()
		lines = append(lines, strings.SplitAfter(l.String(), "\n"))
	}
	l.Reset()
	l.Write(before)
	for i := range lines[0] {
		for _, of := range lines {
			l.WriteString(of[i])
		}
	}
}

// lanes loads or stores the registers of 16 lanes.
func (l *loops) lanes(do func(d, e, pointer, offset int), first, pointer int) {
	for part := 0; part < l.parts(); part += 2 {
		do(first+part, first+part+1, pointer, 16*part)
	}
}

// polynomial evaluates the one whose coefficients R14 points to behind offset, at x; p and q are free, and one of them,
// which it returns, has the value.
func (l *loops) polynomial(p, q, x, offset, coefficients int) int {
	l.Load(p, 14, offset)
	for i := 1; i < coefficients; i++ {
		l.Load(q, 14, offset+16*i)
		l.Three("fmla", neon.S4, q, p, x)
		p, q = q, p
	}
	return p
}

const logOffset, expOffset = 0, 9 * 16

// Constants of addLog2.
const (
	tiny, rootHalf, one       = 29, 30, 31 // of float32
	overRoot, integer, biased = 28, 29, 30 // of float64, one with them
	tinyWide                  = 27
)

// log2 returns the register with log₂ of vx, for normal numbers; the three behind it are free.
func (l *loops) log2(x int) int {
	e, p, q := x+1, x+2, x+3
	l.Three("sub", neon.S4, e, x, rootHalf)
	l.Shift("sshr", neon.S4, e, e, 23)
	l.Shift("shl", neon.S4, p, e, 23)
	l.Three("sub", neon.S4, x, x, p)
	l.Two("scvtf", neon.S4, e, e)
	l.Three("fsub", neon.S4, x, x, one)
	p = l.polynomial(p, q, x, logOffset, len(logPoly))
	l.Three("fmla", neon.S4, e, p, x)
	return e
}

// log2d turns v0 and v1 into v2 and v3, log₂ of them. The exponent
// is exact; the logarithm of the significand is that of float32.
func (l *loops) log2d() {
	for x := range 2 {
		e := 2 + x
		l.Three("add", neon.D2, e, x, overRoot)
		l.Shift("ushr", neon.D2, e, e, 52) // exponent + 1023
		l.Shift("shl", neon.D2, 4, e, 52)
		l.Three("sub", neon.D2, x, x, 4)
		l.Three("add", neon.D2, x, x, one)
		l.Bits("orr", e, e, integer)
		l.Three("fsub", neon.D2, e, e, biased)
		l.Three("fsub", neon.D2, x, x, one)
	}
	l.Narrow(4, 0, 1)
	p := l.polynomial(5, 6, 4, logOffset, len(logPoly))
	l.Widen(4, 11-p, p) // 11 − p is the other of 5 and 6
	l.Three("fmla", neon.D2, 2, 0, 4)
	l.Three("fmla", neon.D2, 3, 1, 11-p)
}

func (l *loops) addLog2() {
	const weight, firstSum = 8, 9
	firstLeast := firstSum + l.parts()
	l.function("addLog2", 56)
	l.Arguments("sum", "x", "stride", "weights", "rows", "n", "least")
	l.Line("\tMOVD $coefficients<>(SB), R14")
	if l.size == 4 {
		l.Constant(l.shape, tiny, 0x00800000)
		l.Constant(l.shape, rootHalf, 0x3f3504f3)
		l.Constant(l.shape, one, 0x3f800000)
	} else {
		l.Constant(l.shape, tinyWide, 0x0010000000000000)
		l.Constant(l.shape, overRoot, 0x3ff0000000000000-0x3fe6a09e667f3bcd) // 1 − √½, as integers
		l.Constant(l.shape, integer, 0x4330000000000000)                     // 2^52: its last bits count units
		l.Constant(l.shape, biased, 0x43300000000003ff)                      // 2^52 + 1023
		l.Constant(l.shape, one, 0x3ff0000000000000)
	}
	block, rows := fmt.Sprintf("addLog2_%d", l.size), fmt.Sprintf("addLog2_rows_%d", l.size)
	l.lanes(l.LoadPair, firstLeast, 6)
	l.Line("%s:", block)
	l.lanes(l.LoadPair, firstSum, 0)
	l.Line("\tMOVD R1, R7")
	l.Line("\tMOVD R3, R8")
	l.Line("\tMOVD R4, R9")
	l.Loop(rows, 9, 1, func() {
		l.LoadOne(l.shape, weight, 8, 0)
		least := func(x, part, tiny int) {
			l.Load(x, 7, 16*part)
			l.Three("fmin", l.shape, firstLeast+part, firstLeast+part, x)
			l.Three("fmaxnm", l.shape, x, x, tiny)
		}
		if l.size == 4 {
			for part := 0; part < l.parts(); part += 2 {
				one := func(x, part int) {
					least(x, part, tiny)
					l.Element("fmla", l.shape, firstSum+part, l.log2(x), weight, 0)
				}
				l.together(func() { one(0, part) }, func() { one(4, part+1) })
			}
		} else {
			for part := 0; part < l.parts(); part += 2 {
				least(0, part, tinyWide)
				least(1, part+1, tinyWide)
				l.log2d()
				l.Element("fmla", l.shape, firstSum+part, 2, weight, 0)
				l.Element("fmla", l.shape, firstSum+part+1, 3, weight, 0)
			}
		}
		l.Line("\tADD R2, R7, R7")
		l.Advance(l.size, 8)
	})
	l.lanes(l.StorePair, firstSum, 0)
	l.Advance(16*l.size, 0, 1)
	l.Line("\tSUBS $16, R5, R5")
	l.Line("\tBNE %s", block)
	l.lanes(l.StorePair, firstLeast, 6)
	l.Line("\tRET")
}

func (l *loops) divideRows() {
	const least, first = 16, 8
	l.function("divideRows", 48)
	l.Arguments("dst", "num", "den", "stride", "rows", "n")
	l.Constant(l.shape, least, 0x00800000)
	block, rows := "divideRows", "divideRows_rows"
	l.Line("%s:", block)
	l.lanes(l.LoadPair, first, 1)
	l.Line("\tMOVD R2, R6")
	l.Line("\tMOVD R0, R7")
	l.Line("\tMOVD R4, R8")
	l.Loop(rows, 8, 1, func() {
		for part := range l.parts() {
			l.Load(part, 6, 16*part)
			l.Three("fmaxnm", l.shape, part, part, least)
			l.Three("fdiv", l.shape, part, first+part, part)
			l.Store(part, 7, 16*part)
		}
		l.Line("\tADD R3, R6, R6")
		l.Line("\tADD R3, R7, R7")
	})
	l.Advance(16*l.size, 0, 1, 2)
	l.Line("\tSUBS $16, R5, R5")
	l.Line("\tBNE %s", block)
	l.Line("\tRET")
}

// power stores 2^x, or 2^(x+y) with a small y, where x in register v is at least low, 0 elsewhere: to a part of what R0
// points to. y is in the register behind it; the four behind that are free.
func (l *loops) power(v, part int, corrected bool) {
	const low, high = 30, 31
	x, y, rest, whole := v, v+1, v+2, v+3
	l.Three("fmaxnm", l.shape, rest, x, low)
	l.Three("fmin", l.shape, rest, rest, high)
	l.Two("frintn", l.shape, whole, rest)
	l.Three("fsub", l.shape, rest, rest, whole)
	if corrected {
		l.Three("fadd", l.shape, rest, rest, y)
	}
	l.Two("fcvtns", l.shape, whole, whole)
	l.Shift("shl", l.shape, whole, whole, 23)
	p := l.polynomial(v+4, v+5, rest, expOffset, len(expPoly))
	l.Three("add", l.shape, p, p, whole)
	l.Three("fcmge", l.shape, x, x, low)
	l.Bits("and", p, p, x)
	l.Store(p, 0, 16*part)
}

func (l *loops) powers() {
	prepare := func() {
		l.Line("\tMOVD $coefficients<>(SB), R14")
		l.Constant(l.shape, 30, 0xc2fc0000) // −126
		l.Constant(l.shape, 31, 0x42fe0000) // 127
	}
	l.function("exp2", 24)
	l.Arguments("dst", "x", "n")
	prepare()
	l.all("exp2", 2, []int{0, 1}, func(v, part int) {
		l.Load(v, 1, 16*part)
		l.power(v, part, false)
	})
	l.Line("\tRET")

	// 2^(x·(high+low)), with the product's rounding error carried along
	const high, low = 28, 29
	l.function("gibbs", 32)
	l.Arguments("dst", "x")
	l.Line("\tFMOVS high+16(FP), F%d", high)
	l.Line("\tFMOVS low+20(FP), F%d", low)
	l.Line("\tMOVD n+24(FP), R2")
	prepare()
	l.all("gibbs", 2, []int{0, 1}, func(v, part int) {
		l.Load(v+2, 1, 16*part)
		l.Element("fmul", l.shape, v, v+2, high, 0)
		l.Two("fneg", l.shape, v+1, v)
		l.Element("fmla", l.shape, v+1, v+2, high, 0) // x·high, less what it was rounded to
		l.Element("fmla", l.shape, v+1, v+2, low, 0)
		l.power(v, part, true)
	})
	l.Line("\tRET")
}

func (l *loops) divide() {
	const first, tiny = 16, 31
	l.function("divide", 40)
	l.Arguments("dst", "num", "den", "n", "least")
	l.Constant(l.shape, tiny, 0x00800000)
	l.lanes(l.LoadPair, first, 4)
	l.each("divide", 3, []int{0, 1, 2}, func(part int) {
		least := first + part
		l.Load(0, 1, 16*part)
		l.Load(1, 2, 16*part)
		l.IsZero(l.shape, 2, 0)
		l.Three("fcmgt", l.shape, 3, least, 1)
		l.Bits("bic", 3, 3, 2)
		l.Bits("bit", least, 1, 3)
		l.Three("fmaxnm", l.shape, 1, 1, tiny)
		l.Three("fdiv", l.shape, 0, 0, 1)
		l.Store(0, 0, 16*part)
	})
	l.lanes(l.StorePair, first, 4)
	l.Line("\tRET")
}

func (l *loops) combine() {
	l.function("combine", 48)
	l.Arguments("dst", "x")
	l.Line("\tFMOVS alpha+16(FP), F2")
	l.Line("\tMOVD y+24(FP), R2")
	l.Line("\tFMOVS beta+32(FP), F3")
	l.Line("\tMOVD n+40(FP), R3")
	l.each("combine", 3, []int{0, 1, 2}, func(part int) {
		l.Load(0, 2, 16*part)
		l.Element("fmul", l.shape, 0, 0, 3, 0)
		l.Load(1, 1, 16*part)
		l.Element("fmla", l.shape, 0, 1, 2, 0)
		l.Store(0, 0, 16*part)
	})
	l.Line("\tRET")
}

func (l *loops) dot() {
	const first = 16
	l.function("dot", 32)
	l.Arguments("x", "y", "n", "lanes")
	l.lanes(l.LoadPair, first, 3)
	l.each("dot", 2, []int{0, 1}, func(part int) {
		l.Load(0, 0, 16*part)
		l.Load(1, 1, 16*part)
		l.Three("fmla", l.shape, first+part, 0, 1)
	})
	l.lanes(l.StorePair, first, 3)
	l.Line("\tRET")
}

// relax is that of amd64.
func (l *loops) relax() {
	const tiny, more, third = 31, 30, 29
	l.function("relax", 32)
	l.Arguments("x", "next")
	l.Line("\tFMOVS more+16(FP), F%d", more)
	l.Line("\tFMOVS third+20(FP), F%d", third)
	l.Line("\tMOVD words+24(FP), R2")
	l.Constant(l.shape, tiny, 0x00800000)
	l.each("relax", 2, []int{0, 1}, func(part int) {
		l.Load(0, 0, 16*part)
		l.Load(1, 1, 16*part)
		l.Three("fminnm", l.shape, 3, 0, 1)
		l.Three("fmaxnm", l.shape, 4, 0, 1)
		l.Three("fsub", l.shape, 2, 4, 3)
		l.Element("fmul", l.shape, 2, 2, third, 0)
		l.Three("fmaxnm", l.shape, 3, 3, tiny)
		l.Three("fadd", l.shape, 3, 3, 2)
		l.Three("fsub", l.shape, 0, 4, 0)
		l.Element("fmul", l.shape, 0, 0, more, 0)
		l.Three("fadd", l.shape, 0, 3, 0)
		l.Three("fsub", l.shape, 4, 4, 1)
		l.Element("fmul", l.shape, 4, 4, more, 0)
		l.Three("fadd", l.shape, 4, 3, 4)
		l.Three("fdiv", l.shape, 0, 0, 4)
		l.Three("fmul", l.shape, 1, 1, 0)
		l.Store(1, 0, 16*part)
	})
	l.Line("\tRET")
}

// writeNEON returns vector_arm64.s.
func writeNEON() []byte {
	l := &loops{shape: neon.S4, size: 4}
	l.Line("// Code generated by gen_vector.go. DO NOT EDIT.\n\n//go:build !noasm\n\n#include \"textflag.h\"\n")
	var bytes []byte
	for _, c := range append(append([]uint32(nil), logPoly...), expPoly...) {
		for range 4 {
			bytes = binary.LittleEndian.AppendUint32(bytes, c)
		}
	}
	for i := 0; i < len(bytes); i += 8 {
		l.Line("DATA coefficients<>+%d(SB)/8, $0x%016x", i, binary.LittleEndian.Uint64(bytes[i:]))
	}
	l.Line("GLOBL coefficients<>(SB), RODATA|NOPTR, $%d", len(bytes))
	l.addLog2()
	l.divideRows()
	l.powers()
	l.divide()
	l.combine()
	l.dot()
	l.relax()
	l.shape, l.size = neon.D2, 8
	l.addLog2()
	return l.Bytes()
}
