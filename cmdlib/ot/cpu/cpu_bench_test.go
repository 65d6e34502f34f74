//go:build unix

package cpu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"contextmover/cmdlib/ot"
)

// report gives the rate of n problems an operation and of their floating-point
// operations.
func report(b *testing.B, n int, flops float64, what string) {
	seconds := b.Elapsed().Seconds() / float64(b.N)
	rate := flops / seconds * 1e-9
	b.ReportMetric(float64(n)/seconds, what+"/s")
	b.ReportMetric(rate, "GFLOP/s")
	if used := cpuSeconds() - cpuStart; used > 0 {
		b.ReportMetric(flops*float64(b.N)/used*1e-9, "GFLOP/cpu-s")
	}
}

// On a busy machine operations per second of processor time say more than the rate.
var cpuStart float64

func cpuSeconds() float64 {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) * 1e-9
}

func BenchmarkDistances(b *testing.B) {
	for _, k := range []int{100, 300, 500} {
		for _, border := range []bool{false, true} {
			b.Run(fmt.Sprintf("K=%d/border=%v", k, border), func(b *testing.B) {
				const n = 2016
				cost, rows := world(64, k)
				p := &ot.Problem{Settings: ot.Settings{Reg: 0.1, MaxIter: 100}, Cost: cost, Rows: rows}
				for i := range n {
					p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i % 64), Target: int32((i * 7 / 64) % 64)})
				}
				if border {
					to := make([]float32, len(rows.Data))
					for i := range to {
						to[i] = cost.Data[i%len(cost.Data)]
					}
					p.Border = &ot.Border{Mass: 0.4, FromPoint: to, ToPoint: to, Between: make([]float32, n)}
				}
				cpuStart = cpuSeconds()
				for b.Loop() {
					if _, err := ot.Distances(context.Background(), New(), p); err != nil {
						b.Fatal(err)
					}
				}
				report(b, n, n*100*4*float64(k*k), "distances")
			})
		}
	}
}

func BenchmarkBarycenters(b *testing.B) {
	for _, c := range []struct{ k, words int }{{100, 25}, {300, 12}, {500, 12}} {
		for _, debiased := range []bool{false, true} {
			b.Run(fmt.Sprintf("K=%d/words=%d/debiased=%v", c.k, c.words, debiased), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 2))
				const n = 504
				cost, rows := world(64, c.k)
				p := &ot.BarycenterProblem{Settings: ot.Settings{Reg: 0.1, MaxIter: 100}, Cost: cost, Rows: rows, Offsets: []int{0}, Debiased: debiased}
				for range n {
					size := c.words - c.words/2 + rng.IntN(c.words/2*2+1)
					for range size {
						p.Members = append(p.Members, rng.Int32N(64))
						p.Weights = append(p.Weights, 1/float32(size))
					}
					p.Offsets = append(p.Offsets, len(p.Members))
				}
				cpuStart = cpuSeconds()
				for b.Loop() {
					if _, err := ot.Barycenters(context.Background(), New(), p); err != nil {
						b.Fatal(err)
					}
				}
				report(b, n, float64(len(p.Members))*100*4*float64(c.k*c.k), "barycenters")
			})
		}
	}
}

// BenchmarkDivergences counts the problems of rows with themselves
// among the operations, of balanced and of unbalanced transport.
func BenchmarkDivergences(b *testing.B) {
	for _, k := range []int{100, 300} {
		for _, penalty := range []float64{0, 1} {
			b.Run(fmt.Sprintf("K=%d/penalty=%v", k, penalty), func(b *testing.B) {
				const rows, n = 64, 2016
				cost, histograms := world(rows, k)
				p := &ot.Problem{Settings: ot.Settings{Reg: 0.1, MaxIter: 100}, Cost: cost, Rows: histograms, Penalty: penalty}
				for i := range n {
					p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i % rows), Target: int32((i * 7 / rows) % rows)})
				}
				cpuStart = cpuSeconds()
				for b.Loop() {
					if _, err := ot.Divergences(context.Background(), New(), p); err != nil {
						b.Fatal(err)
					}
				}
				report(b, n, float64(n+rows)*100*4*float64(k*k), "divergences")
			})
		}
	}
}

// BenchmarkSmallRegularisation is what scaling in float32 cannot solve.
func BenchmarkSmallRegularisation(b *testing.B) {
	const k, words = 300, 12
	for _, reg := range []float64{0.02, 0.005, 0.001} {
		b.Run(fmt.Sprintf("distances/λ=%v", reg), func(b *testing.B) {
			const n = 168
			cost, rows := world(64, k)
			p := &ot.Problem{Settings: ot.Settings{Reg: reg, MaxIter: 100}, Cost: cost, Rows: rows}
			for i := range n {
				p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i % 64), Target: int32(i * 7 % 64)})
			}
			cpuStart = cpuSeconds()
			for b.Loop() {
				if _, err := ot.Distances(context.Background(), New(), p); err != nil {
					b.Fatal(err)
				}
			}
			report(b, n, n*100*4*k*k, "distances")
		})
		b.Run(fmt.Sprintf("barycenters/λ=%v", reg), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			const n = 28
			cost, rows := world(64, k)
			p := &ot.BarycenterProblem{Settings: ot.Settings{Reg: reg, MaxIter: 100}, Cost: cost, Rows: rows, Offsets: []int{0}}
			for range n {
				for range words {
					p.Members = append(p.Members, rng.Int32N(64))
					p.Weights = append(p.Weights, 1./words)
				}
				p.Offsets = append(p.Offsets, len(p.Members))
			}
			cpuStart = cpuSeconds()
			for b.Loop() {
				if _, err := ot.Barycenters(context.Background(), New(), p); err != nil {
					b.Fatal(err)
				}
			}
			report(b, n, n*words*100*4*k*k, "barycenters")
		})
	}
}

// BenchmarkTolerance solves until marginals agree to 1e-5, plainly and accelerated.
func BenchmarkTolerance(b *testing.B) {
	for _, k := range []int{100, 300} {
		for _, accelerate := range []bool{false, true} {
			b.Run(fmt.Sprintf("K=%d/accelerate=%v", k, accelerate), func(b *testing.B) {
				const n = 2016
				cost, rows := world(64, k)
				p := &ot.Problem{Settings: ot.Settings{Reg: 0.1, MaxIter: 500, Tol: 1e-5, Accelerate: accelerate}, Cost: cost, Rows: rows}
				for i := range n {
					p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i % 64), Target: int32((i * 7 / 64) % 64)})
				}
				start := cpuSeconds()
				for b.Loop() {
					if _, err := ot.Distances(context.Background(), New(), p); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "distances/s")
				b.ReportMetric(n*float64(b.N)/(cpuSeconds()-start), "distances/cpu-s")
			})
		}
	}
}

// BenchmarkSmallTolerance solves barycenters at small λ until their members agree to 1e-3, plainly and accelerated.
func BenchmarkSmallTolerance(b *testing.B) {
	const k, words, n = 300, 12, 28
	for _, reg := range []float64{0.02, 0.005} {
		for _, accelerate := range []bool{false, true} {
			b.Run(fmt.Sprintf("λ=%v/accelerate=%v", reg, accelerate), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 2))
				cost, rows := world(64, k)
				p := &ot.BarycenterProblem{Settings: ot.Settings{Reg: reg, MaxIter: 5000, Tol: 1e-3, Accelerate: accelerate}, Cost: cost, Rows: rows, Offsets: []int{0}}
				for range n {
					for range words {
						p.Members = append(p.Members, rng.Int32N(64))
						p.Weights = append(p.Weights, 1./words)
					}
					p.Offsets = append(p.Offsets, len(p.Members))
				}
				var iterations int
				cpuStart = cpuSeconds()
				for b.Loop() {
					found, err := ot.Barycenters(context.Background(), New(), p)
					if err != nil {
						b.Fatal(err)
					}
					iterations = 0
					for _, r := range found {
						iterations += r.Iterations
					}
				}
				report(b, n, float64(iterations)*words*4*k*k, "barycenters")
				b.ReportMetric(float64(iterations)/n, "iterations")
			})
		}
	}
}

// BenchmarkOne is what a person waits for: one pair, one sentence.
func BenchmarkOne(b *testing.B) {
	for _, k := range []int{100, 300, 500} {
		cost, rows := world(12, k)
		p := &ot.Problem{Settings: ot.Settings{Reg: 0.1, MaxIter: 100}, Cost: cost, Rows: rows, Pairs: []ot.Pair{{Source: 0, Target: 1}}}
		g := &ot.BarycenterProblem{Settings: p.Settings, Cost: cost, Rows: rows, Offsets: []int{0, 12}}
		for i := range 12 {
			g.Members, g.Weights = append(g.Members, int32(i)), append(g.Weights, 1./12)
		}
		b.Run(fmt.Sprintf("distance/K=%d", k), func(b *testing.B) {
			for b.Loop() {
				if _, err := ot.Distances(context.Background(), New(), p); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("barycenter/K=%d", k), func(b *testing.B) {
			for b.Loop() {
				if _, err := ot.Barycenters(context.Background(), New(), g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
