package sppmi_test

import (
	"context"
	"fmt"
	"log"

	"contextmover/cmdlib/sparse"
	"contextmover/cmdlib/sppmi"
)

// Two words with a context each: ln(6·8/(6·6)) and ln(2·8/(2·2)), without smoothing and shift.
func ExampleCompute() {
	counts := &sparse.Matrix[float64]{Rows: 2, Cols: 2, Start: []int64{0, 1, 2}, Index: []int32{0, 1}, Value: []float64{6, 2}}
	m, err := sppmi.Compute(context.Background(), counts, sppmi.Params{Smoothing: 1, Shift: 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", m.Value)
	// Output:
	// [0.288 1.386]
}
