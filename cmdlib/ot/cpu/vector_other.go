//go:build (!amd64 && !arm64) || noasm

package cpu

import "contextmover/cmdlib/internal/gemm"

// narrowVectors returns the loops of an instruction set for float32.
func narrowVectors(gemm.ISA) *vector[float32] { return plain[float32]() }

// wideVectors returns the loops of an instruction set for float64.
func wideVectors(gemm.ISA) *vector[float64] { return plain[float64]() }
