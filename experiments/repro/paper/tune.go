package paper

import (
	"fmt"
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
	cli.ShareFlag
	cli.WorkspaceFlags
}

func (c *Tune) Help() string {
	return "With --share, any number of processes search together in one store: each begins with settings of its " +
		"own, finds what the others have scored, and ends with the search. It writes no tables; the same command " +
		"without --share does, and finds all settings scored."
}

func (c *Tune) Run(e *cli.Env) error {
	w, err := c.Workspace(e)
	if err != nil {
		return err
	}
	result, err := sts.Tune(e, w, c.Budget, sts.Part(c.Share))
	if err != nil {
		return err
	}
	if c.Share.N > 1 {
		fmt.Fprintf(e.Out, "%s\t%d settings scored, the search of %d rows is not at its end\n", w.Store.Dir(),
			len(result.Tried), len(result.Unfinished))
	} else if len(result.Rows) > 0 {
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
