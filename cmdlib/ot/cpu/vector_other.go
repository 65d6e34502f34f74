//go:build !amd64 || noasm

package cpu

import "contextmover/cmdlib/internal/sgemm"

// vectors returns the loops for an instruction set.
func vectors(sgemm.ISA) *vector { return &plain }
