package reference_test

import (
	"context"
	"fmt"
	"log"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// Uniform histograms over two bins at distance 1 and λ = 1: the plan keeps σ(1) = 1/(1+1/e) of the mass.
func Example() {
	results, err := ot.Distances(context.Background(), reference.New(), &ot.Problem{
		Settings: ot.Settings{Reg: 1, MaxIter: 100},
		Cost:     ot.Cost{K: 2, Data: []float32{0, 1, 1, 0}},
		Rows:     ot.Histograms{K: 2, Data: []float32{.5, .5}},
		Pairs:    []ot.Pair{{Source: 0, Target: 0}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f\n", results[0].Cost)
	// Output:
	// 0.268941
}
