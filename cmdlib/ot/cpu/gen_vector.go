//go:build ignore

// This program writes vector_amd64.s and, with gen_neon.go, vector_arm64.s: the element-wise loops of the engine for
// AVX-512, AVX2 and NEON. All do the same operations on every element and keep sums in the same 16 lanes, so they agree
// in every bit.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
)

var out bytes.Buffer

func p(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }

func constant(name string, bits uint32) {
	for i := range 16 {
		p("DATA %s<>+%d(SB)/4, $0x%08x", name, 4*i, bits)
	}
	p("GLOBL %s<>(SB), RODATA|NOPTR, $64", name)
}

func constant64(name string, bits uint64) {
	for i := range 8 {
		p("DATA %s<>+%d(SB)/8, $0x%016x", name, 8*i, bits)
	}
	p("GLOBL %s<>(SB), RODATA|NOPTR, $64", name)
}

// log2(1+f)/f on [√½−1, √2−1], relative error 4.4e-8, and 2^f on [−½, ½], 1.6e-8:
// minimax fits with float32 coefficients, highest power first.
var (
	logPoly = []uint32{
		0x3e00db5b, 0xbe543e7d, 0x3e5ce490, 0xbe74adf5, 0x3e9369c2, 0xbeb8ae27, 0x3ef639eb, 0xbf38aa38, 0x3fb8aa3b,
	}
	expPoly = []uint32{0x3920e999, 0x3aafa2b5, 0x3c1d96de, 0x3d63576a, 0x3e75fded, 0x3f317218, 0x3f800000}
)

// A machine writes instructions for one register width.
type machine struct {
	avx512 bool
	reg    string
	bytes  int
}

func (m machine) r(i int) string { return fmt.Sprintf("%s%d", m.reg, i) }

func (m machine) half(i int) string {
	return fmt.Sprintf("%s%d", map[string]string{"Z": "Y", "Y": "X"}[m.reg], i)
}

// ins writes an instruction; rN in the operands stands for register N, hN for its lower half.
func (m machine) ins(op, operands string, args ...any) {
	operands = fmt.Sprintf(operands, args...)
	for i := 15; i >= 0; i-- {
		operands = strings.ReplaceAll(operands, fmt.Sprintf("r%d", i), m.r(i))
		operands = strings.ReplaceAll(operands, fmt.Sprintf("h%d", i), m.half(i))
	}
	p("\t%s %s", op, operands)
}

// and is the name of a bitwise operation, which differs between the two sets.
func (m machine) xor() string {
	if m.avx512 {
		return "VPXORD"
	}
	return "VPXOR"
}

func (m machine) or() string {
	if m.avx512 {
		return "VPORD"
	}
	return "VPOR"
}

func (m machine) and() string {
	if m.avx512 {
		return "VPANDD"
	}
	return "VPAND"
}

// loop writes the loop over 16 elements an iteration; body is called for each
// register's displacement. CX holds n.
func (m machine) loop(name string, pointers []string, body func(d int)) {
	p("\tPCALIGN $32")
	p("%s:", name)
	for d := 0; d < 64; d += m.bytes {
		body(d)
	}
	for _, r := range pointers {
		p("\tADDQ $64, %s", r)
	}
	p("\tSUBQ $16, CX")
	p("\tJNZ  %s", name)
	p("\tVZEROUPPER")
	p("\tRET")
}

// lanes returns the register of a 16-lane accumulator that displacement d uses.
func (m machine) lane(first, d int) string { return m.r(first + d/m.bytes) }

func (m machine) function(name string, size int, body func()) {
	p("\nTEXT ·%s%d(SB), NOSPLIT, $0-%d", name, m.bytes*8, size)
	body()
}

func (m machine) write() {
	suffix := func(s string) string { return fmt.Sprintf("%s%d", s, m.bytes*8) }

	// log2 stores log2 r0 in r2, for normal numbers.
	log2 := func() {
		m.ins("VPSUBD", "rootHalf<>(SB), r0, r1")
		m.ins("VPSRAD", "$23, r1, r1")
		m.ins("VPSLLD", "$23, r1, r2")
		m.ins("VPSUBD", "r2, r0, r0")
		m.ins("VCVTDQ2PS", "r1, r1")
		m.ins("VSUBPS", "one<>(SB), r0, r0")
		m.ins("VMOVUPS", "log0<>(SB), r2")
		for i := 1; i < len(logPoly); i++ {
			m.ins("VFMADD213PS", "log%d<>(SB), r0, r2", i)
		}
		m.ins("VFMADD213PS", "r1, r0, r2")
	}
	// log2d does it for float64. The exponent is exact; the logarithm of the significand is
	// that of float32.
	log2d := func() {
		m.ins("VPADDQ", "overRootHalf<>(SB), r0, r1")
		m.ins("VPSRLQ", "$52, r1, r1") // exponent + 1023
		m.ins("VPSLLQ", "$52, r1, r2")
		m.ins("VPSUBQ", "r2, r0, r0")
		m.ins("VPADDQ", "oned<>(SB), r0, r0")
		m.ins(m.or(), "integer<>(SB), r1, r1")
		m.ins("VSUBPD", "bias<>(SB), r1, r1")
		m.ins("VSUBPD", "oned<>(SB), r0, r0")
		if m.avx512 {
			m.ins("VCVTPD2PS", "r0, h4")
		} else {
			m.ins("VCVTPD2PSY", "r0, h4")
		}
		m.ins("VMOVUPS", "log0<>(SB), h2")
		for i := 1; i < len(logPoly); i++ {
			m.ins("VFMADD213PS", "log%d<>(SB), h4, h2", i)
		}
		m.ins("VCVTPS2PD", "h2, r2")
		m.ins("VFMADD213PD", "r1, r0, r2")
	}
	// addLog2(sum, x *float32, stride uintptr, weights *float32, rows, n int, least *float32),
	// and that of float64
	for _, size := range []int{4, 8} {
		name, packed, scalar, tiny, log := "addLog2", "PS", "SS", "tiny<>(SB)", log2
		if size == 8 {
			name, packed, scalar, tiny, log = "addLog2d", "PD", "SD", "tinyd<>(SB)", log2d
		}
		m.function(name, 56, func() {
			p("\tMOVQ sum+0(FP), AX")
			p("\tMOVQ x+8(FP), BX")
			p("\tMOVQ stride+16(FP), R8")
			p("\tMOVQ weights+24(FP), SI")
			p("\tMOVQ rows+32(FP), R9")
			p("\tMOVQ n+40(FP), CX")
			p("\tMOVQ least+48(FP), DX")
			for d := 0; d < 16*size; d += m.bytes {
				p("\tVMOVUPS %d(DX), %s", d, m.lane(8, d))
			}
			p("%s:", suffix(name+"_loop"))
			for d := 0; d < 16*size; d += m.bytes {
				rows := suffix(fmt.Sprintf("%s_rows%d_", name, d))
				m.ins("VMOVUPS", "%d(AX), r3", d)
				p("\tMOVQ BX, R10")
				p("\tXORQ R11, R11")
				p("\tPCALIGN $32")
				p("%s:", rows)
				m.ins("VMOVUPS", "%d(R10), r0", d)
				m.ins("VMIN"+packed, "r0, %s, %s", m.lane(8, d), m.lane(8, d))
				m.ins("VMAX"+packed, "%s, r0, r0", tiny)
				log()
				m.ins("VBROADCAST"+scalar, "(SI)(R11*%d), r12", size)
				m.ins("VFMADD231"+packed, "r2, r12, r3")
				p("\tADDQ R8, R10")
				p("\tINCQ R11")
				p("\tCMPQ R11, R9")
				p("\tJLT  %s", rows)
				m.ins("VMOVUPS", "r3, %d(AX)", d)
			}
			p("\tADDQ $%d, AX", 16*size)
			p("\tADDQ $%d, BX", 16*size)
			p("\tSUBQ $16, CX")
			p("\tJNZ  %s", suffix(name+"_loop"))
			for d := 0; d < 16*size; d += m.bytes {
				p("\tVMOVUPS %s, %d(DX)", m.lane(8, d), d)
			}
			p("\tVZEROUPPER")
			p("\tRET")
		})
	}

	// divideRows(dst, num, den *float32, stride uintptr, rows, n int), and that of float64
	for _, size := range []int{4, 8} {
		name, packed, tiny := "divideRows", "PS", "tiny<>(SB)"
		if size == 8 {
			name, packed, tiny = "divideRowsd", "PD", "tinyd<>(SB)"
		}
		m.function(name, 48, func() {
			p("\tMOVQ dst+0(FP), AX")
			p("\tMOVQ num+8(FP), BX")
			p("\tMOVQ den+16(FP), SI")
			p("\tMOVQ stride+24(FP), R8")
			p("\tMOVQ rows+32(FP), R9")
			p("\tMOVQ n+40(FP), CX")
			p("%s:", suffix(name+"_loop"))
			for d := 0; d < 16*size; d += m.bytes {
				rows := suffix(fmt.Sprintf("%s_rows%d_", name, d))
				m.ins("VMOVUPS", "%d(BX), r0", d)
				p("\tMOVQ SI, R10")
				p("\tMOVQ AX, R11")
				p("\tMOVQ R9, R12")
				p("\tPCALIGN $32")
				p("%s:", rows)
				m.ins("VMOVUPS", "%d(R10), r1", d)
				m.ins("VMAX"+packed, "%s, r1, r1", tiny)
				m.ins("VDIV"+packed, "r1, r0, r1")
				m.ins("VMOVUPS", "r1, %d(R11)", d)
				p("\tADDQ R8, R10")
				p("\tADDQ R8, R11")
				p("\tDECQ R12")
				p("\tJNZ  %s", rows)
			}
			for _, r := range []string{"AX", "BX", "SI"} {
				p("\tADDQ $%d, %s", 16*size, r)
			}
			p("\tSUBQ $16, CX")
			p("\tJNZ  %s", suffix(name+"_loop"))
			p("\tVZEROUPPER")
			p("\tRET")
		})
	}

	// exp2(dst, x *float32, n int)
	m.function("exp2", 24, func() {
		p("\tMOVQ dst+0(FP), AX")
		p("\tMOVQ x+8(FP), BX")
		p("\tMOVQ n+16(FP), CX")
		m.loop(suffix("exp2_loop"), []string{"AX", "BX"}, func(d int) {
			m.ins("VMOVUPS", "%d(BX), r0", d)
			m.ins("VMOVUPS", "low<>(SB), r4")
			m.ins("VMAXPS", "r4, r0, r1")
			m.ins("VMINPS", "high<>(SB), r1, r1")
			if m.avx512 {
				m.ins("VRNDSCALEPS", "$8, r1, r2")
			} else {
				m.ins("VROUNDPS", "$8, r1, r2")
			}
			m.ins("VSUBPS", "r2, r1, r1")
			m.ins("VCVTPS2DQ", "r2, r2")
			m.ins("VPSLLD", "$23, r2, r2")
			m.ins("VMOVUPS", "exp0<>(SB), r3")
			for i := 1; i < len(expPoly); i++ {
				m.ins("VFMADD213PS", "exp%d<>(SB), r1, r3", i)
			}
			m.ins("VPADDD", "r2, r3, r3")
			if m.avx512 {
				m.ins("VCMPPS", "$13, r4, r0, K1") // x ≥ low
				m.ins("VMOVAPS.Z", "r3, K1, r3")
			} else {
				m.ins("VCMPPS", "$13, r4, r0, r0")
				m.ins("VPAND", "r0, r3, r3")
			}
			m.ins("VMOVUPS", "r3, %d(AX)", d)
		})
	})

	// gibbs(dst, x *float32, high, low float32, n int): 2^(x·(high+low)), with the
	// product's rounding error carried along
	m.function("gibbs", 32, func() {
		p("\tMOVQ dst+0(FP), AX")
		p("\tMOVQ x+8(FP), BX")
		m.ins("VBROADCASTSS", "high+16(FP), r5")
		m.ins("VBROADCASTSS", "low+20(FP), r6")
		p("\tMOVQ n+24(FP), CX")
		m.loop(suffix("gibbs_loop"), []string{"AX", "BX"}, func(d int) {
			m.ins("VMOVUPS", "%d(BX), r7", d)
			m.ins("VMOVUPS", "low<>(SB), r4")
			m.ins("VMULPS", "r7, r5, r0")
			m.ins("VMOVAPS", "r0, r8")
			m.ins("VFMSUB231PS", "r7, r5, r8") // x·high − r0
			m.ins("VFMADD231PS", "r7, r6, r8")
			m.ins("VMAXPS", "r4, r0, r1")
			m.ins("VMINPS", "high<>(SB), r1, r1")
			if m.avx512 {
				m.ins("VRNDSCALEPS", "$8, r1, r2")
			} else {
				m.ins("VROUNDPS", "$8, r1, r2")
			}
			m.ins("VSUBPS", "r2, r1, r1")
			m.ins("VADDPS", "r8, r1, r1")
			m.ins("VCVTPS2DQ", "r2, r2")
			m.ins("VPSLLD", "$23, r2, r2")
			m.ins("VMOVUPS", "exp0<>(SB), r3")
			for i := 1; i < len(expPoly); i++ {
				m.ins("VFMADD213PS", "exp%d<>(SB), r1, r3", i)
			}
			m.ins("VPADDD", "r2, r3, r3")
			if m.avx512 {
				m.ins("VCMPPS", "$13, r4, r0, K1")
				m.ins("VMOVAPS.Z", "r3, K1, r3")
			} else {
				m.ins("VCMPPS", "$13, r4, r0, r0")
				m.ins("VPAND", "r0, r3, r3")
			}
			m.ins("VMOVUPS", "r3, %d(AX)", d)
		})
	})

	// divide(dst, num, den *float32, n int, least *float32)
	m.function("divide", 40, func() {
		p("\tMOVQ dst+0(FP), AX")
		p("\tMOVQ num+8(FP), BX")
		p("\tMOVQ den+16(FP), SI")
		p("\tMOVQ n+24(FP), CX")
		p("\tMOVQ least+32(FP), DX")
		for d := 0; d < 64; d += m.bytes {
			p("\tVMOVUPS %d(DX), %s", d, m.lane(8, d))
		}
		m.ins(m.xor(), "r5, r5, r5")
		p("\tPCALIGN $32")
		p("%s:", suffix("divide_loop"))
		for d := 0; d < 64; d += m.bytes {
			least := m.lane(8, d)
			m.ins("VMOVUPS", "%d(BX), r0", d)
			m.ins("VMOVUPS", "%d(SI), r1", d)
			if m.avx512 {
				m.ins("VCMPPS", "$4, r5, r0, K1")
				m.ins("VMINPS", "r1, %s, K1, %s", least, least)
			} else {
				m.ins("VCMPPS", "$0, r5, r0, r2")
				m.ins("VORPS", "r1, r2, r2")
				m.ins("VMINPS", "%s, r2, %s", least, least)
			}
			m.ins("VMAXPS", "tiny<>(SB), r1, r1")
			m.ins("VDIVPS", "r1, r0, r0")
			m.ins("VMOVUPS", "r0, %d(AX)", d)
		}
		p("\tADDQ $64, AX")
		p("\tADDQ $64, BX")
		p("\tADDQ $64, SI")
		p("\tSUBQ $16, CX")
		p("\tJNZ  %s", suffix("divide_loop"))
		for d := 0; d < 64; d += m.bytes {
			p("\tVMOVUPS %s, %d(DX)", m.lane(8, d), d)
		}
		p("\tVZEROUPPER")
		p("\tRET")
	})

	// combine(dst, x *float32, alpha float32, y *float32, beta float32, n int)
	m.function("combine", 48, func() {
		p("\tMOVQ dst+0(FP), AX")
		p("\tMOVQ x+8(FP), BX")
		m.ins("VBROADCASTSS", "alpha+16(FP), r2")
		p("\tMOVQ y+24(FP), SI")
		m.ins("VBROADCASTSS", "beta+32(FP), r3")
		p("\tMOVQ n+40(FP), CX")
		m.loop(suffix("combine_loop"), []string{"AX", "BX", "SI"}, func(d int) {
			m.ins("VMULPS", "%d(SI), r3, r0", d)
			m.ins("VFMADD231PS", "%d(BX), r2, r0", d)
			m.ins("VMOVUPS", "r0, %d(AX)", d)
		})
	})

	sums := func(name string, pointers []string, args []string, body func(d int, sum string)) {
		m.function(name, 8*(len(args)+2), func() {
			for i, a := range args {
				p("\tMOVQ %s+%d(FP), %s", a, 8*i, pointers[i])
			}
			p("\tMOVQ n+%d(FP), CX", 8*len(args))
			p("\tMOVQ lanes+%d(FP), DX", 8*len(args)+8)
			for d := 0; d < 64; d += m.bytes {
				p("\tVMOVUPS %d(DX), %s", d, m.lane(8, d))
			}
			p("\tPCALIGN $32")
			p("%s:", suffix(name+"_loop"))
			for d := 0; d < 64; d += m.bytes {
				body(d, m.lane(8, d))
			}
			for _, r := range pointers[:len(args)] {
				p("\tADDQ $64, %s", r)
			}
			p("\tSUBQ $16, CX")
			p("\tJNZ  %s", suffix(name+"_loop"))
			for d := 0; d < 64; d += m.bytes {
				p("\tVMOVUPS %s, %d(DX)", m.lane(8, d), d)
			}
			p("\tVZEROUPPER")
			p("\tRET")
		})
	}
	pointers := []string{"AX", "BX", "SI"}

	// dot(x, y *float32, n int, lanes *float32)
	sums("dot", pointers, []string{"x", "y"}, func(d int, sum string) {
		m.ins("VMOVUPS", "%d(AX), r0", d)
		m.ins("VFMADD231PS", "%d(BX), r0, %s", d, sum)
	})
	// residual(v, d, b *float32, n int, lanes *float32)
	sums("residual", pointers, []string{"v", "d", "b"}, func(d int, sum string) {
		m.ins("VMOVUPS", "%d(AX), r0", d)
		m.ins("VMOVUPS", "%d(SI), r1", d)
		m.ins("VFMSUB231PS", "%d(BX), r0, r1", d)
		m.ins(m.and(), "positive<>(SB), r1, r1")
		m.ins("VADDPS", "r1, %s, %s", sum, sum)
	})

	// point(dst, z *float32, s float32, x, y *float32, n int) float32
	m.function("point", 52, func() {
		p("\tMOVQ dst+0(FP), AX")
		p("\tMOVQ z+8(FP), BX")
		m.ins("VBROADCASTSS", "s+16(FP), r2")
		p("\tMOVQ x+24(FP), SI")
		p("\tMOVQ y+32(FP), DI")
		p("\tMOVQ n+40(FP), CX")
		for d := 0; d < 64; d += m.bytes {
			lane := m.lane(8, d)
			m.ins(m.xor(), "%s, %s, %s", lane, lane, lane)
		}
		p("\tPCALIGN $32")
		p("%s:", suffix("point_loop"))
		for d := 0; d < 64; d += m.bytes {
			m.ins("VMOVUPS", "%d(SI), r0", d)
			m.ins("VFMADD231PS", "%d(DI), r0, %s", d, m.lane(8, d))
			m.ins("VMULPS", "%d(BX), r2, r1", d)
			m.ins("VMOVUPS", "r1, %d(AX)", d)
		}
		for _, r := range []string{"AX", "BX", "SI", "DI"} {
			p("\tADDQ $64, %s", r)
		}
		p("\tSUBQ $16, CX")
		p("\tJNZ  %s", suffix("point_loop"))
		// Halves are added until one lane is left.
		if m.avx512 {
			p("\tVEXTRACTF32X8 $1, Z8, Y9")
		}
		p("\tVADDPS Y9, Y8, Y8")
		p("\tVEXTRACTF128 $1, Y8, X9")
		p("\tVADDPS X9, X8, X8")
		p("\tVPERMILPS $0x4e, X8, X9")
		p("\tVADDPS X9, X8, X8")
		p("\tVPERMILPS $0xb1, X8, X9")
		p("\tVADDPS X9, X8, X8")
		p("\tVMOVSS X8, ret+48(FP)")
		p("\tVZEROUPPER")
		p("\tRET")
	})

	// estimate(u, s, sum *float32, n int): u = u·s, sum = sum + u
	m.function("estimate", 32, func() {
		p("\tMOVQ u+0(FP), AX")
		p("\tMOVQ s+8(FP), BX")
		p("\tMOVQ sum+16(FP), SI")
		p("\tMOVQ n+24(FP), CX")
		m.loop(suffix("estimate_loop"), pointers, func(d int) {
			m.ins("VMOVUPS", "%d(AX), r0", d)
			m.ins("VMULPS", "%d(BX), r0, r0", d)
			m.ins("VMOVUPS", "r0, %d(AX)", d)
			m.ins("VADDPS", "%d(SI), r0, r0", d)
			m.ins("VMOVUPS", "r0, %d(SI)", d)
		})
	})
	// relax(x, next *float32, words int): x = next·min(√(next/x), 4); the minimum of NaN
	// is 4. relaxFast: x = next·√q·∜q·⁸√q with q = min(next/x, 16). Words have four bytes.
	for _, f := range []struct {
		name, kind, limit string
		roots             int
	}{{"relax", "PS", "four<>(SB)", 1}, {"relaxd", "PD", "fourd<>(SB)", 1}, {"relaxFastd", "PD", "sixteend<>(SB)", 3}} {
		m.function(f.name, 24, func() {
			p("\tMOVQ x+0(FP), AX")
			p("\tMOVQ next+8(FP), BX")
			p("\tMOVQ words+16(FP), CX")
			m.ins("VMOVUPS", "%s, r3", f.limit)
			m.loop(suffix(f.name+"_loop"), []string{"AX", "BX"}, func(d int) {
				m.ins("VMOVUPS", "%d(BX), r0", d)
				m.ins("VDIV"+f.kind, "%d(AX), r0, r1", d)
				if f.roots == 1 {
					m.ins("VSQRT"+f.kind, "r1, r1")
					m.ins("VMIN"+f.kind, "r3, r1, r1")
					m.ins("VMUL"+f.kind, "r1, r0, r0")
				} else {
					m.ins("VMIN"+f.kind, "r3, r1, r1")
					for range f.roots {
						m.ins("VSQRT"+f.kind, "r1, r1")
						m.ins("VMUL"+f.kind, "r1, r0, r0")
					}
				}
				m.ins("VMOVUPS", "r0, %d(AX)", d)
			})
		})
	}
	// deviate(square, r, mean *float32, n int): square = square + (r − mean)²
	m.function("deviate", 32, func() {
		p("\tMOVQ square+0(FP), AX")
		p("\tMOVQ r+8(FP), BX")
		p("\tMOVQ mean+16(FP), SI")
		p("\tMOVQ n+24(FP), CX")
		m.loop(suffix("deviate_loop"), pointers, func(d int) {
			m.ins("VMOVUPS", "%d(BX), r0", d)
			m.ins("VSUBPS", "%d(SI), r0, r0", d)
			m.ins("VMOVUPS", "%d(AX), r1", d)
			m.ins("VFMADD231PS", "r0, r0, r1")
			m.ins("VMOVUPS", "r1, %d(AX)", d)
		})
	})
}

func main() {
	log.SetFlags(0)
	out.WriteString(
		"// Code generated by gen_vector.go. DO NOT EDIT.\n\n//go:build amd64 && !noasm\n\n#include \"textflag.h\"\n\n",
	)
	constant("tiny", 0x00800000)
	constant("one", 0x3f800000)
	constant("four", 0x40800000)
	constant("rootHalf", 0x3f3504f3)
	constant("positive", 0x7fffffff)
	constant("low", 0xc2fc0000)  // −126
	constant("high", 0x42fe0000) // 127
	constant64("tinyd", 0x0010000000000000)
	constant64("fourd", 0x4010000000000000)
	constant64("sixteend", 0x4030000000000000)
	constant64("oned", 0x3ff0000000000000)
	constant64("overRootHalf", 0x3ff0000000000000-0x3fe6a09e667f3bcd) // 1 − √½, as integers
	constant64("integer", 0x4330000000000000)                         // 2^52: its last bits count units
	constant64("bias", 0x43300000000003ff)                            // 2^52 + 1023
	for i, c := range logPoly {
		constant(fmt.Sprintf("log%d", i), c)
	}
	for i, c := range expPoly {
		constant(fmt.Sprintf("exp%d", i), c)
	}
	machine{avx512: true, reg: "Z", bytes: 64}.write()
	machine{reg: "Y", bytes: 32}.write()
	folder := "."
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	for name, text := range map[string][]byte{"vector_amd64.s": out.Bytes(), "vector_arm64.s": writeNEON()} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
