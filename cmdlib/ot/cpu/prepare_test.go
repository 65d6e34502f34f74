package cpu

import (
	"context"
	"slices"
	"sync"
	"testing"

	"contextmover/cmdlib/ot"
)

// TestPrepare: kept kernels change no bit, whatever λ, from several
// goroutines at once, and other costs and λ, and faults, are seen.
func TestPrepare(t *testing.T) {
	cost, rows := world(6, 50)
	for _, reg := range []float64{0.1, 0.01, 0.001} {
		kept, err := New().Prepare(cost, reg)
		if err != nil {
			t.Fatal(err)
		}
		p := &ot.Problem{Settings: ot.Settings{Reg: reg, MaxIter: 20}, Cost: cost, Rows: rows}
		for i := range 5 {
			p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i), Target: int32(i + 1)})
		}
		solved := func(e ot.Engine, p *ot.Problem) []ot.Result {
			results, err := ot.Distances(t.Context(), e, p)
			if err != nil {
				t.Error(err)
			}
			return results
		}
		want := solved(New(), p)
		var group sync.WaitGroup
		for range 3 {
			group.Go(func() {
				if got := solved(kept, p); !slices.Equal(got, want) {
					t.Errorf("λ=%v: %+v, expected %+v", reg, got, want)
				}
			})
		}
		group.Wait()
		plan, err := kept.Plan(t.Context(), p, 2)
		if err != nil || plan.Result != want[2] {
			t.Errorf("λ=%v: plan %+v, expected %+v (%v)", reg, plan.Result, want[2], err)
		}
		other := *p
		other.Reg = 2 * reg
		if got := solved(kept, &other); !slices.Equal(got, solved(New(), &other)) {
			t.Errorf("λ=%v: another λ is solved by the kept kernel", reg)
		}
		other = *p
		other.Cost.Data = slices.Clone(cost.Data)
		other.Cost.Data[1] *= 3
		if got := solved(kept, &other); !slices.Equal(got, solved(New(), &other)) {
			t.Errorf("λ=%v: another cost is solved by the kept kernel", reg)
		}
		other = *p
		other.Pairs = []ot.Pair{{Source: 0, Target: 99}}
		if err := kept.Distances(context.Background(), &other, nil); err == nil {
			t.Error("a pair that is not there is solved")
		}
	}
	if _, err := New().Prepare(ot.Cost{K: 3, Data: cost.Data}, 1); err == nil {
		t.Error("a cost that is not K×K is prepared")
	}
}
