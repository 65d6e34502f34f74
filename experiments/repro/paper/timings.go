package paper

import (
	"time"

	"contextmover/experiments/harness/store"
	"contextmover/experiments/paper/timings"
	"contextmover/experiments/repro/cli"
)

// Timings is repro timings.
type Timings struct {
	cli.WorkspaceFlags
}

// timingsExperiment names the file of results.
const timingsExperiment = "timings"

// Measure is what takes the times. Tests of what is done with them put something in its place that takes none.
var Measure = timings.Time

// Run measures again what the paper timed, and records it: durations are no artefacts.
func (c *Timings) Run(e *cli.Env) error {
	began := time.Now()
	w, err := c.Workspace(e)
	if err != nil {
		return err
	}
	ctx, reads := store.Reading(e)
	t, err := Measure(ctx, w)
	if err != nil {
		return err
	}
	output := t.Output(w.Profile)
	if err := record(w, timingsExperiment, output, began, reads); err != nil {
		return err
	}
	tables := tableWriter{dir: tablesDir(w.Profile.Name)}
	if !e.AsJSON {
		tables.env = e
	}
	if err := tables.write(output.Tables); err != nil {
		return err
	}
	if e.AsJSON {
		return e.JSON(t)
	}
	return nil
}
