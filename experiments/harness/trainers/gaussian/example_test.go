package gaussian_test

import (
	"fmt"

	"contextmover/experiments/harness/trainers/gaussian"
)

// A broad distribution covers a narrow one better than the other way round.
func ExampleDivergence() {
	dog, animal := []float32{1, 0, 0.2, 0.2}, []float32{0.8, 0.1, 1, 1}
	fmt.Printf("%.2f %.2f\n", gaussian.Divergence(dog, animal), gaussian.Divergence(animal, dog))
	// Output:
	// 0.83 2.52
}
