package paper

import (
	"log/slog"
	"strings"
	"time"

	"contextmover/experiments/paper/sts"
	"contextmover/experiments/repro/cli"
)

// Tune is repro tune.
type Tune struct {
	Experiment string        `arg:"" enum:"sts" help:"Experiment to tune: sts."`
	Budget     time.Duration `default:"15m" help:"Stop trying after this time; the next call goes on (default: 15m)."`
	cli.WorkspaceFlags
}

func (c *Tune) Run(e *cli.Env) error {
	w, err := c.Workspace(e)
	if err != nil {
		return err
	}
	result, err := sts.Tune(e, w, c.Budget)
	if err != nil {
		return err
	}
	if len(result.Rows) > 0 {
		tables, err := result.TuneTables(w.Profile)
		if err != nil {
			return err
		}
		written := tableWriter{dir: tablesDir(w.Profile.Name), env: e}
		if err := written.write(tables); err != nil {
			return err
		}
	}
	if len(result.Unfinished) > 0 {
		slog.Warn("the budget ended the search; the same command goes on where it was, of these rows",
			"budget", c.Budget, "rows", strings.Join(result.Unfinished, " "))
	}
	return nil
}
