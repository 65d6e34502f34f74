package score_test

import (
	"context"
	"fmt"
	"log"

	"contextmover/experiments/harness/score"
)

func ExampleCorrelate() {
	ours, gold := []float64{0.1, 0.4, 0.5, 0.9}, []float64{1, 2, 3, 5}
	r, err := score.Correlate(context.Background(), score.Spearman, ours, gold, 1000, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f [%.2f, %.2f]\n", r.Value, r.Low, r.High)
	// Output:
	// 1.00 [1.00, 1.00]
}
