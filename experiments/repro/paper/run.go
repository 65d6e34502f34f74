package paper

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"contextmover/experiments"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/figure"
)

// Run is repro run.
type Run struct {
	Experiment string `arg:"" optional:"" enum:"${experiments},paper,all" default:"all" help:"Experiment: ${experiments_help}; paper (all sections of the paper); or all (default)."`
	cli.WorkspaceFlags
}

func (c *Run) Help() string {
	return "One experiment prints its tables. Several print a page: what was made, where, how long it took, the " +
		"headline table, and what to open next."
}

func (c *Run) Run(e *cli.Env) error {
	start := time.Now()
	w, err := c.Workspace(e)
	if err != nil {
		return err
	}
	var chosen []experiments.Experiment
	for _, experiment := range experiments.Experiments() {
		if c.Experiment == "all" || c.Experiment == "paper" && experiment.Paper || c.Experiment == experiment.Name {
			chosen = append(chosen, experiment)
		}
	}
	if err := experiments.CheckFiles(w, chosen...); err != nil {
		return err
	}
	// Settings that the vocabulary cannot serve are refused before the work.
	if w.Profile.Corpus.Kind != profile.KindNone {
		if _, err := w.Vocabulary(e); err != nil {
			return err
		}
	}
	page := len(chosen) > 1 && !e.Verbose
	tables := tableWriter{dir: tablesDir(w.Profile.Name), env: e}
	if page {
		tables.env = nil
	}
	var all []made
	for _, experiment := range chosen {
		began := time.Now()
		ctx, reads := store.Reading(e)
		output, err := experiment.Run(ctx, w)
		if err != nil {
			return err
		}
		if len(output.Tables)+len(output.Figures) == 0 {
			slog.Info("the profile has nothing for this experiment",
				"profile", w.Profile.Name, "experiment", experiment.Name)
			continue
		}
		if err := record(w, experiment.Name, output, began, reads); err != nil {
			return err
		}
		for _, f := range output.Figures {
			if err := figure.Write(filepath.Join("figures", w.Profile.Name), f); err != nil {
				return err
			}
		}
		if err := tables.write(output.Tables); err != nil {
			return err
		}
		all = append(all, made{experiment, output, time.Since(began)})
	}
	if page {
		if err := summary(e, w.Profile, all, time.Since(start)); err != nil {
			return err
		}
	}
	slog.Info("finished", "tables", tables.dir, "seconds", fmt.Sprintf("%.1f", time.Since(start).Seconds()))
	return nil
}
