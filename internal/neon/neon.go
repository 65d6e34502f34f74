// Package neon writes assembly for arm64: what Go's assembler has no name for (most of the vector instructions on
// floating point) as words, each with the instruction in a comment, in the syntax of Arm and LLVM.
//
// Programs that generate kernels use it. Registers are numbers: n stands for the vector register vn, and for the
// pointer in Rn. bench/arm64/model.sh holds the comments against what a disassembler makes of the words.
package neon

import (
	"bytes"
	"fmt"
	"math"
)

// Shape is how many numbers a register has, and which.
type Shape string

const (
	S4 Shape = "4s" // four of 32 bits
	S2 Shape = "2s" // two of 32 bits, the upper half of the result is 0
	D2 Shape = "2d" // two of 64 bits
)

// An Assembler holds what is written.
type Assembler struct{ bytes.Buffer }

// Line writes an instruction, a label or a directive of Go's assembler.
func (a *Assembler) Line(format string, args ...any) {
	fmt.Fprintf(&a.Buffer, format+"\n", args...)
}

func (a *Assembler) word(word uint32, format string, args ...any) {
	a.Line("\tWORD $0x%08x // "+format, append([]any{word}, args...)...)
}

// Encodings with shape 4s; bit 22 is set for numbers of 64 bits.
var (
	three = map[string]uint32{
		"fmla": 0x4e20cc00, "fmls": 0x4ea0cc00, "fadd": 0x4e20d400, "fsub": 0x4ea0d400,
		"fmul": 0x6e20dc00, "fdiv": 0x6e20fc00,
		"fmax": 0x4e20f400, "fmin": 0x4ea0f400, "fmaxnm": 0x4e20c400, "fminnm": 0x4ea0c400,
		"fcmge": 0x6e20e400, "fcmgt": 0x6ea0e400, "faddp": 0x6e20d400, "fmaxp": 0x6e20f400, "frsqrts": 0x4ea0fc00,
		"add": 0x4ea08400, "sub": 0x6ea08400, "addp": 0x4ea0bc00,
	}
	two = map[string]uint32{
		"fneg": 0x6ea0f800, "fabs": 0x4ea0f800, "frsqrte": 0x6ea1d800, "fsqrt": 0x6ea1f800,
		"frintn": 0x4e218800, "fcvtns": 0x4e21a800, "scvtf": 0x4e21d800,
	}
	bitwise = map[string]uint32{
		"and": 0x4e201c00, "bic": 0x4e601c00, "orr": 0x4ea01c00, "eor": 0x6e201c00,
		"bsl": 0x6e601c00, "bit": 0x6ea01c00, "bif": 0x6ee01c00,
	}
)

func shaped(word uint32, s Shape) uint32 {
	switch s {
	case D2:
		return word | 1<<22
	case S2:
		return word &^ (1 << 30)
	}
	return word
}

func named(table map[string]uint32, op string) uint32 {
	word, ok := table[op]
	if !ok {
		panic("neon: unknown instruction " + op)
	}
	return word
}

// Three writes an instruction of three registers: d = n op m, or d = d ± n·m for fmla and fmls.
func (a *Assembler) Three(op string, s Shape, d, n, m int) {
	a.word(shaped(named(three, op), s)|uint32(m<<16|n<<5|d), "%s v%d.%s, v%d.%s, v%d.%s", op, d, s, n, s, m, s)
}

// Two writes an instruction of two registers: d = op n.
func (a *Assembler) Two(op string, s Shape, d, n int) {
	a.word(shaped(named(two, op), s)|uint32(n<<5|d), "%s v%d.%s, v%d.%s", op, d, s, n, s)
}

// Bits writes an instruction on all bits of three registers. bsl d = d ? n : m, bit d = m ? n : d, bif d = m ? d : n.
func (a *Assembler) Bits(op string, d, n, m int) {
	a.word(named(bitwise, op)|uint32(m<<16|n<<5|d), "%s v%d.16b, v%d.16b, v%d.16b", op, d, n, m)
}

// Move writes d = n.
func (a *Assembler) Move(d, n int) {
	a.word(named(bitwise, "orr")|uint32(n<<16|n<<5|d), "mov v%d.16b, v%d.16b", d, n)
}

// Constant writes d = a number, by its bits, in all parts; R15 is lost.
func (a *Assembler) Constant(s Shape, d int, bits uint64) {
	a.Line("\tMOVD $0x%x, R15", bits)
	if s == D2 {
		a.Line("\tVDUP R15, V%d.D2", d)
	} else {
		a.Line("\tVDUP R15, V%d.S4", d)
	}
}

// Float writes d = x in all four parts; R15 is lost.
func (a *Assembler) Float(d int, x float32) { a.Constant(S4, d, uint64(math.Float32bits(x))) }

// Arguments loads arguments of 8 bytes, one behind the other, into R0, R1, …
func (a *Assembler) Arguments(names ...string) {
	for i, name := range names {
		a.Line("\tMOVD %s+%d(FP), R%d", name, 8*i, i)
	}
}

// Sum4 adds the parts of d, those of either half first, into its first one; e is free.
func (a *Assembler) Sum4(d, e int) {
	a.Turn(e, d, d)
	a.Three("fadd", S4, d, d, e)
	a.Three("faddp", S4, d, d, d)
}

// Zero writes d = 0.
func (a *Assembler) Zero(d int) { a.word(0x6f00e400|uint32(d), "movi v%d.2d, #0000000000000000", d) }

// IsZero writes d = all ones where n is 0, zeros elsewhere.
func (a *Assembler) IsZero(s Shape, d, n int) {
	a.word(shaped(0x4ea0d800, s)|uint32(n<<5|d), "fcmeq v%d.%s, v%d.%s, #0.0", d, s, n, s)
}

// Element writes d = d + n·m[at], for fmla, or d = n·m[at], for fmul.
func (a *Assembler) Element(op string, s Shape, d, n, m, at int) {
	word := map[string]uint32{"fmla": 0x4f801000, "fmls": 0x4f805000, "fmul": 0x4f809000}[op]
	unit, index := "s", uint32(at&1<<21|at>>1<<11)
	if s == D2 {
		unit, index = "d", uint32(at<<11)
	}
	a.word(shaped(word, s)|index|uint32(m<<16|n<<5|d), "%s v%d.%s, v%d.%s, v%d.%s[%d]", op, d, s, n, s, m, unit, at)
}

// Spread writes d = n[at] in all parts.
func (a *Assembler) Spread(s Shape, d, n, at int) {
	unit, index := "s", uint32(at<<3|4)
	if s == D2 {
		unit, index = "d", uint32(at<<4|8)
	}
	a.word(0x4e000400|index<<16|uint32(n<<5|d), "dup v%d.%s, v%d.%s[%d]", d, s, n, unit, at)
}

// Shift writes d = n shifted by so many bits: shl, sshr or ushr.
func (a *Assembler) Shift(op string, s Shape, d, n, by int) {
	size := 32
	if s == D2 {
		size = 64
	}
	word, field := map[string]uint32{"shl": 0x4f005400, "sshr": 0x4f000400, "ushr": 0x6f000400}[op], 2*size-by
	if op == "shl" {
		field = size + by
	}
	a.word(word|uint32(field<<16|n<<5|d), "%s v%d.%s, v%d.%s, #%d", op, d, s, n, s, by)
}

// Turn writes d = the upper half of n and the lower half of m.
func (a *Assembler) Turn(d, n, m int) {
	a.word(0x6e004000|uint32(m<<16|n<<5|d), "ext v%d.16b, v%d.16b, v%d.16b, #8", d, n, m)
}

// Narrow writes the numbers of n and m, of 64 bits each, as four of 32 bits to d.
func (a *Assembler) Narrow(d, n, m int) {
	a.word(0x0e616800|uint32(n<<5|d), "fcvtn v%d.2s, v%d.2d", d, n)
	a.word(0x4e616800|uint32(m<<5|d), "fcvtn2 v%d.4s, v%d.2d", d, m)
}

// Widen writes the four numbers of n as two of 64 bits each to d and e; e is not n.
func (a *Assembler) Widen(d, e, n int) {
	a.word(0x4e617800|uint32(n<<5|e), "fcvtl2 v%d.2d, v%d.4s", e, n)
	a.word(0x0e617800|uint32(n<<5|d), "fcvtl v%d.2d, v%d.2s", d, n)
}

// Extend writes the 16 signed bytes of n, as numbers of 16 bits, to d and e; e is not n.
func (a *Assembler) Extend(d, e, n int) {
	a.word(0x4f08a400|uint32(n<<5|e), "sshll2 v%d.8h, v%d.16b, #0", e, n)
	a.word(0x0f08a400|uint32(n<<5|d), "sshll v%d.8h, v%d.8b, #0", d, n)
}

// Products adds the products of the eight numbers of 16 bits of n and m to the four of 32 bits of d and of e.
func (a *Assembler) Products(d, e, n, m int) {
	a.word(0x0e608000|uint32(m<<16|n<<5|d), "smlal v%d.4s, v%d.4h, v%d.4h", d, n, m)
	a.word(0x4e608000|uint32(m<<16|n<<5|e), "smlal2 v%d.4s, v%d.8h, v%d.8h", e, n, m)
}

// Load writes d = the 16 bytes at an offset behind a pointer, a multiple of 16.
func (a *Assembler) Load(d, pointer, offset int) {
	a.memory(0x3dc00000, "ldr q%d, [x%d%s]", d, pointer, offset, 16)
}

// Store writes d there.
func (a *Assembler) Store(d, pointer, offset int) {
	a.memory(0x3d800000, "str q%d, [x%d%s]", d, pointer, offset, 16)
}

// LoadOne writes d = the number at an offset, and zeros behind it.
func (a *Assembler) LoadOne(s Shape, d, pointer, offset int) {
	if s == D2 {
		a.memory(0xfd400000, "ldr d%d, [x%d%s]", d, pointer, offset, 8)
		return
	}
	a.memory(0xbd400000, "ldr s%d, [x%d%s]", d, pointer, offset, 4)
}

func (a *Assembler) memory(word uint32, format string, d, pointer, offset, unit int) {
	behind := ""
	if offset != 0 {
		behind = fmt.Sprintf(", #%d", offset)
	}
	if offset < 0 || offset%unit != 0 || offset/unit > 4095 {
		panic(fmt.Sprintf("neon: offset %d of %s", offset, format))
	}
	a.word(word|uint32(offset/unit<<10|pointer<<5|d), format, d, pointer, behind)
}

// LoadPair writes d and e = the 32 bytes at an offset behind a pointer, a multiple of 16 up to 1008.
func (a *Assembler) LoadPair(d, e, pointer, offset int) {
	a.pair(0xad400000, "ldp", d, e, pointer, offset)
}

// StorePair writes d and e there.
func (a *Assembler) StorePair(d, e, pointer, offset int) {
	a.pair(0xad000000, "stp", d, e, pointer, offset)
}

func (a *Assembler) pair(word uint32, op string, d, e, pointer, offset int) {
	behind := ""
	if offset != 0 {
		behind = fmt.Sprintf(", #%d", offset)
	}
	if offset < 0 || offset%16 != 0 || offset > 1008 {
		panic(fmt.Sprintf("neon: offset %d of a pair", offset))
	}
	a.word(word|uint32(offset/16<<15|e<<10|pointer<<5|d), "%s q%d, q%d, [x%d%s]", op, d, e, pointer, behind)
}

// LoadSpread writes d = the number at a pointer in all parts.
func (a *Assembler) LoadSpread(s Shape, d, pointer int) {
	size := uint32(2)
	if s == D2 {
		size = 3
	}
	a.word(0x4d40c000|size<<10|uint32(pointer<<5|d), "ld1r { v%d.%s }, [x%d]", d, s, pointer)
}

// LoadAt writes d = the 16 bytes where the pointer and the offset in Rm point to.
func (a *Assembler) LoadAt(d, pointer, m int) {
	a.word(0x3ce06800|uint32(m<<16|pointer<<5|d), "ldr q%d, [x%d, x%d]", d, pointer, m)
}

// LoadOneAt writes d = the number there, and zeros behind it.
func (a *Assembler) LoadOneAt(s Shape, d, pointer, m int) {
	word, name := uint32(0xbc606800), "s"
	if s == D2 {
		word, name = 0xfc606800, "d"
	}
	a.word(word|uint32(m<<16|pointer<<5|d), "ldr %s%d, [x%d, x%d]", name, d, pointer, m)
}

// Fetch asks for the cache line at an offset behind a pointer, a multiple of 8.
func (a *Assembler) Fetch(pointer, offset int) {
	a.memory(0xf9800000, "prfm pldl1keep, [x%[3]d%[4]s]", 0, pointer, offset, 8)
}
