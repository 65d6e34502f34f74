//go:build ignore

// This program writes vector_amd64.s and, with gen_neon.go, vector_arm64.s: the element-wise loops of the engine for
// AVX2, which serve AVX-512 too, and NEON. All do the same operations on every element and keep sums in the same 16
// lanes, so they agree in every bit.
package main

import (
	"fmt"
	"strings"

	"contextmover/internal/vectorasm"
)

// log2(1+f)/f on [√½−1, √2−1], relative error 4.4e-8, and 2^f on [−½, ½], 1.6e-8:
// minimax fits with float32 coefficients, highest power first.
var (
	logPoly = []uint32{
		0x3e00db5b, 0xbe543e7d, 0x3e5ce490, 0xbe74adf5, 0x3e9369c2, 0xbeb8ae27, 0x3ef639eb, 0xbf38aa38, 0x3fb8aa3b,
	}
	expPoly = []uint32{0x3920e999, 0x3aafa2b5, 0x3c1d96de, 0x3d63576a, 0x3e75fded, 0x3f317218, 0x3f800000}
)

// avx writes functions for registers of 32 bytes.
type avx struct{ *vectorasm.File }

// element is a type of number: how functions of it and its instructions end, and its smallest normal one.
type element struct {
	name, letter, tiny string
	size               int
}

var elements = []element{{"", "S", "tiny<>(SB)", 4}, {"d", "D", "tinyd<>(SB)", 8}}

// loop writes a loop over 16 elements of so many bytes an iteration, of which CX holds the number; body is called for
// each register's displacement.
func (a avx) loop(label string, size int, pointers string, body func(d int)) {
	a.Code("%s_loop256:", label)
	for d := 0; d < 16*size; d += 32 {
		body(d)
	}
	for _, r := range strings.Fields(pointers) {
		a.Code("ADDQ $%d, %s", 16*size, r)
	}
	a.Code("SUBQ $16, CX\nJNZ  %s_loop256", label)
}

// lane returns the register of a 16-lane accumulator that displacement d uses.
func lane(d int) int { return 8 + d/32 }

// lanes moves the 16-lane accumulator of numbers of size bytes from or to DX.
func (a avx) lanes(move string, size int) {
	for d := 0; d < 16*size; d += 32 {
		a.Code(move, d, lane(d))
	}
}

const loaded, stored = "VMOVUPS %d(DX), Y%d", "VMOVUPS Y%[2]d, %[1]d(DX)"

const end = "VZEROUPPER\nRET"

// polynomial evaluates the one with n coefficients of a name at x in the register to, highest power first.
func (a avx) polynomial(name string, n int, x, to string) {
	a.Code("VMOVUPS %s0<>(SB), %s", name, to)
	for i := 1; i < n; i++ {
		a.Code("VFMADD213PS %s%d<>(SB), %s, %s", name, i, x, to)
	}
}

// log2 stores log2 Y0 in Y2, for normal numbers. In float64 the exponent is exact; the logarithm of the significand is
// that of float32.
func (a avx) log2(size int) {
	if size == 4 {
		a.Code(`
			VPSUBD rootHalf<>(SB), Y0, Y1
			VPSRAD $23, Y1, Y1
			VPSLLD $23, Y1, Y2
			VPSUBD Y2, Y0, Y0
			VCVTDQ2PS Y1, Y1
			VSUBPS one<>(SB), Y0, Y0`)
		a.polynomial("log", len(logPoly), "Y0", "Y2")
		a.Code("VFMADD213PS Y1, Y0, Y2")
		return
	}
	a.Code(`
		VPADDQ overRootHalf<>(SB), Y0, Y1
		VPSRLQ $52, Y1, Y1 // exponent + 1023
		VPSLLQ $52, Y1, Y2
		VPSUBQ Y2, Y0, Y0
		VPADDQ oned<>(SB), Y0, Y0
		VPOR integer<>(SB), Y1, Y1
		VSUBPD bias<>(SB), Y1, Y1
		VSUBPD oned<>(SB), Y0, Y0
		VCVTPD2PSY Y0, X4`)
	a.polynomial("log", len(logPoly), "X4", "X2")
	a.Code("VCVTPS2PD X2, Y2\nVFMADD213PD Y1, Y0, Y2")
}

// addLog2(sum, x *float32, stride uintptr, weights *float32, rows, n int, least *float32)
func (a avx) addLog2(e element) {
	name := "addLog2" + e.name
	a.Begin(name+"Asm", 56)
	a.Code(`
		MOVQ sum+0(FP), AX
		MOVQ x+8(FP), BX
		MOVQ stride+16(FP), R8
		MOVQ weights+24(FP), SI
		MOVQ rows+32(FP), R9
		MOVQ n+40(FP), CX
		MOVQ least+48(FP), DX`)
	a.lanes(loaded, e.size)
	a.loop(name, e.size, "AX BX", func(d int) {
		a.Code(`
			VMOVUPS %[1]d(AX), Y3
			MOVQ BX, R10
			XORQ R11, R11
			PCALIGN $32
			%[2]s_rows%[1]d_256:
			VMOVUPS %[1]d(R10), Y0
			VMINP%[3]s Y0, Y%[4]d, Y%[4]d
			VMAXP%[3]s %[5]s, Y0, Y0`, d, name, e.letter, lane(d), e.tiny)
		a.log2(e.size)
		a.Code(`
			VBROADCASTS%[3]s (SI)(R11*%[4]d), Y12
			VFMADD231P%[3]s Y2, Y12, Y3
			ADDQ R8, R10
			INCQ R11
			CMPQ R11, R9
			JLT  %[2]s_rows%[1]d_256
			VMOVUPS Y3, %[1]d(AX)`, d, name, e.letter, e.size)
	})
	a.lanes(stored, e.size)
	a.Code(end)
}

// divideRows(dst, num, den *float32, stride uintptr, rows, n int)
func (a avx) divideRows(e element) {
	name := "divideRows" + e.name
	a.Begin(name+"Asm", 48)
	a.Code(`
		MOVQ dst+0(FP), AX
		MOVQ num+8(FP), BX
		MOVQ den+16(FP), SI
		MOVQ stride+24(FP), R8
		MOVQ rows+32(FP), R9
		MOVQ n+40(FP), CX`)
	a.loop(name, e.size, "AX BX SI", func(d int) {
		a.Code(`
			VMOVUPS %[1]d(BX), Y0
			MOVQ SI, R10
			MOVQ AX, R11
			MOVQ R9, R12
			PCALIGN $32
			%[2]s_rows%[1]d_256:
			VMOVUPS %[1]d(R10), Y1
			VMAXP%[3]s %[4]s, Y1, Y1
			VDIVP%[3]s Y1, Y0, Y1
			VMOVUPS Y1, %[1]d(R11)
			ADDQ R8, R10
			ADDQ R8, R11
			DECQ R12
			JNZ  %[2]s_rows%[1]d_256`, d, name, e.letter, e.tiny)
	})
	a.Code(end)
}

// power stores 2^Y0, 0 where Y0 is below Y4, the least exponent; its correction is what is added to the fraction, Y1.
func (a avx) power(d int, correction string) {
	a.Code(`
		VMAXPS Y4, Y0, Y1
		VMINPS high<>(SB), Y1, Y1
		VROUNDPS $8, Y1, Y2
		VSUBPS Y2, Y1, Y1
		` + correction + `
		VCVTPS2DQ Y2, Y2
		VPSLLD $23, Y2, Y2`)
	a.polynomial("exp", len(expPoly), "Y1", "Y3")
	a.Code(`
		VPADDD Y2, Y3, Y3
		VCMPPS $13, Y4, Y0, Y0
		VPAND Y0, Y3, Y3
		VMOVUPS Y3, %d(AX)`, d)
}

// powers writes exp2(dst, x *float32, n int) and gibbs(dst, x *float32, high, low float32, n int), which is
// 2^(x·(high+low)), with the product's rounding error carried along.
func (a avx) powers() {
	a.Begin("exp2Asm", 24)
	a.Code("MOVQ dst+0(FP), AX\nMOVQ x+8(FP), BX\nMOVQ n+16(FP), CX\nPCALIGN $32")
	a.loop("exp2", 4, "AX BX", func(d int) {
		a.Code("VMOVUPS %d(BX), Y0\nVMOVUPS low<>(SB), Y4", d)
		a.power(d, "")
	})
	a.Code(end)

	a.Begin("gibbsAsm", 32)
	a.Code(`
		MOVQ dst+0(FP), AX
		MOVQ x+8(FP), BX
		VBROADCASTSS high+16(FP), Y5
		VBROADCASTSS low+20(FP), Y6
		MOVQ n+24(FP), CX
		PCALIGN $32`)
	a.loop("gibbs", 4, "AX BX", func(d int) {
		a.Code(`
			VMOVUPS %d(BX), Y7
			VMOVUPS low<>(SB), Y4
			VMULPS Y7, Y5, Y0
			VMOVAPS Y0, Y8
			VFMSUB231PS Y7, Y5, Y8 // x·high − Y0
			VFMADD231PS Y7, Y6, Y8`, d)
		a.power(d, "VADDPS Y8, Y1, Y1")
	})
	a.Code(end)
}

// divide(dst, num, den *float32, n int, least *float32)
func (a avx) divide() {
	a.Begin("divideAsm", 40)
	a.Code(`
		MOVQ dst+0(FP), AX
		MOVQ num+8(FP), BX
		MOVQ den+16(FP), SI
		MOVQ n+24(FP), CX
		MOVQ least+32(FP), DX`)
	a.lanes(loaded, 4)
	a.Code("VPXOR Y5, Y5, Y5\nPCALIGN $32")
	a.loop("divide", 4, "AX BX SI", func(d int) {
		a.Code(`
			VMOVUPS %[1]d(BX), Y0
			VMOVUPS %[1]d(SI), Y1
			VCMPPS $0, Y5, Y0, Y2
			VORPS Y1, Y2, Y2
			VMINPS Y%[2]d, Y2, Y%[2]d
			VMAXPS tiny<>(SB), Y1, Y1
			VDIVPS Y1, Y0, Y0
			VMOVUPS Y0, %[1]d(AX)`, d, lane(d))
	})
	a.lanes(stored, 4)
	a.Code(end)
}

// combine(dst, x *float32, alpha float32, y *float32, beta float32, n int)
func (a avx) combine() {
	a.Begin("combineAsm", 48)
	a.Code(`
		MOVQ dst+0(FP), AX
		MOVQ x+8(FP), BX
		VBROADCASTSS alpha+16(FP), Y2
		MOVQ y+24(FP), SI
		VBROADCASTSS beta+32(FP), Y3
		MOVQ n+40(FP), CX
		PCALIGN $32`)
	a.loop("combine", 4, "AX BX SI", func(d int) {
		a.Code(`
			VMULPS %[1]d(SI), Y3, Y0
			VFMADD231PS %[1]d(BX), Y2, Y0
			VMOVUPS Y0, %[1]d(AX)`, d)
	})
	a.Code(end)
}

// dot(x, y *float32, n int, lanes *float32)
func (a avx) dot() {
	a.Begin("dotAsm", 32)
	a.Code("MOVQ x+0(FP), AX\nMOVQ y+8(FP), BX\nMOVQ n+16(FP), CX\nMOVQ lanes+24(FP), DX")
	a.lanes(loaded, 4)
	a.Code("PCALIGN $32")
	a.loop("dot", 4, "AX BX", func(d int) {
		a.Code("VMOVUPS %[1]d(AX), Y0\nVFMADD231PS %[1]d(BX), Y0, Y%[2]d", d, lane(d))
	})
	a.lanes(stored, 4)
	a.Code(end)
}

// relax(x, next *float32, more, third float32, words int): with l = min(x, next), h = max(x, next) and
// c = max(l, tiny) + third·(h − l), x = next·((c + more·(h − x))/(c + more·(h − next))). Words have four bytes.
func (a avx) relax(e element) {
	a.Begin("relax"+e.name+"Asm", 24+2*e.size)
	a.Code(`
		MOVQ x+0(FP), AX
		MOVQ next+8(FP), BX
		VBROADCASTS%[1]s more+16(FP), Y5
		VBROADCASTS%[1]s third+%[2]d(FP), Y6
		MOVQ words+%[3]d(FP), CX
		PCALIGN $32`, e.letter, 16+e.size, 16+2*e.size)
	a.loop("relax"+e.name, 4, "AX BX", func(d int) {
		a.Code(`
			VMOVUPS %[1]d(AX), Y0
			VMOVUPS %[1]d(BX), Y1
			VMINP%[2]s Y0, Y1, Y3
			VMAXP%[2]s Y0, Y1, Y4
			VSUBP%[2]s Y3, Y4, Y2
			VMULP%[2]s Y2, Y6, Y2
			VMAXP%[2]s %[3]s, Y3, Y3
			VADDP%[2]s Y2, Y3, Y3
			VSUBP%[2]s Y0, Y4, Y0
			VMULP%[2]s Y0, Y5, Y0
			VADDP%[2]s Y0, Y3, Y0
			VSUBP%[2]s Y1, Y4, Y4
			VMULP%[2]s Y4, Y5, Y4
			VADDP%[2]s Y4, Y3, Y4
			VDIVP%[2]s Y4, Y0, Y0
			VMULP%[2]s Y0, Y1, Y1
			VMOVUPS Y1, %[1]d(AX)`, d, e.letter, e.tiny)
	})
	a.Code(end)
}

func write(f *vectorasm.File) {
	a := avx{f}
	f.WriteString("\n")
	for _, c := range []struct {
		name string
		size int
		bits uint64
	}{
		{"tiny", 4, 0x00800000},
		{"one", 4, 0x3f800000},
		{"rootHalf", 4, 0x3f3504f3},
		{"low", 4, 0xc2fc0000},  // −126
		{"high", 4, 0x42fe0000}, // 127
		{"tinyd", 8, 0x0010000000000000},
		{"oned", 8, 0x3ff0000000000000},
		{"overRootHalf", 8, 0x3ff0000000000000 - 0x3fe6a09e667f3bcd}, // 1 − √½, as integers
		{"integer", 8, 0x4330000000000000},                           // 2^52: its last bits count units
		{"bias", 8, 0x43300000000003ff},                              // 2^52 + 1023
	} {
		f.Data(c.name, 32, c.size, c.bits)
	}
	for i, c := range logPoly {
		f.Data(fmt.Sprintf("log%d", i), 32, 4, uint64(c))
	}
	for i, c := range expPoly {
		f.Data(fmt.Sprintf("exp%d", i), 32, 4, uint64(c))
	}
	for _, e := range elements {
		a.addLog2(e)
	}
	for _, e := range elements {
		a.divideRows(e)
	}
	a.powers()
	a.divide()
	a.combine()
	a.dot()
	for _, e := range elements {
		a.relax(e)
	}
}

func main() {
	vectorasm.Main("gen_vector.go", "vector_amd64.s", "amd64 && !noasm", write)
	vectorasm.Main("gen_vector.go", "vector_arm64.s", "!noasm", writeNEON)
}
