package dive_test

import (
	"fmt"

	"contextmover/experiments/harness/trainers/dive"
)

// The animal occurs beside all that the dog occurs beside, and beside more.
func ExampleCDeltaS() {
	dog, animal := []float32{1, 2, 0}, []float32{2, 3, 4}
	fmt.Printf("%.1f %.1f\n", dive.CDeltaS(dog, animal), dive.CDeltaS(animal, dog))
	// Output:
	// 4.0 -4.0
}
