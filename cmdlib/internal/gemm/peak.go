package gemm

import (
	"context"
	"time"

	"contextmover/internal/parallel"
	"contextmover/internal/system"
)

// Peak measures the machine's float32 peak on the given number of processors, in GFLOP/s. It is the faster of a loop
// of fused multiply-adds on registers and of a product of a favourable size. It takes about a tenth of a second.
func Peak(workers int) float64 {
	const n = 448 // the factors fit the second-level cache
	m := func() Matrix[float32] {
		data := make([]float32, n*n)
		for i := range data {
			data[i] = 1 / float32(1+i%7)
		}
		return Matrix[float32]{Rows: n, Cols: n, Stride: n, Data: data}
	}
	a, b := m(), Pack(m(), 0)
	product := func(c []float32) float64 {
		for i := 0; i < n; i += 112 {
			b.Multiply(c[i*n:], a.Data[i*n:], 112, n)
		}
		return 2 * n * n * n
	}
	return max(spinRate(workers), rate(workers, product))
}

// spinRate is the rate of the register-only loop, 0 if the kernel has none.
func spinRate(workers int) float64 {
	if best.spin == nil {
		return 0
	}
	const rounds = 2000
	return rate(workers, func([]float32) float64 { return rounds * best.spin(rounds) })
}

// rate runs work, which returns its operations, on the given number of workers
// and returns the best of several timings in GFLOP/s. One worker is timed by the processor, whatever else runs.
func rate(workers int, work func(c []float32) float64) float64 {
	const duration = 15 * time.Millisecond
	var fastest float64
	for range 4 {
		done := make([]float64, workers)
		start := time.Now()
		before, counted := system.ProcessorSeconds()
		_ = parallel.Blocks(context.Background(), workers, 1, func(lo, _ int) error {
			c := make([]float32, 448*448)
			for time.Since(start) < duration {
				done[lo] += work(c)
			}
			return nil
		})
		var sum float64
		for _, d := range done {
			sum += d
		}
		seconds := time.Since(start).Seconds()
		if counted && workers == 1 {
			after, _ := system.ProcessorSeconds()
			seconds = after - before
		}
		fastest = max(fastest, sum/seconds*1e-9)
	}
	return fastest
}
