//go:build ignore

// This program writes kernels_amd64.s and kernels_arm64.s: the same operations on each component as those of plain, so
// that all have the same bits.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"contextmover/internal/neon"
)

// A machine writes loops over blocks of 16 components for one family of vector registers. Pointers and registers are
// numbers; parts of a block are written one after the other.
type machine interface {
	begin(name string, frame int, pointers []string, scalars map[int]string)
	load(d, pointer, offset int)
	store(d, pointer, offset int)
	op(name string, d, a, b int) // d = a op b
	constant(d int, x float32)
	parts(body func())             // body for each part of a row
	loop(steps []int, body func()) // parts for each block; pointers move on by steps
	end()
	sum(of int) int // the register that keeps a sum, one of three, of this part
}

// The last argument of every kernel is the number of blocks.
type amd64 struct {
	out   *strings.Builder
	reg   string
	bytes int
	part  int
	name  string
}

var pointerNames = []string{"AX", "BX", "SI", "DI", "R8"}

func (m *amd64) line(format string, args ...any) { fmt.Fprintf(m.out, format+"\n", args...) }

func (m *amd64) begin(name string, frame int, pointers []string, scalars map[int]string) {
	m.name = fmt.Sprintf("%s%d", name, 8*m.bytes)
	m.line("\nTEXT ·%s(SB), NOSPLIT, $0-%d", m.name, frame)
	for i, p := range pointers {
		m.line("\tMOVQ %s, %s", p, pointerNames[i])
	}
	for _, d := range sorted(scalars) {
		m.line("\tVBROADCASTSS %s, %s%d", scalars[d], m.reg, d)
	}
	m.line("\tMOVQ blocks+%d(FP), CX", frame-8)
}

func (m *amd64) load(d, pointer, offset int) {
	m.line("\tVMOVUPS %d(%s), %s%d", offset+m.part*m.bytes, pointerNames[pointer], m.reg, d)
}

func (m *amd64) store(d, pointer, offset int) {
	m.line("\tVMOVUPS %s%d, %d(%s)", m.reg, d, offset+m.part*m.bytes, pointerNames[pointer])
}

func (m *amd64) op(name string, d, a, b int) {
	m.line("\tV%sPS %s%d, %s%d, %s%d", strings.ToUpper(name), m.reg, b, m.reg, a, m.reg, d)
}

func (m *amd64) constant(d int, x float32) {
	m.line("\tVBROADCASTSS constant%v<>(SB), %s%d", strings.ReplaceAll(fmt.Sprint(x), ".", "_"), m.reg, d)
}

func (m *amd64) sum(of int) int { return 3*m.part + of }

func (m *amd64) parts(body func()) {
	for m.part = 0; m.part*m.bytes < 64; m.part++ {
		body()
	}
}

func (m *amd64) loop(steps []int, body func()) {
	m.line("\tPCALIGN $32")
	m.line("%s_block:", m.name)
	m.parts(body)
	for i, step := range steps {
		m.line("\tADDQ $%d, %s", step, pointerNames[i])
	}
	m.line("\tDECQ CX")
	m.line("\tJNZ %s_block", m.name)
}

func (m *amd64) end() {
	m.line("\tVZEROUPPER")
	m.line("\tRET")
}

type arm64 struct {
	neon.Assembler
	part int
	name string
}

func (m *arm64) begin(name string, frame int, pointers []string, scalars map[int]string) {
	m.name = name + "NEON"
	m.Line("\nTEXT ·%s(SB), NOSPLIT, $0-%d", m.name, frame)
	for i, p := range pointers {
		m.Line("\tMOVD %s, R%d", p, i)
	}
	for _, d := range sorted(scalars) {
		m.Line("\tFMOVS %s, F%d", scalars[d], d)
		m.Spread(neon.S4, d, d, 0)
	}
	m.Line("\tMOVD blocks+%d(FP), R10", frame-8)
}

func (m *arm64) load(d, pointer, offset int)  { m.Load(d, pointer, offset+16*m.part) }
func (m *arm64) store(d, pointer, offset int) { m.Store(d, pointer, offset+16*m.part) }
func (m *arm64) op(name string, d, a, b int)  { m.Three("f"+name, neon.S4, d, a, b) }
func (m *arm64) constant(d int, x float32)    { m.Float(d, x) }

func (m *arm64) sum(of int) int { return 16 + 3*m.part + of }

func (m *arm64) parts(body func()) {
	for m.part = range 4 {
		body()
	}
}

func (m *arm64) loop(steps []int, body func()) {
	m.Line("\tPCALIGN $32")
	m.Line("%s_block:", m.name)
	m.parts(body)
	for i, step := range steps {
		m.Line("\tADD $%d, R%d", step, i)
	}
	m.Line("\tSUBS $1, R10, R10")
	m.Line("\tBNE %s_block", m.name)
}

func (m *arm64) end() { m.Line("\tRET") }

func sorted(m map[int]string) (keys []int) {
	for i := range 32 {
		if m[i] != "" {
			keys = append(keys, i)
		}
	}
	return keys
}

// Bytes of a row of a block, of a word's block, of those of terms and gradients.
const row, word, terms, gradients = 64, 128, 4 * 64, 12 * 64

func write(m machine) {
	const one, half, zero = 15, 14, 13
	three := []string{"x+0(FP)", "y+8(FP)", "z+16(FP)", "to+24(FP)"}
	for _, kl := range []bool{true, false} {
		name := map[bool]string{true: "KL", false: "EL"}[kl]
		m.begin("terms"+name, 40, three, nil)
		m.constant(one, 1)
		m.loop([]int{word, word, word, terms}, func() {
			m.load(0, 0, 0)
			m.load(1, 0, row)
			if kl {
				m.op("div", 1, one, 1)
			}
			for context := range 2 {
				m.load(2, 1+context, 0)
				m.load(3, 1+context, row)
				m.op("sub", 2, 0, 2)
				m.op("mul", 2, 2, 2)
				if kl {
					m.op("mul", 2, 2, 1)
					m.op("mul", 3, 3, 1)
					m.op("sub", 4, 3, one)
					m.op("add", 2, 4, 2)
				} else {
					m.op("add", 3, 1, 3)
					m.op("div", 2, 2, 3)
				}
				m.store(2, 3, row*2*context)
				m.store(3, 3, row*(2*context+1))
			}
		})
		m.end()

		m.begin("gradients"+name, 40, three, nil)
		m.constant(one, 1)
		m.constant(half, 0.5)
		m.op("sub", zero, one, one)
		m.loop([]int{word, word, word, gradients}, func() {
			keep := func(register, at int) {
				m.store(register, 3, row*at)
				m.op("mul", register, register, register)
				m.store(register, 3, row*(6+at))
			}
			m.load(0, 0, 0)
			m.load(1, 0, row)
			if kl {
				m.op("div", 1, one, 1)
			}
			for context := range 2 {
				d, v := 2+4*context, 3+4*context
				inverse, ofContext := 1, 4+4*context
				m.load(d, 1+context, 0)
				m.load(v, 1+context, row)
				m.op("sub", d, 0, d)
				if kl {
					m.op("div", ofContext, one, v)
					m.op("sub", ofContext, ofContext, 1)
					m.op("mul", ofContext, half, ofContext)
					m.op("mul", v, v, 1)
					m.op("mul", v, v, 1)
				} else {
					inverse = 10
					m.op("add", v, 1, v)
					m.op("div", inverse, one, v)
				}
				m.op("mul", d, d, inverse)
				m.op("mul", 11, d, d)
				if kl {
					m.op("add", v, v, 11)
					m.op("sub", v, v, inverse)
				} else {
					m.op("sub", v, 11, inverse)
				}
				m.op("mul", v, half, v)
				if !kl {
					m.op("add", ofContext, v, zero)
				}
			}
			m.op("sub", 0, zero, 2)
			m.op("add", 0, 0, 6)
			m.op("add", 1, zero, 3)
			m.op("sub", 1, 1, 7)
			keep(0, 0)
			keep(1, 1)
			keep(2, 2)
			keep(4, 3)
			m.op("sub", 6, zero, 6)
			m.op("sub", 8, zero, 8)
			keep(6, 4)
			keep(8, 5)
		})
		m.end()
	}

	const scale, least, greatest = 13, 14, 15
	m.begin("moveMean", 40, []string{"x+0(FP)", "gradient+8(FP)", "squares+24(FP)"},
		map[int]string{scale: "scale+16(FP)"})
	m.loop([]int{word, gradients, row}, func() {
		m.load(0, 0, 0)
		m.load(1, 1, 0)
		m.op("mul", 1, scale, 1)
		m.op("add", 0, 0, 1)
		m.store(0, 0, 0)
		m.op("mul", 0, 0, 0)
		m.store(0, 2, 0)
	})
	m.end()

	m.begin("moveVariance", 40, []string{"x+0(FP)", "gradient+8(FP)"},
		map[int]string{scale: "scale+16(FP)", least: "least+20(FP)", greatest: "greatest+24(FP)"})
	m.loop([]int{word, gradients}, func() {
		m.load(0, 0, row)
		m.load(1, 1, 0)
		m.op("mul", 1, scale, 1)
		m.op("add", 0, 0, 1)
		m.op("max", 0, least, 0) // what is no number stays so
		m.op("min", 0, greatest, 0)
		m.store(0, 0, row)
	})
	m.end()

	// Of spherical distributions: what the means of word, context and negative move along is in rows of sums, and
	// x is the word's mean.
	const x, ofWord, ofContext, ofNegative, a, b, rates = 6, 7, 8, 9, 10, 11, 12
	square := func(of, d int) {
		m.op("mul", d, d, d)
		m.op("add", m.sum(of), m.sum(of), d)
	}
	spherical := func(name string, frame int, scalars map[int]string, then func()) {
		m.begin(name, frame, []string{"x+0(FP)", "y+8(FP)", "z+16(FP)", "sums+24(FP)"}, scalars)
		m.constant(x, 1)
		m.parts(func() {
			for of := range 3 {
				m.op("sub", m.sum(of), x, x)
			}
		})
		m.loop([]int{word, word, word, 0}, func() {
			m.load(x, 0, 0)
			m.load(ofContext, 1, 0)
			m.load(ofNegative, 2, 0)
			m.op("sub", ofContext, x, ofContext)
			m.op("mul", ofContext, ofContext, a)
			m.op("sub", ofNegative, ofNegative, x)
			m.op("mul", ofNegative, ofNegative, b)
			m.op("add", ofWord, ofContext, ofNegative)
			then()
		})
		m.parts(func() {
			for of := range 3 {
				m.store(m.sum(of), 3, row*of)
			}
		})
		m.end()
	}
	spherical("squares", 48, map[int]string{a: "a+32(FP)", b: "b+36(FP)"}, func() {
		for of := range 3 {
			square(of, ofWord+of)
		}
	})
	spherical("moveSpherical", 64, map[int]string{
		a: "a+32(FP)", b: "b+36(FP)", rates: "ofX+40(FP)", rates + 1: "ofY+44(FP)", rates + 2: "ofZ+48(FP)",
	}, func() {
		for of, add := range []string{"sub", "add", "add"} {
			m.load(x, of, 0)
			m.op("mul", ofWord+of, ofWord+of, rates+of)
			m.op(add, x, x, ofWord+of)
			m.store(x, of, 0)
			square(of, x)
		}
	})

	m.begin("scale", 24, []string{"x+0(FP)"}, map[int]string{scale: "by+8(FP)"})
	m.loop([]int{word}, func() {
		m.load(0, 0, 0)
		m.op("mul", 0, 0, scale)
		m.store(0, 0, 0)
	})
	m.end()
}

func main() {
	log.SetFlags(0)
	folder := "."
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	const head = "// Code generated by gen_kernels.go. DO NOT EDIT.\n\n//go:build !noasm\n\n#include \"textflag.h\"\n"
	out := &strings.Builder{}
	out.WriteString(head)
	out.WriteString("\nDATA constant1<>+0(SB)/4, $1.0\nGLOBL constant1<>(SB), RODATA|NOPTR, $4\n")
	out.WriteString("DATA constant0_5<>+0(SB)/4, $0.5\nGLOBL constant0_5<>(SB), RODATA|NOPTR, $4\n")
	write(&amd64{out: out, reg: "Z", bytes: 64})
	write(&amd64{out: out, reg: "Y", bytes: 32})
	arm := &arm64{}
	arm.WriteString(head)
	write(arm)
	for name, text := range map[string][]byte{"kernels_amd64.s": []byte(out.String()), "kernels_arm64.s": arm.Bytes()} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
