//go:build ignore

package main

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"contextmover/internal/vectorasm"
)

// neon writes the loops for NEON: the same operations on every element as on amd64, and sums in the same 16 lanes, so
// that the families agree in every bit.
//
// The coefficients of polynomials are loaded where they are added to, which takes none of the units that multiply.
type neon struct{ *vectorasm.File }

// each writes a loop over 16 numbers of float32 an iteration, in four parts. R of n has how many there are.
func (a neon) each(name string, n int, pointers []int, body func(part int)) {
	a.Loop(name, n, 16, func() {
		for part := range 4 {
			body(part)
		}
		a.Advance(64, pointers...)
	})
}

// together writes what the functions write, in turn a line of each, so that one does not wait for the other.
func (a neon) together(write ...func()) {
	before := slices.Clone(a.Bytes())
	var lines [][]string
	for _, w := range write {
		a.Reset()
		w()
		lines = append(lines, strings.SplitAfter(a.String(), "\n"))
	}
	a.Reset()
	a.Write(before)
	for i := range lines[0] {
		for _, of := range lines {
			a.WriteString(of[i])
		}
	}
}

// lanes loads or stores 16 lanes in so many registers from first on.
func (a neon) lanes(op string, first, registers, pointer int) {
	for part := 0; part < registers; part += 2 {
		a.Code("%s q%d, q%d, [x%d, #%d]", op, first+part, first+part+1, pointer, 16*part)
	}
}

// polynomial evaluates the one whose coefficients R14 points to behind offset, at x; p and q are free, and one of them,
// which it returns, has the value.
func (a neon) polynomial(p, q, x, offset, coefficients int) int {
	a.Code("ldr q%d, [x14, #%d]", p, offset)
	for i := 1; i < coefficients; i++ {
		a.Code("ldr q%d, [x14, #%d]\nfmla v%[1]d.4s, v%[3]d.4s, v%[4]d.4s", q, offset+16*i, p, x)
		p, q = q, p
	}
	return p
}

const logOffset, expOffset = 0, 9 * 16

// addLog2 writes that of float32 or, with float64, of two numbers in each of eight registers.
func (a neon) addLog2(name string, size int) {
	const firstSum = 9
	firstLeast := firstSum + size
	shape, letter := "4s", "s"
	if size == 8 {
		shape, letter = "2d", "d"
	}
	a.Begin(name, 56)
	a.Arguments("sum", "x", "stride", "weights", "rows", "n", "least")
	a.Code("MOVD $coefficients<>(SB), R14")
	if size == 4 {
		a.Name(29, "tiny", "rootHalf", "one")
		for i, bits := range []uint32{0x00800000, 0x3f3504f3, 0x3f800000} {
			a.Constant(29+i, bits)
		}
	} else {
		a.Name(27, "tiny", "overRoot", "integer", "biased", "one")
		for i, bits := range []uint64{
			0x0010000000000000,
			0x3ff0000000000000 - 0x3fe6a09e667f3bcd, // 1 − √½, as integers
			0x4330000000000000,                      // 2^52: its last bits count units
			0x43300000000003ff,                      // 2^52 + 1023
			0x3ff0000000000000,
		} {
			a.Code("MOVD $0x%x, R15\nVDUP R15, V%d.D2", bits, 27+i)
		}
	}
	a.lanes("ldp", firstLeast, size, 6)
	a.Code("addLog2_%d:", size)
	a.lanes("ldp", firstSum, size, 0)
	a.Code("MOVD R1, R7\nMOVD R3, R8\nMOVD R4, R9")
	a.Loop(fmt.Sprintf("addLog2_rows_%d", size), 9, 1, func() {
		a.Code("ldr %s8, [x8]", letter)
		least := func(x, part int) {
			a.Code(`
				ldr q%[1]d, [x7, #%[2]d]
				fmin v%[3]d.%[4]s, v%[3]d.%[4]s, v%[1]d.%[4]s
				fmaxnm v%[1]d.%[4]s, v%[1]d.%[4]s, tiny.%[4]s`, x, 16*part, firstLeast+part, shape)
		}
		add := func(part, log int) {
			a.Code("fmla v%d.%[3]s, v%[2]d.%[3]s, v8.%[4]s[0]", firstSum+part, log, shape, letter)
		}
		for part := 0; part < size; part += 2 {
			if size == 4 {
				one := func(x, part int) {
					least(x, part)
					add(part, a.log2(x))
				}
				a.together(func() { one(0, part) }, func() { one(4, part+1) })
				continue
			}
			least(0, part)
			least(1, part+1)
			a.log2d()
			add(part, 2)
			add(part+1, 3)
		}
		a.Code("ADD R2, R7, R7")
		a.Advance(size, 8)
	})
	a.lanes("stp", firstSum, size, 0)
	a.Advance(16*size, 0, 1)
	a.Code("SUBS $16, R5, R5\nBNE addLog2_%d", size)
	a.lanes("stp", firstLeast, size, 6)
	a.Code("RET")
}

// log2 returns the register with log₂ of vx, for normal numbers; the three behind it are free.
func (a neon) log2(x int) int {
	a.Name(x, "x", "e", "p")
	a.Code(`
		sub e.4s, x.4s, rootHalf.4s
		sshr e.4s, e.4s, #23
		shl p.4s, e.4s, #23
		sub x.4s, x.4s, p.4s
		scvtf e.4s, e.4s
		fsub x.4s, x.4s, one.4s`)
	a.Code("fmla e.4s, v%d.4s, x.4s", a.polynomial(x+2, x+3, x, logOffset, len(logPoly)))
	return x + 1
}

// log2d turns v0 and v1 into v2 and v3, log₂ of them. The exponent
// is exact; the logarithm of the significand is that of float32.
func (a neon) log2d() {
	for x := range 2 {
		a.Name(x, "x")
		a.Name(2+x, "e")
		a.Code(`
			add e.2d, x.2d, overRoot.2d
			ushr e.2d, e.2d, #52 // exponent + 1023
			shl v4.2d, e.2d, #52
			sub x.2d, x.2d, v4.2d
			add x.2d, x.2d, one.2d
			orr e.16b, e.16b, integer.16b
			fsub e.2d, e.2d, biased.2d
			fsub x.2d, x.2d, one.2d`)
	}
	a.Code("fcvtn v4.2s, v0.2d\nfcvtn2 v4.4s, v1.2d")
	p := a.polynomial(5, 6, 4, logOffset, len(logPoly))
	a.Name(11-p, "second") // 11 − p is the other of 5 and 6
	a.Code(`
		fcvtl2 second.2d, v%[1]d.4s
		fcvtl v4.2d, v%[1]d.2s
		fmla v2.2d, v0.2d, v4.2d
		fmla v3.2d, v1.2d, second.2d`, p)
}

func (a neon) divideRows() {
	a.Begin("divideRowsAsm", 48)
	a.Arguments("dst", "num", "den", "stride", "rows", "n")
	a.Constant(16, 0x00800000)
	a.Code("divideRows:")
	a.lanes("ldp", 8, 4, 1)
	a.Code("MOVD R2, R6\nMOVD R0, R7\nMOVD R4, R8")
	a.Loop("divideRows_rows", 8, 1, func() {
		for part := range 4 {
			a.Code(`
				ldr q%[1]d, [x6, #%[2]d]
				fmaxnm v%[1]d.4s, v%[1]d.4s, v16.4s
				fdiv v%[1]d.4s, v%[3]d.4s, v%[1]d.4s
				str q%[1]d, [x7, #%[2]d]`, part, 16*part, 8+part)
		}
		a.Code("ADD R3, R6, R6\nADD R3, R7, R7")
	})
	a.Advance(64, 0, 1, 2)
	a.Code("SUBS $16, R5, R5\nBNE divideRows\nRET")
}

// powers writes a loop whose four parts go together, with six registers each. It stores 2^x where x is at least −126,
// 0 elsewhere, in what R0 points to. load loads x, or what it is made of; the correction changes the fraction of x.
func (a neon) powers(name, load, correction string) {
	a.Code("MOVD $coefficients<>(SB), R14")
	a.Name(30, "low", "high")
	a.Constant(30, 0xc2fc0000) // −126
	a.Constant(31, 0x42fe0000) // 127
	var parts []func()
	for part := range 4 {
		parts = append(parts, func() {
			v := 6 * part
			a.Name(v, "x", "y", "rest", "whole")
			a.Code("ldr "+load, 16*part)
			a.Code(`
				fmaxnm rest.4s, x.4s, low.4s
				fmin rest.4s, rest.4s, high.4s
				frintn whole.4s, rest.4s
				fsub rest.4s, rest.4s, whole.4s
				` + correction + `
				fcvtns whole.4s, whole.4s
				shl whole.4s, whole.4s, #23`)
			a.Name(a.polynomial(v+4, v+5, v+2, expOffset, len(expPoly)), "p")
			a.Code(`
				add p.4s, p.4s, whole.4s
				fcmge x.4s, x.4s, low.4s
				and p.16b, p.16b, x.16b
				str p, [x0, #%d]`, 16*part)
		})
	}
	a.Loop(name, 2, 16, func() {
		a.together(parts...)
		a.Advance(64, 0, 1)
	})
	a.Code("RET")
}

func (a neon) exp2() {
	a.Begin("exp2Asm", 24)
	a.Arguments("dst", "x", "n")
	a.powers("exp2", "x, [x1, #%d]", "")
}

// gibbs is 2^(x·(high+low)), with the product's rounding error carried along.
func (a neon) gibbs() {
	a.Begin("gibbsAsm", 32)
	a.Arguments("dst", "x")
	a.Code("FMOVS high+16(FP), F28\nFMOVS low+20(FP), F29\nMOVD n+24(FP), R2")
	a.powers("gibbs", `rest, [x1, #%d]
		fmul x.4s, rest.4s, v28.s[0]
		fneg y.4s, x.4s
		fmla y.4s, rest.4s, v28.s[0] // x·high, less what it was rounded to
		fmla y.4s, rest.4s, v29.s[0]`, "fadd rest.4s, rest.4s, y.4s")
}

func (a neon) divide() {
	a.Begin("divideAsm", 40)
	a.Arguments("dst", "num", "den", "n", "least")
	a.Constant(31, 0x00800000)
	a.lanes("ldp", 16, 4, 4)
	a.each("divide", 3, []int{0, 1, 2}, func(part int) {
		a.Name(16+part, "least")
		a.Code(`
			ldr q0, [x1, #%[1]d]
			ldr q1, [x2, #%[1]d]
			fcmeq v2.4s, v0.4s, #0.0
			fcmgt v3.4s, least.4s, v1.4s
			bic v3.16b, v3.16b, v2.16b
			bit least.16b, v1.16b, v3.16b
			fmaxnm v1.4s, v1.4s, v31.4s
			fdiv v0.4s, v0.4s, v1.4s
			str q0, [x0, #%[1]d]`, 16*part)
	})
	a.lanes("stp", 16, 4, 4)
	a.Code("RET")
}

func (a neon) combine() {
	a.Begin("combineAsm", 48)
	a.Arguments("dst", "x")
	a.Code("FMOVS alpha+16(FP), F2\nMOVD y+24(FP), R2\nFMOVS beta+32(FP), F3\nMOVD n+40(FP), R3")
	a.each("combine", 3, []int{0, 1, 2}, func(part int) {
		a.Code(`
			ldr q0, [x2, #%[1]d]
			fmul v0.4s, v0.4s, v3.s[0]
			ldr q1, [x1, #%[1]d]
			fmla v0.4s, v1.4s, v2.s[0]
			str q0, [x0, #%[1]d]`, 16*part)
	})
	a.Code("RET")
}

func (a neon) dot() {
	a.Begin("dotAsm", 32)
	a.Arguments("x", "y", "n", "lanes")
	a.lanes("ldp", 16, 4, 3)
	a.each("dot", 2, []int{0, 1}, func(part int) {
		a.Code(`
			ldr q0, [x0, #%[1]d]
			ldr q1, [x1, #%[1]d]
			fmla v%[2]d.4s, v0.4s, v1.4s`, 16*part, 16+part)
	})
	a.lanes("stp", 16, 4, 3)
	a.Code("RET")
}

// relax is that of amd64.
func (a neon) relax() {
	a.Begin("relaxAsm", 32)
	a.Arguments("x", "next")
	a.Name(29, "third", "more", "tiny")
	a.Code("FMOVS more+16(FP), F30\nFMOVS third+20(FP), F29\nMOVD words+24(FP), R2")
	a.Constant(31, 0x00800000)
	a.each("relax", 2, []int{0, 1}, func(part int) {
		a.Code(`
			ldr q0, [x0, #%[1]d]
			ldr q1, [x1, #%[1]d]
			fminnm v3.4s, v0.4s, v1.4s
			fmaxnm v4.4s, v0.4s, v1.4s
			fsub v2.4s, v4.4s, v3.4s
			fmul v2.4s, v2.4s, third.s[0]
			fmaxnm v3.4s, v3.4s, tiny.4s
			fadd v3.4s, v3.4s, v2.4s
			fsub v0.4s, v4.4s, v0.4s
			fmul v0.4s, v0.4s, more.s[0]
			fadd v0.4s, v3.4s, v0.4s
			fsub v4.4s, v4.4s, v1.4s
			fmul v4.4s, v4.4s, more.s[0]
			fadd v4.4s, v3.4s, v4.4s
			fdiv v0.4s, v0.4s, v4.4s
			fmul v1.4s, v1.4s, v0.4s
			str q1, [x0, #%[1]d]`, 16*part)
	})
	a.Code("RET")
}

// writeNEON writes vector_arm64.s.
func writeNEON(f *vectorasm.File) {
	a := neon{f}
	var bytes []byte
	for _, c := range append(append([]uint32(nil), logPoly...), expPoly...) {
		for range 4 {
			bytes = binary.LittleEndian.AppendUint32(bytes, c)
		}
	}
	f.WriteString("\n")
	for i := 0; i < len(bytes); i += 8 {
		fmt.Fprintf(f, "DATA coefficients<>+%d(SB)/8, $0x%016x\n", i, binary.LittleEndian.Uint64(bytes[i:]))
	}
	fmt.Fprintf(f, "GLOBL coefficients<>(SB), RODATA|NOPTR, $%d\n", len(bytes))
	a.addLog2("addLog2Asm", 4)
	a.divideRows()
	a.exp2()
	a.gibbs()
	a.divide()
	a.combine()
	a.dot()
	a.relax()
	a.addLog2("addLog2dAsm", 8)
}
