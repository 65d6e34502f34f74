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
func Array[T npy.Element](name string, data *[]T) Part {
	return Part{
		Name:  name,
		Write: func(path string) error { return npy.Write(path, []int{len(*data)}, *data) },
		Read: func(path string) (err error) {
			var shape []int
			if shape, *data, err = npy.Read[T](path); err == nil && len(shape) != 1 {
				err = fmt.Errorf("%s: an array of shape %v, expected one dimension", path, shape)
			}
			return err
		},
	}
}

// Matrix is an .npy file of two dimensions, with its rows one after the other in data.
func Matrix[T npy.Element](name string, cols *int, data *[]T) Part {
	return Part{
		Name: name,
		Write: func(path string) error {
			rows := 0
			if *cols > 0 {
				rows = len(*data) / *cols
			}
			return npy.Write(path, []int{rows, *cols}, *data)
		},
		Read: func(path string) (err error) {
			var shape []int
			if shape, *data, err = npy.Read[T](path); err != nil {
				return err
			}
			if len(shape) != 2 {
				return fmt.Errorf("%s: an array of shape %v, expected two dimensions", path, shape)
			}
			*cols = shape[1]
			return nil
		},
	}
}
