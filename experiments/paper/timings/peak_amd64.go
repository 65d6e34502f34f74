//go:build !noasm

package timings

import "contextmover/internal/system"

//go:noescape
func spin512(n int)

//go:noescape
func spin256(n int)

// spin runs n rounds of fused multiply-adds of float32 on registers and returns how many floating-point operations
// these are, 0 on processors without such instructions.
func spin(n int) float64 {
	switch {
	case system.AVX512:
		spin512(n)
		return float64(n) * 24 * 16 * 2
	case system.AVX2:
		spin256(n)
		return float64(n) * 12 * 8 * 2
	}
	return 0
}
