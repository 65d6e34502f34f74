package cpu_test

import (
	"context"
	"fmt"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
)

// Many pairs of histograms over one cost are one problem; the pairs name rows, so a
// row that takes part in a million pairs is stored once.
func ExampleEngine_distances() {
	problem := &ot.Problem{
		Settings: ot.Settings{Reg: 0.1, MaxIter: 1000, Tol: 1e-6},
		Cost:     ot.Cost{K: 3, Data: []float32{0, 1, 2, 1, 0, 1, 2, 1, 0}}, // |i − j|
		Rows:     ot.Histograms{K: 3, Data: []float32{.6, .3, .1, .1, .2, .7, 0, 1, 0}},
		Pairs:    []ot.Pair{{Source: 0, Target: 1}, {Source: 0, Target: 2}, {Source: 1, Target: 2}},
	}
	results, err := ot.Distances(context.Background(), cpu.New(), problem)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, r := range results {
		fmt.Printf("%v: %.3f, converged: %v\n", problem.Pairs[i], r.Cost, r.Converged)
	}
	// Output:
	// {0 1}: 1.100, converged: true
	// {0 2}: 0.700, converged: true
	// {1 2}: 0.800, converged: true
}
