//go:build !noasm

package timings

//go:noescape
func spinNEON(n int)

// spin runs n rounds of fused multiply-adds of float32 on registers and returns how many floating-point operations
// these are.
func spin(n int) float64 {
	spinNEON(n)
	return float64(n * 24 * 4 * 2)
}
