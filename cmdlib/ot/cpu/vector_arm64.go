//go:build !noasm

package cpu

// assemble has nothing to add on arm64.
func assemble(*vector[float64]) {}
