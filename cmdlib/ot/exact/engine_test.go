package exact_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/ot/reference"
)

func problem() *ot.Problem {
	return &ot.Problem{
		Cost:  ot.Cost{K: 3, Data: []float32{0, 1, 2, 1, 0, 1, 2, 1, 0}}, // |i − j|
		Rows:  ot.Histograms{K: 3, Data: []float32{.6, .3, .1, .1, .2, .7, 0, 1, 0}},
		Pairs: []ot.Pair{{Source: 0, Target: 1}, {Source: 0, Target: 2}, {Source: 1, Target: 2}},
	}
}

// On a line the cost is the area between the cumulative sums: no settings are needed.
func TestEngine(t *testing.T) {
	p := problem()
	results, err := ot.Distances(t.Context(), exact.New(), p)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1.1, 0.7, 0.8} {
		plan, err := exact.New().Plan(t.Context(), p, i)
		if err != nil {
			t.Fatal(err)
		}
		// Histograms are float32: their sums differ by up to 2·3 roundings, and costs are up to 2.
		const rounding = 2 * 3 * 0x1p-24
		if r := results[i]; math.Abs(r.Cost-want) > 2*rounding || !r.Converged || r.MarginalError > rounding || plan.Result != r {
			t.Errorf("pair %d: %+v, plan %+v, want %v", i, r, plan.Result, want)
		}
		if math.Abs(plan.Bound-plan.Cost) > 2*rounding {
			t.Errorf("pair %d: the dual value is %v, the cost %v", i, plan.Bound, plan.Cost)
		}
	}
	if _, err := exact.New().Plan(t.Context(), p, 3); err == nil {
		t.Error("no error for a pair that is not there")
	}
	p.Rows.Data[4] = float32(math.NaN())
	if _, err := ot.Distances(t.Context(), exact.New(), p); err == nil {
		t.Error("no error for a NaN")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ot.Distances(ended, exact.New(), problem()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := ot.Barycenters(t.Context(), exact.New(), &ot.BarycenterProblem{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("error %v", err)
	}
}

// The bound of a regularised plan tells how far from the optimum it is at most, without solving exactly.
func ExampleEngine() {
	p := problem()
	p.Settings = ot.Settings{Reg: 1, MaxIter: 1000, Tol: 1e-9}
	for _, engine := range []ot.Engine{reference.New(), exact.New()} {
		plan, err := engine.Plan(context.Background(), p, 0)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-9s cost %.3f, optimum at least %.3f\n", engine.Name(), plan.Cost, plan.Bound)
	}
	// Output:
	// reference cost 1.124, optimum at least 1.100
	// exact     cost 1.100, optimum at least 1.100
}
