package sparse_test

import (
	"fmt"

	"contextmover/cmdlib/sparse"
)

// The matrix (0 6 / 2 0).
func Example() {
	m := &sparse.Matrix[float64]{Rows: 2, Cols: 2, Start: []int64{0, 1, 2}, Index: []int32{1, 0}, Value: []float64{6, 2}}
	fmt.Println(m.Validate(), m.NonZeros())
	columns, values := m.Row(1)
	fmt.Println(columns, values)
	// Output:
	// <nil> 2
	// [0] [2]
}
