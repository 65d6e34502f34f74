// Package elementary has logarithms, exponentials and their like that give the same bits on every processor: those of
// Go's package math on amd64 (with FMA), where they are math's. Go's own differ by families of processors: some are
// assembly, some plain Go in which the compiler fuses products and sums.
//
// Where not amd64, they are math's in plain Go, with every product rounded, and its assembly for amd64 written as Go.
package elementary

import (
	"math"
	"runtime"
)

const native = runtime.GOARCH == "amd64"

// Exp returns eˣ.
func Exp(x float64) float64 {
	if native {
		return math.Exp(x)
	}
	return exp(x)
}

// Exp2 returns 2ˣ.
func Exp2(x float64) float64 {
	if native {
		return math.Exp2(x)
	}
	return exp2(x)
}

// Expm1 returns eˣ − 1.
func Expm1(x float64) float64 {
	if native {
		return math.Expm1(x)
	}
	return expm1(x)
}

// Log returns ln x.
func Log(x float64) float64 {
	if native {
		return math.Log(x)
	}
	return log(x)
}

// Log2 returns log₂ x.
func Log2(x float64) float64 {
	if native {
		return math.Log2(x)
	}
	return log2(x)
}

// Log10 returns log₁₀ x.
func Log10(x float64) float64 {
	if native {
		return math.Log10(x)
	}
	return log10(x)
}

// Log1p returns ln(1 + x).
func Log1p(x float64) float64 {
	if native {
		return math.Log1p(x)
	}
	return log1p(x)
}

// Pow returns xʸ.
func Pow(x, y float64) float64 {
	if native {
		return math.Pow(x, y)
	}
	return pow(x, y)
}

// Asin returns arcsin x.
func Asin(x float64) float64 {
	if native {
		return math.Asin(x)
	}
	return asin(x)
}

// Asinh returns arsinh x.
func Asinh(x float64) float64 {
	if native {
		return math.Asinh(x)
	}
	return asinh(x)
}

// Hypot returns √(x² + y²), without overflow.
func Hypot(x, y float64) float64 {
	if native {
		return math.Hypot(x, y)
	}
	return hypot(x, y)
}
