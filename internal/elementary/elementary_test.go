package elementary

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"contextmover/internal/golden"
)

var functions = []struct {
	name      string
	plain     func(float64) float64 // what is computed where not amd64
	own       func(float64) float64 // Go's
	exported  func(float64) float64
	low, high float64 // where they tell, besides all exponents
}{
	{"exp", exp, math.Exp, Exp, -750, 710},
	{"exp2", exp2, math.Exp2, Exp2, -1080, 1030},
	{"expm1", expm1, math.Expm1, Expm1, -5, 5},
	{"log", log, math.Log, Log, 0.5, 2},
	{"log2", log2, math.Log2, Log2, 0.5, 2},
	{"log10", log10, math.Log10, Log10, 0.5, 2},
	{"log1p", log1p, math.Log1p, Log1p, -1, 1},
	{"asin", asin, math.Asin, Asin, -1, 1},
	{"asinh", asinh, math.Asinh, Asinh, -5, 5},
}

// arguments are numbers of all exponents, and many where a function tells.
func arguments(low, high float64) []float64 {
	random := rand.New(rand.NewPCG(1, 1))
	x := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64}
	x = append(x, 5e-324, 1e-310)
	for range 200_000 {
		x = append(x, low+float64((high-low)*random.Float64()), math.Float64frombits(random.Uint64()))
	}
	return x
}

func same(x, y float64) bool {
	return math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y)
}

// On amd64 the plain functions have the bits of Go's.
func TestPlainFunctionsAreThoseOfAMD64(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		return // there TestBits tells
	}
	for _, f := range functions {
		wrong := 0
		for _, x := range arguments(f.low, f.high) {
			if got, want := f.plain(x), f.own(x); !same(got, want) {
				if wrong++; wrong <= 3 {
					t.Errorf("%s of %v is %v, Go's %v", f.name, x, got, want)
				}
			}
		}
	}
	random := rand.New(rand.NewPCG(2, 1))
	for range 100_000 {
		x, y := float64(20*random.Float64()), float64(80*random.Float64())-40
		if got, want := pow(x, y), math.Pow(x, y); !same(got, want) {
			t.Fatalf("%v to the power %v is %v, Go's %v", x, y, got, want)
		}
		if got, want := hypot(x, y), math.Hypot(x, y); !same(got, want) {
			t.Fatalf("hypot(%v, %v) is %v, Go's %v", x, y, got, want)
		}
	}
}

// All functions have the bits of the golden file, on every processor.
func TestBits(t *testing.T) {
	var bits golden.Bits
	for _, f := range functions {
		var values []float64
		for _, x := range arguments(f.low, f.high) {
			if y := f.exported(x); !math.IsNaN(y) { // which NaN it is differs
				values = append(values, y)
			}
		}
		bits.Add(t, f.name, values)
	}
	random := rand.New(rand.NewPCG(2, 2))
	var powers, lengths []float64
	for range 20_000 {
		x, y := float64(20*random.Float64()), float64(80*random.Float64())-40
		powers, lengths = append(powers, Pow(x, y)), append(lengths, Hypot(x, y))
	}
	bits.Add(t, "pow", powers)
	bits.Add(t, "hypot", lengths)
	bits.Check(t, "testdata/bits.txt")
}
