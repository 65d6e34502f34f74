package main

import (
	"fmt"
	"path/filepath"
	"time"

	"contextmover/experiments/harness/profile"
	"contextmover/experiments/paper/sts"
	"contextmover/experiments/repro/cli"
	"contextmover/scale/steps"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// tune is repro-scale tune.
type tune struct {
	Experiment string        `arg:"" enum:"sts" help:"Experiment to tune: sts."`
	Budget     time.Duration `default:"15m" help:"Each worker stops trying after this time; the next call goes on (default: 15m)."`
	Parts      int           `default:"8" placeholder:"N" help:"Search in so many parts at once (default ${default})."`
	cli.WorkspaceFlags
}

func (c *tune) Help() string {
	return "The workers search as the processes of repro tune --share do, in one store, which all machines reach as " +
		"they do the folder of data. repro tune then finds all settings scored, and writes the tables. See " +
		"docs/dev/scale.md."
}

// Validate refuses a search in no parts.
func (c *tune) Validate() error {
	if c.Parts < 1 {
		return fmt.Errorf("--parts=%d: expected at least 1", c.Parts)
	}
	return nil
}

func (c *tune) Run(e *cli.Env) error {
	s, err := c.OpenStore()
	if err != nil {
		return err
	}
	c.Store = s.Dir()
	if _, err := profile.Load(c.Profile, c.Set); err != nil {
		return err
	}
	paths := []*string{&c.Store}
	if c.Data != "" {
		paths = append(paths, &c.Data)
	}
	if filepath.Ext(c.Profile) == ".toml" {
		paths = append(paths, &c.Profile)
	}
	for _, path := range paths {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	p, scope := beam.NewPipelineWithRoot()
	steps.Tune{Flags: c.WorkspaceFlags, Budget: c.Budget, Parts: max(c.Parts, 2)}.Pipeline(scope)
	if err := execute(e, p); err != nil {
		return err
	}
	w, err := c.Workspace(e)
	if err != nil {
		return err
	}
	found, err := sts.Tune(e, w, 0, sts.Part{I: 1, N: 2}) // what there is
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "%s\t%d settings scored, the search of %d rows is not at its end\n", c.Store, len(found.Tried),
		len(found.Unfinished))
	return nil
}
