package sentence_test

import (
	"context"
	"fmt"
	"log"

	"contextmover/cmdlib/sentence"
)

// The mean of (1, 0) and (0, 1) is at 45 degrees from (1, 0).
func ExampleVectorAverage() {
	method := sentence.VectorAverage{Vectors: []float32{1, 0, 0, 1}, Dim: 2}
	scores, err := method.Score(context.Background(), []sentence.Pair{{A: sentence.Sentence{0}, B: sentence.Sentence{0, 1}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", scores.Value[0])
	// Output:
	// 0.707
}

// Half of the mass of the first sentence stays, the other half moves by 5.
func ExampleWordMover() {
	method := sentence.WordMover{Points: sentence.Points{Vectors: []float32{1, 0, 4, 4, 1, 1}, Dim: 2}}
	scores, err := method.Score(context.Background(), []sentence.Pair{{A: sentence.Sentence{0, 2}, B: sentence.Sentence{1, 2}}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", -scores.Value[0])
	// Output:
	// 2.500
}
