//go:build ignore

// This program writes kernels_arm64.s.
package main

import "contextmover/internal/neon"

// Every sum is the sequence of fused multiply-adds of the kernels for amd64.
func write(a *neon.Assembler) {
	// The 64 sums stay in v0–v15 over all n entries.
	a.Function("stripSumNEON(y, x *float32, index *int32, value *float32, n int)", 40, 5)
	a.Zeros(0, 16)
	a.Loop("entry", 4, 1, func() {
		a.Line("\tMOVW.P 4(R2), R5")
		a.LoadOne(neon.S4, 16, 3, 0)
		a.Line("\tADD R5<<8, R1, R6")
		a.Line("\tADD $4, R3")
		for i := 0; i < 16; i += 2 {
			x := 24 + i%8
			a.LoadPair(x, x+1, 6, 16*i)
			a.Element("fmla", neon.S4, i, x, 16, 0)
			a.Element("fmla", neon.S4, i+1, x+1, 16, 0)
		}
	})
	for i := 0; i < 16; i += 2 {
		a.StorePair(i, i+1, 0, 16*i)
	}
	a.Line("\tRET")

	// 4 columns of panel a and the 8 of panel b.
	a.Function("halfPanelNEON(sum *float64, stride int, a, b *float64, rows int)", 40, 5)
	sums := func(do func(d, e, pointer, offset int)) {
		a.Line("\tMOVD R0, R5")
		for r := range 4 {
			for v := 0; v < 4; v += 2 {
				do(4*r+v, 4*r+v+1, 5, 16*v)
			}
			if r < 3 {
				a.Line("\tADD R1<<3, R5, R5")
			}
		}
	}
	sums(a.LoadPair)
	a.Loop("row", 4, 1, func() {
		a.LoadPair(20, 21, 2, 0)
		a.LoadPair(16, 17, 3, 0)
		a.LoadPair(18, 19, 3, 32)
		for r := range 4 {
			for v := range 4 {
				a.Element("fmla", neon.D2, 4*r+v, 16+v, 20+r/2, r%2)
			}
		}
		a.Advance(64, 2, 3)
	})
	sums(a.StorePair)
	a.Line("\tRET")
}

func main() { neon.Main("kernels_arm64.s", write) }
