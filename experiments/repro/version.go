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

type versionCmd struct {
	JSON bool `name:"json" group:"common" help:"Print JSON."`
}

// version says which build this is and what it computes with here.
type version struct {
	Version  string   `json:"version"`            // of the module, (devel) if it was built without one
	Commit   string   `json:"commit,omitempty"`   // the repository's, unknown to builds outside one
	Modified bool     `json:"modified,omitempty"` // whether files differed from the commit
	Go       string   `json:"go"`
	System   string   `json:"system"`
	Engines  []string `json:"engines"` // those that can be asked for in this build
	Kernels  string   `json:"kernels"` // what the processor lets the cpu engine use
}

func programVersion() version {
	v := version{
		Version: "unknown", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Kernels: system.Kernels(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		v.Version = info.Main.Version
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Commit = s.Value
			case "vcs.modified":
				v.Modified = s.Value == "true"
			}
		}
	}
	for _, name := range engines.Names() {
		if _, err := engines.New(name); !errors.Is(err, cuda.ErrNotBuilt) {
			v.Engines = append(v.Engines, name)
		}
	}
	return v
}

// line is what --version prints.
func (v version) line() string {
	line := "repro " + v.Version
	if v.Commit != "" {
		line += ", commit " + v.Commit[:min(len(v.Commit), 12)]
	}
	if v.Modified {
		line += ", modified"
	}
	return line
}

func (c *versionCmd) Run(e *cli.Env) error {
	v := programVersion()
	if c.JSON {
		return e.JSON(v)
	}
	fmt.Fprintln(e.Out, v.line())
	fmt.Fprintf(e.Out, "built with %s for %s\n", v.Go, v.System)
	for _, name := range v.Engines {
		switch _, err := engines.New(name); {
		case name == "auto":
		case err != nil:
			fmt.Fprintf(e.Out, "engine %s: %v\n", name, err)
		default:
			fmt.Fprintf(e.Out, "engine %s\n", name)
		}
	}
	fmt.Fprintf(e.Out, "kernels of cpu: %s\n", v.Kernels)
	return nil
}
