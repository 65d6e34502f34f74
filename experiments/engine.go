package experiments

import (
	"fmt"
	"strings"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/reference"
)

// EngineNames are the names that Engine knows.
func EngineNames() []string { return []string{"auto", "cpu", "reference"} }

// Engine returns the engine with the given name; "auto" is the fastest one that
// this machine and build have.
func Engine(name string) (ot.Engine, error) {
	switch name {
	case "auto", "cpu":
		return cpu.New(), nil
	case "reference":
		return reference.New(), nil
	}
	return nil, fmt.Errorf("experiments: no engine %q; the engines are %s", name, strings.Join(EngineNames(), ", "))
}
