package main

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"contextmover/experiments/render"
	"contextmover/experiments/sts"
)

type tuneCmd struct {
	Experiment string        `arg:"" enum:"sts" help:"Experiment to tune: sts."`
	Budget     time.Duration `default:"15m" help:"Stop trying after this time; the next call goes on (default: 15m)."`
	workspaceFlags
}

func (c *tuneCmd) Run(e *env) error {
	w, err := c.workspace(e)
	if err != nil {
		return err
	}
	result, err := sts.Tune(e, w, c.Budget)
	if err != nil {
		return err
	}
	var tables []*render.Table
	if len(result.Rows) > 0 {
		if tables, err = result.TuneTables(w.Profile); err != nil {
			return err
		}
	}
	dir := filepath.Join("tables", w.Profile.Name)
	for i, t := range tables {
		if err := render.Write(dir, t); err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprintln(e.out)
		}
		if err := render.Text(e.out, t); err != nil {
			return err
		}
	}
	if len(result.Unfinished) > 0 {
		slog.Warn("the budget ended the search; the same command goes on where it was, of these rows", "budget", c.Budget, "rows", strings.Join(result.Unfinished, " "))
	}
	return nil
}
