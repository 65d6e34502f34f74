package cpu

import (
	"fmt"
	"runtime"
	"testing"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/cmdlib/ot"
)

// BenchmarkShare tells what share of the peak of all processors 1 to 128 problems over one cost reach, 100 iterations
// each, with the kernel made anew in each call and with one that is kept.
func BenchmarkShare(b *testing.B) {
	for _, k := range []int{100, 300} {
		cost, rows := world(128, k)
		for _, n := range []int{1, 2, 4, 8, 16, 32, 64, 128} {
			p := &ot.Problem{Settings: ot.Settings{Reg: 0.1, MaxIter: 100}, Cost: cost, Rows: rows}
			for i := range n {
				p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i), Target: int32((i + 1) % 128)})
			}
			for name, cost := range map[string]ot.Cost{"anew": cost, "kept": cost.Keeping()} {
				p := *p
				p.Cost = cost
				b.Run(fmt.Sprintf("%s/%d/%d", name, k, n), func(b *testing.B) {
					peak := gemm.Peak(runtime.GOMAXPROCS(0))
					for b.Loop() {
						if err := New().Distances(b.Context(), &p, func(int, []ot.Result) error { return nil }); err != nil {
							b.Fatal(err)
						}
					}
					rate := float64(n) * 400 * float64(k*k) * float64(b.N) / b.Elapsed().Seconds()
					b.ReportMetric(100*rate/1e9/peak, "%peak")
				})
			}
		}
	}
}
