package cluster_test

import (
	"context"
	"fmt"
	"log"

	"contextmover/cmdlib/cluster"
)

// Two groups of points on a line.
func ExampleKMeans() {
	points := []float32{0, 1, 2, 10, 11, 12}
	r, err := cluster.KMeans(context.Background(), points, 1, cluster.Params{K: 2, MaxIter: 100}, nil)
	if err != nil {
		log.Fatal(err)
	}
	same := func(i, j int) bool { return r.Assignment[i] == r.Assignment[j] }
	fmt.Println(same(0, 2), same(3, 5), same(0, 3), r.Inertia)
	// Output:
	// true true false 4
}
