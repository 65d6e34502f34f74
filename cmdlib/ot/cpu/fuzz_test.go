package cpu

import (
	"math"
	"testing"

	"contextmover/cmdlib/ot"
)

// FuzzNumbers: whatever is valid gives finite numbers, balanced or not, at any λ and ρ.
func FuzzNumbers(f *testing.F) {
	f.Add(0.1, 0.0, float32(1), float32(0.5), uint8(10))
	f.Add(1e-9, 1e-300, float32(1), float32(1e-45), uint8(3))
	f.Add(1e300, 1e300, float32(3e38), float32(0), uint8(1))
	f.Add(1e-3, 5.0, float32(0), float32(1), uint8(12))
	f.Fuzz(func(t *testing.T, reg, penalty float64, far, share float32, iterations uint8) {
		p := &ot.Problem{
			Settings: ot.Settings{Reg: reg, MaxIter: int(iterations), Tol: 1e-4}, Penalty: penalty, Values: true,
			Cost:  ot.Cost{K: 3, Data: []float32{0, far, 1, far, 0, far / 2, 1, far / 2, 0}},
			Rows:  ot.Histograms{K: 3, Data: []float32{share, 1 - share, 0, 0, 1 - share, share}},
			Pairs: []ot.Pair{{Source: 0, Target: 1}, {Source: 1, Target: 0}, {Source: 0, Target: 0}},
		}
		if p.Validate() != nil {
			return
		}
		results, err := ot.Distances(t.Context(), New(), p)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range results {
			for _, x := range []float64{r.Cost, r.Value, r.MarginalError, r.Moved} {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("pair %d of %+v: %+v", i, p, r)
				}
			}
		}
		plan, err := New().Plan(t.Context(), p, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range append(append(plan.F, plan.G...), plan.Mass...) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%+v: a plan with %v", p, plan)
				break
			}
		}
	})
}
