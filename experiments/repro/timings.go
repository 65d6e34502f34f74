package main

import (
	"fmt"
	"path/filepath"
	"time"

	"contextmover/experiments/bench"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
)

type timingsCmd struct {
	workspaceFlags
	JSON bool `name:"json" help:"Print JSON."`
}

// timingsExperiment names the file of results.
const timingsExperiment = "timings"

// Run measures anew what the paper timed, and records it: durations are no artefacts.
func (c *timingsCmd) Run(e *env) error {
	began := time.Now()
	w, err := c.workspace(e)
	if err != nil {
		return err
	}
	t, err := bench.Time(e, w)
	if err != nil {
		return err
	}
	output := t.Output(w.Profile)
	outcome, err := w.Outcome(timingsExperiment, output, began, thisMachine())
	if err != nil {
		return err
	}
	if err := results.Write(resultsDir, outcome); err != nil {
		return err
	}
	dir := filepath.Join("tables", w.Profile.Name)
	for i, table := range output.Tables {
		if err := render.Write(dir, table); err != nil {
			return err
		}
		if c.JSON {
			continue
		}
		if i > 0 {
			fmt.Fprintln(e.out)
		}
		if err := render.Text(e.out, table); err != nil {
			return err
		}
	}
	if c.JSON {
		return e.json(t)
	}
	return nil
}
