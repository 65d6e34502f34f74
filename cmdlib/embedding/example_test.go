package embedding_test

import (
	"fmt"
	"log"

	"contextmover/cmdlib/embedding"
)

func ExampleVectors_Normalised() {
	v, err := embedding.New([]string{"dog", "cat"}, 2, []float32{3, 4, 0, 2})
	if err != nil {
		log.Fatal(err)
	}
	id, _ := v.ID("dog")
	fmt.Println(v.Normalised().Row(int(id)))
	// Output:
	// [0.6 0.8]
}
