package cpu

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"contextmover/cmdlib/ot"
)

// manyPairs is n random pairs of stored rows, cheap ones.
func manyPairs(n int) *ot.Problem {
	cost, rows := world(200, 16)
	p := &ot.Problem{Settings: ot.Settings{Reg: 0.3, MaxIter: 1}, Cost: cost, Rows: rows, Pairs: make([]ot.Pair, n)}
	random := rand.New(rand.NewPCG(1, 0))
	for i := range p.Pairs {
		p.Pairs[i] = ot.Pair{Source: random.Int32N(200), Target: random.Int32N(200)}
	}
	return p
}

// allocated solves p and returns the bytes that were allocated meanwhile, freed ones
// included, so at least what was in use at any time.
func allocated(tb testing.TB, p *ot.Problem) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	done := 0
	err := New().Distances(tb.Context(), p, func(_ int, results []ot.Result) error {
		done += len(results)
		return nil
	})
	runtime.ReadMemStats(&after)
	if err != nil || done != len(p.Pairs) {
		tb.Fatalf("%d of %d results, error %v", done, len(p.Pairs), err)
	}
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestMemory: pairs stream through. What the engine allocates does not depend on
// their number once the window of results is full.
func TestMemory(t *testing.T) {
	few := allocated(t, manyPairs(100_000))
	many := allocated(t, manyPairs(400_000))
	t.Logf("%d bytes for 100,000 pairs, %d for 400,000", few, many)
	// The window of results, the workers' blocks and the kernels take the same.
	if more := many - few; more > 64<<10 {
		t.Errorf("300,000 pairs more took %d bytes more", more)
	}
}

// BenchmarkManyPairs streams ten million pairs over stored rows. The list of pairs
// is the caller's: 8 bytes each.
func BenchmarkManyPairs(b *testing.B) {
	const n = 10_000_000
	p := manyPairs(n)
	bytes := 0
	for b.Loop() {
		bytes = allocated(b, p)
	}
	b.ReportMetric(float64(bytes), "bytes")
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "distances/s")
}

// BenchmarkBlockMemory measures what a problem takes while it is in progress, by
// batches of one block a worker and of half of it.
func BenchmarkBlockMemory(b *testing.B) {
	for _, k := range []int{100, 300, 500} {
		b.Run(fmt.Sprintf("K=%d", k), func(b *testing.B) {
			cost, rows := world(8, k)
			p := &ot.Problem{Settings: ot.Settings{Reg: 0.3, MaxIter: 1}, Cost: cost, Rows: rows}
			full := runtime.GOMAXPROCS(0) * blockRows
			var each float64
			for b.Loop() {
				p.Pairs = make([]ot.Pair, full)
				whole := allocated(b, p)
				p.Pairs = p.Pairs[:full/2]
				half := allocated(b, p)
				each = float64(whole-half) / float64(full-full/2)
			}
			b.ReportMetric(each, "bytes/problem")
		})
	}
}
