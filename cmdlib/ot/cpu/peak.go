package cpu

import (
	"runtime"

	"contextmover/cmdlib/internal/gemm"
)

// Peak measures the float32 speed that this machine can reach with GOMAXPROCS
// threads, in GFLOP/s: the faster of a register-only loop of fused multiply-adds
// and of the best matrix product. It takes about a tenth of a second. Speeds of
// the engine are worth comparing with a peak of the same second.
func Peak() float64 { return gemm.Peak(runtime.GOMAXPROCS(0)) }
