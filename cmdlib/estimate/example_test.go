package estimate_test

import (
	"context"
	"fmt"
	"log"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/sparse"
)

// Three contexts in two clusters: the associations of a word with the contexts of a cluster are its mass there.
func ExampleHistograms() {
	associations := &sparse.Matrix[float32]{Rows: 2, Cols: 3, Start: []int64{0, 3, 4}, Index: []int32{0, 1, 2, 2}, Value: []float32{1, 2, 1, 5}}
	e, err := estimate.Histograms(context.Background(), associations, []int32{0, 0, 1}, 2, estimate.Params{Normalisation: estimate.None})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Row(0), e.Row(1))
	// Output:
	// [0.75 0.25] [0 1]
}
