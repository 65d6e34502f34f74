package timings

import (
	"context"
	"runtime"
	"time"

	"contextmover/internal/parallel"
	"contextmover/internal/system"
)

// peak measures the float32 speed that this machine can reach with GOMAXPROCS threads, in GFLOP/s: that of a loop of
// fused multiply-adds on registers, 0 where there is none. It takes a few hundredths of a second and returns the best
// of several timings. A single thread is timed by the processor, whatever else runs.
func peak() (fastest float64) {
	const duration, rounds = 15 * time.Millisecond, 20_000
	workers := runtime.GOMAXPROCS(0)
	for range 4 {
		done := make([]float64, workers)
		start := time.Now()
		before, counted := system.ProcessorSeconds()

		_ = parallel.Blocks(context.Background(), workers, 1, func(worker, _ int) error {
			for time.Since(start) < duration {
				done[worker] += spin(rounds)
			}
			return nil
		})

		seconds := time.Since(start).Seconds()
		if counted && workers == 1 {
			after, _ := system.ProcessorSeconds()
			seconds = after - before
		}
		sum := 0.0
		for _, operations := range done {
			sum += operations
		}
		fastest = max(fastest, sum/seconds*1e-9)
	}
	return fastest
}
