package svd_test

import (
	"context"
	"fmt"
	"log"

	"contextmover/cmdlib/embedding/svd"
	"contextmover/cmdlib/sparse"
)

// The singular values of a diagonal matrix are its entries.
func ExampleCompute() {
	m := &sparse.Matrix[float32]{Rows: 3, Cols: 3, Start: []int64{0, 1, 2, 3}, Index: []int32{0, 1, 2}, Value: []float32{1, 3, 2}}
	r, err := svd.Compute(context.Background(), m, svd.Params{Dim: 2, Oversampling: 1, PowerIterations: 2, Exponent: 1, Seed: 1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", r.Values)
	// Output:
	// [3.000 2.000]
}
