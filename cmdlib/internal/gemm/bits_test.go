package gemm

import (
	"math"
	"math/rand/v2"
	"testing"

	"contextmover/internal/golden"
)

// Products have the bits of the golden file with every instruction set, on amd64 and on arm64.
func TestBits(t *testing.T) {
	for _, isa := range Supported() {
		if isa == Go {
			continue
		}
		var bits golden.Bits
		addBits[float32](t, &bits, isa, "float32")
		addBits[float64](t, &bits, isa, "float64")
		bits.Check(t, "testdata/bits.txt")
	}
}

func addBits[T Float](t *testing.T, bits *golden.Bits, isa ISA, name string) {
	const rows, k, n = 23, 37, 83 // whole and partial tiles, panels and steps
	random := rand.New(rand.NewPCG(1, 2))
	numbers := func(n int) []T {
		x := make([]T, n)
		for i := range x {
			x[i] = T(math.Ldexp(random.Float64(), random.IntN(12)-6))
		}
		return x
	}
	b := PackFor(isa, Matrix[T]{Rows: k, Cols: n, Stride: n, Data: numbers(k * n)}, 0)
	a, num, c := numbers(rows*b.Padded), numbers(rows*b.Padded), numbers(rows*b.Padded)
	for i := range num {
		if i%5 == 0 {
			num[i] = 0
		}
	}
	b.MultiplyAdd(c, a, rows, b.Padded)
	bits.Add(t, name+" product", c)
	least := make([]T, rows*lanes)
	resetLeast(least)
	b.Quotient(Operands[T]{C: c, A: a, Num: num, Rows: rows, Stride: b.Padded, Least: least, Add: true})
	bits.Add(t, name+" quotient", c)
	bits.Add(t, name+" least", least)
}

// resetLeast fills the rows of least with +Inf, as Packed.Quotient expects.
func resetLeast[T Float](least []T) {
	for i := range least {
		least[i] = T(math.Inf(1))
	}
}
