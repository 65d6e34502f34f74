package timings

import (
	"context"
	"runtime"
	"time"

	"gonum.org/v1/gonum/floats"

	"contextmover/internal/parallel"
)

// peak measures the float32 speed that this machine can reach with GOMAXPROCS threads, in GFLOP/s: that of a loop of
// fused multiply-adds on registers, 0 where there is none. It takes a few hundredths of a second and returns the best
// of several timings.
func peak() (fastest float64) {
	const duration, rounds = 15 * time.Millisecond, 20_000
	workers := runtime.GOMAXPROCS(0)
	for range 4 {
		done := make([]float64, workers)
		start := time.Now()

		_ = parallel.Blocks(context.Background(), workers, 1, func(worker, _ int) error {
			for time.Since(start) < duration {
				done[worker] += spin(rounds)
			}
			return nil
		})

		seconds := time.Since(start).Seconds()
		fastest = max(fastest, floats.Sum(done)/seconds*1e-9)
	}
	return fastest
}
