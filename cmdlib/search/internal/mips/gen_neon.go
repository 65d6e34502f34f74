//go:build ignore

// This program writes kernel_arm64.s.
package main

import "contextmover/internal/neon"

// Four rows at a time, as for amd64: what each step reads of the query serves them all. Sums are of
// whole numbers, and so the same in any order. (SDOT would take the query in 8 bits; it has 16.)
func write(a *neon.Assembler) {
	a.Function("dotsNEON(sums *int32, rows *byte, query *int16, fours, stride, steps int)", 48, 6)
	a.Line("rows:")
	a.Zeros(0, 8)
	const first = 6 // R6 to R9 point to the rows
	a.Line("\tMOVD R1, R%d", first)
	for r := 1; r < 4; r++ {
		a.Line("\tADD R4, R%d, R%d", first+r-1, first+r)
	}
	a.Line("\tMOVD R2, R10")
	a.Line("\tMOVD R5, R11")
	a.Loop("step", 11, 1, func() { // 32 numbers
		a.LoadPair(16, 17, 10, 0)
		a.LoadPair(18, 19, 10, 32)
		a.Line("\tADD $64, R10")
		for r := range 4 {
			a.LoadPair(20, 21, first+r, 0)
			a.Extend(22, 23, 20)
			a.Extend(24, 25, 21)
			for i := range 4 {
				a.Products(r, 4+r, 22+i, 16+i)
			}
			a.Line("\tADD $32, R%d", first+r)
		}
	})
	for r := range 4 {
		a.Three("add", neon.S4, r, r, 4+r)
	}
	a.Three("addp", neon.S4, 0, 0, 1)
	a.Three("addp", neon.S4, 2, 2, 3)
	a.Three("addp", neon.S4, 0, 0, 2)
	a.Store(0, 0, 0)
	a.Line("\tADD $16, R0")
	a.Line("\tADD R4<<2, R1, R1")
	a.Line("\tSUBS $1, R3, R3")
	a.Line("\tBNE rows")
	a.Line("\tRET")
}

func main() { neon.Main("kernel_arm64.s", write) }
