package ground_test

import (
	"fmt"
	"log"

	"contextmover/cmdlib/ground"
)

// Distances of three points on a line, in units of the largest.
func ExampleNew() {
	g, err := ground.New([]float32{0, 1, 4}, 3, 1, ground.Params{Metric: ground.Euclidean, Normalisation: ground.Max})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Data[:3], g.Scale)
	// Output:
	// [0 0.25 1] 4
}
