package store

import (
	"encoding/json"
	"fmt"
	"os"

	"contextmover/cmdlib/npy"
	"contextmover/internal/disk"
)

// A Part of an artefact is one of its files next to the variable that it holds.
type Part struct {
	Name string
	// Write writes the variable, Read sets it.
	Write, Read func(path string) error
}

// JSON is a file of indented JSON, of what v points to.
func JSON(name string, v any) Part {
	return Part{
		Name: name,
		Write: func(path string) error {
			text, err := json.MarshalIndent(v, "", "  ")
			if err != nil {
				return err
			}
			return disk.WriteFile(path, append(text, '\n'))
		},
		Read: func(path string) error {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if err := json.Unmarshal(text, v); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			return nil
		},
	}
}

// Array is an .npy file of one dimension.
func Array[T npy.Element](name string, data *[]T) Part { return array(name, data, nil) }

// Matrix is an .npy file of two dimensions, with its rows one after the other in data.
func Matrix[T npy.Element](name string, cols *int, data *[]T) Part { return array(name, data, cols) }

// array is a Matrix, or an Array if cols is nil.
func array[T npy.Element](name string, data *[]T, cols *int) Part {
	return Part{
		Name: name,
		Write: func(path string) error {
			shape := []int{len(*data)}
			if cols != nil {
				shape = []int{len(*data) / max(*cols, 1), *cols}
			}
			return npy.Write(path, shape, *data)
		},
		Read: func(path string) (err error) {
			var shape []int
			if shape, *data, err = npy.Read[T](path); err != nil {
				return err
			}
			if matrix := cols != nil; matrix != (len(shape) == 2) {
				return fmt.Errorf("%s: an array of shape %v, expected a matrix: %t", path, shape, matrix)
			}
			if cols != nil {
				*cols = shape[1]
			}
			return nil
		},
	}
}
