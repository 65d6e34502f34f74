package ot_test

import (
	"context"
	"fmt"
	"log"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// One iteration is not enough: the monitor tells.
func ExampleMonitor() {
	monitor := &ot.Monitor{Engine: reference.New()}
	_, err := ot.Distances(context.Background(), monitor, &ot.Problem{
		Settings: ot.Settings{Reg: 0.01, MaxIter: 1},
		Cost:     ot.Cost{K: 3, Data: []float32{0, 1, 2, 1, 0, 1, 2, 1, 0}},
		Rows:     ot.Histograms{K: 3, Data: []float32{1, 0, 0, 0.2, 0.2, 0.6, 0.6, 0.3, 0.1}},
		Pairs:    []ot.Pair{{Source: 0, Target: 0}, {Source: 1, Target: 2}},
	})
	if err != nil {
		log.Fatal(err)
	}
	transport, _ := monitor.Convergence()
	fmt.Println(transport.Unsettled, "of", transport.Problems)
	// Output:
	// 1 of 2
}
