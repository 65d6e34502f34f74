package entailment_test

import (
	"fmt"
	"math"

	"contextmover/experiments/harness/trainers/entailment"
)

// A feature of −10 is almost surely unknown, one of 10 known: a word with fewer known features is
// entailed by one with more, and does not entail it.
func ExampleBackward() {
	animal, dog := []float32{10, -10}, []float32{10, 10}
	fmt.Printf("%.2f %.2f\n", math.Exp(entailment.Backward(dog, animal)), math.Exp(entailment.Backward(animal, dog)))
	// Output:
	// 1.00 0.00
}
