package npy_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"contextmover/cmdlib/npy"
)

func Example() {
	dir, err := os.MkdirTemp("", "npy-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "matrix.npy")
	if err := npy.Write(path, []int{2, 3}, []float32{1, 2, 3, 4, 5, 6}); err != nil {
		log.Fatal(err)
	}
	shape, data, err := npy.Read[float32](path)
	fmt.Println(shape, data, err)
	// Output:
	// [2 3] [1 2 3 4 5 6] <nil>
}
