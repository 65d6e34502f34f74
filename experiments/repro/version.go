package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"contextmover/cuda"
	"contextmover/experiments/harness/engines"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/system"
)

type versionCmd struct{}

// version says which build this is and what it computes with here.
type version struct {
	Version string   `json:"version"` // of the module, which names the commit, (devel) if it was built without one
	Go      string   `json:"go"`
	System  string   `json:"system"`
	Engines []string `json:"engines"` // those that can be asked for in this build
	Kernels string   `json:"kernels"` // what the processor lets the cpu engine use
}

func programVersion() version {
	v := version{Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH, Kernels: system.Kernels()}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Version = info.Main.Version
	}
	for _, name := range engines.Names() {
		if _, err := engines.New(name); !errors.Is(err, cuda.ErrNotBuilt) {
			v.Engines = append(v.Engines, name)
		}
	}
	return v
}

func (c *versionCmd) Run(e *cli.Env) error {
	v := programVersion()
	if e.AsJSON {
		return e.JSON(v)
	}
	fmt.Fprintf(e.Out, "repro %s\nbuilt with %s for %s\n", v.Version, v.Go, v.System)
	for _, name := range v.Engines[1:] { // all but auto
		fmt.Fprintf(e.Out, "engine %s\n", name)
	}
	fmt.Fprintf(e.Out, "kernels of cpu: %s\n", v.Kernels)
	return nil
}
