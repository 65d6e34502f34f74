//go:build ignore

// This program writes vector_amd64.s and, with gen_neon.go, vector_arm64.s: the element-wise loops of the engine for
// AVX2, which serve AVX-512 too, and NEON. All do the same operations on every element and keep sums in the same 16
// lanes, so they agree in every bit.
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

// constant writes 32 bytes of a number of 4 or 8 bytes, by its bits.
func constant(name string, size int, bits uint64) {
	for at := 0; at < 32; at += size {
		p("DATA %s<>+%d(SB)/%d, $0x%0*x", name, at, size, 2*size, bits)
	}
	p("GLOBL %s<>(SB), RODATA|NOPTR, $32", name)
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
type machine struct{ bytes int }

func (m machine) r(i int) string { return fmt.Sprintf("Y%d", i) }

func (m machine) half(i int) string { return fmt.Sprintf("X%d", i) }

// ins writes an instruction; rN in the operands stands for register N, hN for its lower half.
func (m machine) ins(op, operands string, args ...any) {
	operands = fmt.Sprintf(operands, args...)
	for i := 15; i >= 0; i-- {
		operands = strings.ReplaceAll(operands, fmt.Sprintf("r%d", i), m.r(i))
		operands = strings.ReplaceAll(operands, fmt.Sprintf("h%d", i), m.half(i))
	}
	p("\t%s %s", op, operands)
}

// loop writes the loop over 16 elements of four bytes an iteration, of which CX holds the number; body is called for
// each register's displacement.
func (m machine) loop(name string, pointers []string, body func(d int)) {
	p("\tPCALIGN $32")
	m.blocks(name, 4, pointers, body)
}

// blocks is loop for elements of size bytes, without alignment.
func (m machine) blocks(name string, size int, pointers []string, body func(d int)) {
	name = fmt.Sprintf("%s_loop%d", name, m.bytes*8)
	p("%s:", name)
	for d := 0; d < 16*size; d += m.bytes {
		body(d)
	}
	for _, r := range pointers {
		p("\tADDQ $%d, %s", 16*size, r)
	}
	p("\tSUBQ $16, CX")
	p("\tJNZ  %s", name)
}

// arguments loads arguments of 8 bytes, one behind the other from an offset on, into registers: NAME to REGISTER.
func (m machine) arguments(offset int, names ...string) {
	for i, name := range names {
		name, register, _ := strings.Cut(name, " ")
		p("\tMOVQ %s+%d(FP), %s", name, offset+8*i, register)
	}
}

// loadLanes and storeLanes move the 16-lane accumulator of numbers of size bytes, r8 and behind, from and to DX.
func (m machine) loadLanes(size int) {
	for d := 0; d < 16*size; d += m.bytes {
		p("\tVMOVUPS %d(DX), %s", d, m.lane(8, d))
	}
}

func (m machine) storeLanes(size int) {
	for d := 0; d < 16*size; d += m.bytes {
		p("\tVMOVUPS %s, %d(DX)", m.lane(8, d), d)
	}
}

// lanes returns the register of a 16-lane accumulator that displacement d uses.
func (m machine) lane(first, d int) string { return m.r(first + d/m.bytes) }

func (m machine) function(name string, size int, body func()) {
	p("\nTEXT ·%s%d(SB), NOSPLIT, $0-%d", name, m.bytes*8, size)
	body()
	p("\tVZEROUPPER")
	p("\tRET")
}

func (m machine) write() {
	pointers := []string{"AX", "BX", "SI"}

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
		m.ins("VPOR", "integer<>(SB), r1, r1")
		m.ins("VSUBPD", "bias<>(SB), r1, r1")
		m.ins("VSUBPD", "oned<>(SB), r0, r0")
		m.ins("VCVTPD2PSY", "r0, h4")
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
			m.arguments(0, "sum AX", "x BX", "stride R8", "weights SI", "rows R9", "n CX", "least DX")
			m.loadLanes(size)
			m.blocks(name, size, pointers[:2], func(d int) {
				rows := fmt.Sprintf("%s_rows%d_%d", name, d, m.bytes*8)
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
			})
			m.storeLanes(size)
		})
	}

	// divideRows(dst, num, den *float32, stride uintptr, rows, n int), and that of float64
	for _, size := range []int{4, 8} {
		name, packed, tiny := "divideRows", "PS", "tiny<>(SB)"
		if size == 8 {
			name, packed, tiny = "divideRowsd", "PD", "tinyd<>(SB)"
		}
		m.function(name, 48, func() {
			m.arguments(0, "dst AX", "num BX", "den SI", "stride R8", "rows R9", "n CX")
			m.blocks(name, size, pointers, func(d int) {
				rows := fmt.Sprintf("%s_rows%d_%d", name, d, m.bytes*8)
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
			})
		})
	}

	// power stores 2^r0, 0 where r0 is below r4, the least exponent; its correction is what is added to the fraction,
	// r1.
	power := func(d int, correction string) {
		m.ins("VMAXPS", "r4, r0, r1")
		m.ins("VMINPS", "high<>(SB), r1, r1")
		m.ins("VROUNDPS", "$8, r1, r2")
		m.ins("VSUBPS", "r2, r1, r1")
		if correction != "" {
			m.ins("VADDPS", correction)
		}
		m.ins("VCVTPS2DQ", "r2, r2")
		m.ins("VPSLLD", "$23, r2, r2")
		m.ins("VMOVUPS", "exp0<>(SB), r3")
		for i := 1; i < len(expPoly); i++ {
			m.ins("VFMADD213PS", "exp%d<>(SB), r1, r3", i)
		}
		m.ins("VPADDD", "r2, r3, r3")
		m.ins("VCMPPS", "$13, r4, r0, r0")
		m.ins("VPAND", "r0, r3, r3")
		m.ins("VMOVUPS", "r3, %d(AX)", d)
	}
	// exp2(dst, x *float32, n int)
	m.function("exp2", 24, func() {
		m.arguments(0, "dst AX", "x BX", "n CX")
		m.loop("exp2", pointers[:2], func(d int) {
			m.ins("VMOVUPS", "%d(BX), r0", d)
			m.ins("VMOVUPS", "low<>(SB), r4")
			power(d, "")
		})
	})

	// gibbs(dst, x *float32, high, low float32, n int): 2^(x·(high+low)), with the
	// product's rounding error carried along
	m.function("gibbs", 32, func() {
		m.arguments(0, "dst AX", "x BX")
		m.ins("VBROADCASTSS", "high+16(FP), r5")
		m.ins("VBROADCASTSS", "low+20(FP), r6")
		m.arguments(24, "n CX")
		m.loop("gibbs", pointers[:2], func(d int) {
			m.ins("VMOVUPS", "%d(BX), r7", d)
			m.ins("VMOVUPS", "low<>(SB), r4")
			m.ins("VMULPS", "r7, r5, r0")
			m.ins("VMOVAPS", "r0, r8")
			m.ins("VFMSUB231PS", "r7, r5, r8") // x·high − r0
			m.ins("VFMADD231PS", "r7, r6, r8")
			power(d, "r8, r1, r1")
		})
	})

	// divide(dst, num, den *float32, n int, least *float32)
	m.function("divide", 40, func() {
		m.arguments(0, "dst AX", "num BX", "den SI", "n CX", "least DX")
		m.loadLanes(4)
		m.ins("VPXOR", "r5, r5, r5")
		m.loop("divide", pointers, func(d int) {
			least := m.lane(8, d)
			m.ins("VMOVUPS", "%d(BX), r0", d)
			m.ins("VMOVUPS", "%d(SI), r1", d)
			m.ins("VCMPPS", "$0, r5, r0, r2")
			m.ins("VORPS", "r1, r2, r2")
			m.ins("VMINPS", "%s, r2, %s", least, least)
			m.ins("VMAXPS", "tiny<>(SB), r1, r1")
			m.ins("VDIVPS", "r1, r0, r0")
			m.ins("VMOVUPS", "r0, %d(AX)", d)
		})
		m.storeLanes(4)
	})

	// combine(dst, x *float32, alpha float32, y *float32, beta float32, n int)
	m.function("combine", 48, func() {
		m.arguments(0, "dst AX", "x BX")
		m.ins("VBROADCASTSS", "alpha+16(FP), r2")
		m.arguments(24, "y SI")
		m.ins("VBROADCASTSS", "beta+32(FP), r3")
		m.arguments(40, "n CX")
		m.loop("combine", pointers, func(d int) {
			m.ins("VMULPS", "%d(SI), r3, r0", d)
			m.ins("VFMADD231PS", "%d(BX), r2, r0", d)
			m.ins("VMOVUPS", "r0, %d(AX)", d)
		})
	})

	// dot(x, y *float32, n int, lanes *float32)
	m.function("dot", 32, func() {
		m.arguments(0, "x AX", "y BX", "n CX", "lanes DX")
		m.loadLanes(4)
		m.loop("dot", pointers[:2], func(d int) {
			m.ins("VMOVUPS", "%d(AX), r0", d)
			m.ins("VFMADD231PS", "%d(BX), r0, %s", d, m.lane(8, d))
		})
		m.storeLanes(4)
	})
	// relax(x, next *float32, more, third float32, words int): with l = min(x, next), h = max(x, next) and
	// c = max(l, tiny) + third·(h − l), x = next·((c + more·(h − x))/(c + more·(h − next))). Words have four bytes.
	for _, f := range []struct {
		name, packed, scalar, tiny string
		size                       int
	}{{"relax", "PS", "SS", "tiny<>(SB)", 4}, {"relaxd", "PD", "SD", "tinyd<>(SB)", 8}} {
		m.function(f.name, 24+2*f.size, func() {
			m.arguments(0, "x AX", "next BX")
			m.ins("VBROADCAST"+f.scalar, "more+16(FP), r5")
			m.ins("VBROADCAST"+f.scalar, "third+%d(FP), r6", 16+f.size)
			m.arguments(16+2*f.size, "words CX")
			m.loop(f.name, pointers[:2], func(d int) {
				m.ins("VMOVUPS", "%d(AX), r0", d)
				m.ins("VMOVUPS", "%d(BX), r1", d)
				m.ins("VMIN"+f.packed, "r0, r1, r3")
				m.ins("VMAX"+f.packed, "r0, r1, r4")
				m.ins("VSUB"+f.packed, "r3, r4, r2")
				m.ins("VMUL"+f.packed, "r2, r6, r2")
				m.ins("VMAX"+f.packed, "%s, r3, r3", f.tiny)
				m.ins("VADD"+f.packed, "r2, r3, r3")
				m.ins("VSUB"+f.packed, "r0, r4, r0")
				m.ins("VMUL"+f.packed, "r0, r5, r0")
				m.ins("VADD"+f.packed, "r0, r3, r0")
				m.ins("VSUB"+f.packed, "r1, r4, r4")
				m.ins("VMUL"+f.packed, "r4, r5, r4")
				m.ins("VADD"+f.packed, "r4, r3, r4")
				m.ins("VDIV"+f.packed, "r4, r0, r0")
				m.ins("VMUL"+f.packed, "r0, r1, r1")
				m.ins("VMOVUPS", "r1, %d(AX)", d)
			})
		})
	}
}

func main() {
	log.SetFlags(0)
	out.WriteString(
		"// Code generated by gen_vector.go. DO NOT EDIT.\n\n//go:build amd64 && !noasm\n\n#include \"textflag.h\"\n\n",
	)
	constant("tiny", 4, 0x00800000)
	constant("one", 4, 0x3f800000)
	constant("rootHalf", 4, 0x3f3504f3)
	constant("low", 4, 0xc2fc0000)  // −126
	constant("high", 4, 0x42fe0000) // 127
	constant("tinyd", 8, 0x0010000000000000)
	constant("oned", 8, 0x3ff0000000000000)
	constant("overRootHalf", 8, 0x3ff0000000000000-0x3fe6a09e667f3bcd) // 1 − √½, as integers
	constant("integer", 8, 0x4330000000000000)                         // 2^52: its last bits count units
	constant("bias", 8, 0x43300000000003ff)                            // 2^52 + 1023
	for i, c := range logPoly {
		constant(fmt.Sprintf("log%d", i), 4, uint64(c))
	}
	for i, c := range expPoly {
		constant(fmt.Sprintf("exp%d", i), 4, uint64(c))
	}
	machine{bytes: 32}.write()
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
