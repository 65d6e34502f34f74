package pipeline

import (
	"fmt"
	"strings"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/reference"
	"contextmover/cuda"
)

// EngineNames are the names that Engine knows.
func EngineNames() []string { return []string{"auto", "cpu", "cuda", "cuda-tensor", "reference"} }

// Engine returns the engine with the given name; "auto" is the fastest one that
// this machine and build have: cuda if a device answers, or else cpu.
func Engine(name string) (ot.Engine, error) {
	switch name {
	case "auto":
		if engine, err := cuda.New(); err == nil {
			return engine, nil
		}
		return cpu.New(), nil
	case "cpu":
		return cpu.New(), nil
	case "cuda":
		return cuda.New()
	case "cuda-tensor": // only if asked for: see docs/cuda.md
		return cuda.NewTensor()
	case "reference":
		return reference.New(), nil
	}
	return nil, fmt.Errorf("experiments: no engine %q; the engines are %s", name, strings.Join(EngineNames(), ", "))
}
