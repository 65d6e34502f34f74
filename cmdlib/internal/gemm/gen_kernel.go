//go:build ignore

// This program writes kernel_amd64.s and, with gen_neon.go, kernel_arm64.s: the tile kernels for
// AVX-512 (up to 14 rows of 32 or 16 columns of float32, or 16 of float64) and AVX2 with FMA (up to 6
// rows of 16 columns of float32, or 8 of float64), and one for a row of several panels.
//
// Both instruction sets compute an element of the product as the same sequence of
// fused multiply-adds over k, so they agree in every bit.
package main

import (
	"fmt"

	"contextmover/internal/vectorasm"
)

// bases hold the addresses of rows 0, 4, 8 and 12 of A.
var bases = []string{"AX", "BX", "DX", "DI"}

// row is the address of row r of A: R8 is one stride, R9 three.
func row(r int) string {
	return fmt.Sprintf("(%s)%s", bases[r/4], []string{"", "(R8*1)", "(R8*2)", "(R9*1)"}[r%4])
}

// A family is the tile kernel for one width of vectors and one type of element.
type family struct {
	*vectorasm.File
	name string
	reg  string // of vectors: Z for AVX-512, Y for AVX2
	size int    // of an element, in bytes
	// rows of the largest tile, and vectors in a row; their sums fill the first registers.
	rows, vectors int
}

func (f family) avx512() bool   { return f.reg == "Z" }
func (f family) vec() int       { return map[string]int{"Z": 64, "Y": 32}[f.reg] }
func (f family) packed() string { return map[int]string{4: "PS", 8: "PD"}[f.size] }

// sum is the register of the sum in vector v of row r, spare(0), spare(1), … are the registers behind all sums.
func (f family) sum(r, v int) string { return fmt.Sprintf("%s%d", f.reg, r*f.vectors+v) }
func (f family) spare(i int) string  { return fmt.Sprintf("%s%d", f.reg, f.rows*f.vectors+i) }

func (f family) zero(register string) {
	op := "VXORPS"
	if f.avx512() {
		op = "VPXORD"
	}
	f.Code("%s %[2]s, %[2]s, %[2]s", op, register)
}

// eachRow writes move, of a place in memory and a sum, for the first DX rows of C, the first of which R10 points to. It
// goes on at the label end.
func (f family) eachRow(move, end string) {
	f.Code("MOVQ R10, BX")
	for r := range f.rows {
		for v := range f.vectors {
			f.Code(move, fmt.Sprintf("%d(BX)", v*f.vec()), f.sum(r, v))
		}
		if r+1 < f.rows {
			f.Code("CMPQ DX, $%d\nJEQ  %s_%s\nADDQ R11, BX", r+1, f.name, end)
		}
	}
	f.Code("%s_%s:", f.name, end)
}

// begin writes what comes before the loop over k: sums begin with zero, or with C.
// R13 keeps the number of rows.
func (f family) begin() {
	f.Code("MOVQ DX, R13")
	for r := range f.rows {
		for v := range f.vectors {
			f.zero(f.sum(r, v))
		}
	}
	f.Code("TESTQ $1, DI // flagAdd\nJZ   %s_ready", f.name)
	f.eachRow("VMOVUPS %s, %s", "ready")
	f.Code("TESTQ CX, CX\nJZ   %s_done", f.name)
}

// heights writes the loops over the CX > 0 steps of k for least up to f.rows rows, and jumps to that for count.
func (f family) heights(rows, count string, least int, step func(n int)) {
	for n := f.rows; n > least; n-- {
		f.Code("CMPQ %s, $%d\nJEQ  %s_%s%[2]d", count, n, f.name, rows)
	}
	for n := least; n <= f.rows; n++ {
		f.Code("PCALIGN $64\n%s_%s%d:", f.name, rows, n)
		step(n)
		f.Code("DECQ CX\nJNZ  %s_%s%d\nJMP  %[1]s_done", f.name, rows, n)
	}
}

// tile writes the kernel for up to f.rows rows. Heights differ in the loop over k alone, of which each has its own.
func (f family) tile() {
	f.Begin(f.name, 8)
	f.Code(`
		MOVQ t+0(FP), R12
		MOVQ 0(R12), AX   // a
		MOVQ 8(R12), R8   // strideA
		MOVQ 16(R12), SI  // b
		MOVQ 24(R12), CX  // k
		MOVQ 32(R12), R10 // c
		MOVQ 40(R12), R11 // strideC
		MOVQ 64(R12), DX  // rows
		MOVQ 72(R12), DI  // flags`)
	f.begin()
	f.Code("LEAQ (R8)(R8*2), R9\nLEAQ (AX)(R8*4), BX")
	if f.rows > 8 {
		f.Code("LEAQ (AX)(R8*8), DX\nLEAQ (DX)(R8*4), DI")
	}
	scalar := map[int]string{4: "SS", 8: "SD"}[f.size]
	f.heights("rows", "R13", 1, func(rows int) {
		for v := range f.vectors {
			f.Code("VMOVUPS %d(SI), %s", v*f.vec(), f.spare(v))
		}
		for i := range rows {
			if f.vectors == 1 {
				f.Code("VFMADD231%s.BCST %s, %s, %s", f.packed(), row(i), f.spare(0), f.sum(i, 0))
				continue
			}
			a := f.spare(2 + i%2)
			f.Code("VBROADCAST%s %s, %s", scalar, row(i), a)
			for v := range f.vectors {
				f.Code("VFMADD231%s %s, %s, %s", f.packed(), f.spare(v), a, f.sum(i, v))
			}
		}
		f.Code("ADDQ $%d, SI", f.vectors*f.vec())
		for i := 0; i < rows; i += 4 {
			f.Code("ADDQ $%d, %s", f.size, bases[i/4])
		}
	})
	f.finish(16 * f.size)
}

// strip writes the AVX2 kernel of one row of float32 and several panels of two vectors, which add side by side: one
// panel alone would wait for each of its additions. The panels begin strideB bytes apart. AVX-512 would gain nothing:
// one row of it waits for the cache. Panels are to a strip what rows are to a tile.
func (f family) strip() {
	f.Begin(f.name, 8)
	f.Code(`
		MOVQ t+0(FP), R12
		MOVQ 0(R12), AX   // a
		MOVQ 80(R12), R8  // strideB
		MOVQ 16(R12), SI  // b
		MOVQ 24(R12), CX  // k
		MOVQ 32(R12), R10 // c
		MOVQ 64(R12), DX  // rows
		MOVQ 72(R12), DI  // flags
		MOVQ $%d, R11`, f.vectors*f.vec())
	f.begin()
	f.Code("LEAQ (SI)(R8*2), BX")
	f.heights("panels", "DX", 2, func(panels int) {
		f.Code("VBROADCASTSS (AX), %s", f.spare(0))
		for i, from := range []string{"(SI)", "(SI)(R8*1)", "(BX)", "(BX)(R8*1)"}[:panels] {
			for v := range f.vectors {
				f.Code("VFMADD231PS %d%s, %s, %s", v*f.vec(), from, f.spare(0), f.sum(i, v))
			}
		}
		f.Code("ADDQ $%d, SI\nADDQ $%[1]d, BX\nADDQ $%d, AX", f.vectors*f.vec(), f.size)
	})
	f.finish(0)
}

// finish writes what comes after the loop over k: the sums of DX rows are stored, and where there are numerators,
// quotients take their place. The least divisors of a row are leastStride bytes behind those of the row before.
func (f family) finish(leastStride int) {
	f.Code("%s_done:\nMOVQ R13, DX", f.name)
	f.eachRow("VMOVUPS %[2]s, %[1]s", "stored")
	f.Code(`
		MOVQ 72(R12), DI // flags
		TESTQ $2, DI     // flagDivide
		JZ   %s_end
		MOVQ 56(R12), R13 // least
		MOVQ 48(R12), R12 // num`, f.name)
	tiny := map[int]string{4: "tiny<>(SB)", 8: "tinyd<>(SB)"}[f.size]
	f.zero(f.reg + "4")
	f.Code("%s_divide:", f.name)
	least := `
		VCMP%[2]s $0, %[1]s4, %[1]s1, %[1]s3
		VORPS %[1]s0, %[1]s3, %[1]s3
		VMIN%[2]s %[1]s2, %[1]s3, %[1]s2`
	if f.avx512() {
		least = `
		VCMP%[2]s $4, %[1]s4, %[1]s1, K1
		VMIN%[2]s %[1]s0, %[1]s2, K1, %[1]s2`
	}
	for v := range f.vectors {
		// Vector 0 of the quotients, 1 of the numerators, 2 of the least divisors.
		f.Code(`
			VMOVUPS %[3]d(R10), %[1]s0
			VMOVUPS %[3]d(R12), %[1]s1
			VMOVUPS %[4]d(R13), %[1]s2
			`+least+`
			VMOVUPS %[1]s2, %[4]d(R13)
			VMAX%[2]s %[5]s, %[1]s0, %[1]s0
			VDIV%[2]s %[1]s0, %[1]s1, %[1]s0
			VMOVUPS %[1]s0, %[3]d(R10)`, f.reg, f.packed(), v*f.vec(), v*f.vec()%(16*f.size), tiny)
	}
	f.Code("ADDQ R11, R10\nADDQ R11, R12")
	if leastStride > 0 {
		f.Code("ADDQ $%d, R13", leastStride)
	}
	f.Code("DECQ DX\nJNZ  %s_divide\n%[1]s_end:\nVZEROUPPER\nRET", f.name)
}

func write(f *vectorasm.File) {
	f.WriteString("\n// The smallest normal float32: what a divisor is raised to.\n")
	f.Data("tiny", 64, 4, 0x00800000)
	f.WriteString("\n// The smallest normal float64.\n")
	f.Data("tinyd", 64, 8, 0x0010000000000000)
	for _, t := range []family{
		{f, "tile512x32", "Z", 4, 14, 2}, {f, "tile512x16", "Z", 4, 14, 1}, {f, "tile256x16", "Y", 4, 6, 2},
		{f, "tile512x16d", "Z", 8, 14, 2}, {f, "tile256x8d", "Y", 8, 6, 2},
	} {
		t.tile()
	}
	family{f, "strip256", "Y", 4, 4, 2}.strip()
}

func main() {
	vectorasm.Main("gen_kernel.go", "kernel_amd64.s", "amd64 && !noasm", write)
	vectorasm.Main("gen_kernel.go", "kernel_arm64.s", "!noasm", writeNEON)
}
