//go:build ignore

// This program writes kernel_arm64.s.
package main

import "contextmover/internal/neon"

// Every sum is as in the kernels for amd64: of products that are exact in float64, so that it does not matter whether they
// are fused with the addition.
func write(a *neon.Assembler) {
	kernel := func(name string, y func(), x func(r int)) {
		a.Function(name+"(s *sums, x, y *float32, n int)", 32, 4)
		a.Zeros(0, 16)
		a.Loop(name, 3, 1, func() {
			a.LoadPair(16, 17, 2, 0)
			a.Load(18, 1, 0)
			y()
			for r := range 4 {
				a.Spread(neon.S4, 19, 18, r)
				x(r)
			}
			a.Advance(16, 1)
			a.Advance(32, 2)
		})
		for v := 0; v < 16; v += 2 {
			a.StorePair(v, v+1, 0, 16*v)
		}
		a.Line("\tRET")
	}
	kernel("squaresNEON", func() {}, func(r int) {
		a.Three("fsub", neon.S4, 20, 19, 16)
		a.Three("fsub", neon.S4, 21, 19, 17)
		a.Widen(22, 23, 20)
		a.Widen(24, 25, 21)
		for v := range 4 {
			a.Three("fmla", neon.D2, 4*r+v, 22+v, 22+v)
		}
	})
	kernel("productsNEON", func() {
		a.Widen(20, 21, 16)
		a.Widen(22, 23, 17)
	}, func(r int) {
		a.Widen(24, 25, 19)
		for v := range 4 {
			a.Three("fmla", neon.D2, 4*r+v, 20+v, 24)
		}
	})
}

func main() { neon.Main("kernel_arm64.s", write) }
