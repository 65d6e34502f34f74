package cpu

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"contextmover/cmdlib/ot"
)

// TestPrepare: kept kernels change no bit, whatever λ, from several goroutines at once, and other costs and λ, and
// faults, are seen.
func TestPrepare(t *testing.T) {
	cost, rows := world(6, 50)
	for _, reg := range []float64{0.1, 0.01, 0.001} {
		keeping := New().Prepare(cost)
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
				if got := solved(keeping, p); !slices.Equal(got, want) {
					t.Errorf("λ=%v: %+v, expected %+v", reg, got, want)
				}
			})
		}
		group.Wait()
		plan, err := keeping.Plan(t.Context(), p, 2)
		if err != nil || plan.Result != want[2] {
			t.Errorf("λ=%v: plan %+v, expected %+v (%v)", reg, plan.Result, want[2], err)
		}
		for _, times := range []float64{2, 3, 4, 5, 1} {
			other := *p
			other.Reg = times * reg
			if got := solved(keeping, &other); !slices.Equal(got, solved(New(), &other)) {
				t.Errorf("λ=%v: that of %v is solved by another's kernel", reg, other.Reg)
			}
		}
		changed := *p
		changed.Cost.Data = slices.Clone(cost.Data)
		for i := range changed.Cost.Data {
			changed.Cost.Data[i] /= 2
		}
		if got := solved(keeping, &changed); slices.Equal(got, want) {
			t.Errorf("λ=%v: another cost is solved by the kept kernel", reg)
		}
		other := *p
		other.Pairs = []ot.Pair{{Source: 0, Target: 99}}
		if err := keeping.Distances(context.Background(), &other, nil); err == nil {
			t.Error("a pair that is not there is solved")
		}
		other = *p
		other.Reg = math.NaN()
		if err := keeping.Distances(context.Background(), &other, nil); err == nil {
			t.Error("a λ that is none: no error")
		}
		wrong := ot.Cost{K: cost.K, Data: slices.Clone(cost.Data)}
		wrong.Data[5] = -1
		other = *p
		for other.Cost = wrong; other.Reg < 3*reg; other.Reg += reg {
			if err := New().Prepare(wrong).Distances(context.Background(), &other, nil); err == nil {
				t.Error("a cost below 0: no error")
			}
		}
	}
}
