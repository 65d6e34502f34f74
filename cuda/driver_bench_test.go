//go:build cuda

package cuda

import (
	"fmt"
	"slices"
	"testing"

	"contextmover/cmdlib/ot"
)

// BenchmarkDistances: 100 iterations a pair, each of 8192 histograms in 32 pairs, all
// transfers included.
func BenchmarkDistances(b *testing.B) {
	e := engine(b)
	for _, k := range []int{100, 200, 300, 500} {
		for _, bordered := range []bool{false, true} {
			b.Run(fmt.Sprintf("K=%d/border=%v", k, bordered), func(b *testing.B) {
				p := problem(k, 8192, 1<<17, bordered)
				p.MaxIter = 100
				solve := func() {
					if err := e.Distances(b.Context(), p, func(int, []ot.Result) error { return nil }); err != nil {
						b.Fatal(err)
					}
				}
				solve() // takes the memory that later calls find
				for b.Loop() {
					solve()
				}
				perSecond(b, len(p.Pairs), 4*float64(k)*float64(k)*100)
			})
		}
	}
}

// BenchmarkDistanceKernel: the same with everything on the device already.
func BenchmarkDistanceKernel(b *testing.B) {
	e := engine(b).(Engine)
	for _, k := range []int{100, 200, 300, 500} {
		for _, tensor := range []bool{false, true} {
			b.Run(fmt.Sprintf("K=%d/tensor=%v", k, tensor), func(b *testing.B) {
				if tensor && !e.hopper() {
					b.Skip("the device has no tensor cores of Hopper")
				}
				p := problem(k, 8192, 1<<16, false)
				p.MaxIter = 100
				s, err := e.open()
				if err != nil {
					b.Fatal(err)
				}
				defer s.close()
				v, batches := newSolver(b.Context(), s, p, len(p.Pairs), nil)
				if v.err != nil {
					b.Fatal(v.err)
				}
				if !tensor {
					v.tensor = nil
					v.shape, _ = distanceLayout(k, v.m.two, v.shared, false)
				}
				x := batches[0]
				x.n = len(p.Pairs)
				v.start(x)
				x.wait()
				for b.Loop() {
					v.launch(x)
					x.wait()
				}
				if v.err != nil {
					b.Fatal(v.err)
				}
				perSecond(b, len(p.Pairs), 4*float64(k)*float64(k)*100)
			})
		}
	}
}

// BenchmarkBarycenters: groups of 25 histograms, the paper's stopping rule (at most
// 100 iterations, tolerance 1e-4), transfers included.
func BenchmarkBarycenters(b *testing.B) {
	e := engine(b)
	for _, debiased := range []bool{false, true} {
		b.Run(fmt.Sprintf("K=100/words=25/debiased=%v", debiased), func(b *testing.B) {
			p := grouped(problem(100, 8192, 0, false), slices.Repeat([]int{25}, 1<<14)...)
			p.MaxIter, p.Tol, p.Debiased = 100, 1e-4, debiased
			iterations, groups := 0, 0
			solve := func() {
				if err := e.Barycenters(b.Context(), p, func(_ int, r []ot.Barycenter) error {
					for i := range r {
						iterations += r[i].Iterations
					}
					groups += len(r)
					return nil
				}); err != nil {
					b.Fatal(err)
				}
			}
			solve()
			for b.Loop() {
				solve()
			}
			mean := float64(iterations) / float64(groups)
			b.ReportMetric(mean, "iterations")
			perSecond(b, len(p.Offsets)-1, 4*100*100*25*mean)
		})
	}
}

// perSecond reports problems and floating-point operations a second.
func perSecond(b *testing.B, problems int, flops float64) {
	rate := float64(problems) * float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "problems/s")
	b.ReportMetric(rate*flops/1e12, "TFLOP/s")
}
