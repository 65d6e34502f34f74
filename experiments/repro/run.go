package main

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"contextmover/experiments"
	"contextmover/experiments/figure"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
	"contextmover/internal/system"
)

// workspaceFlags choose a profile and what it works with.
// defaultProfile is the one that --profile names if it is not given.
const defaultProfile = "mini"

type workspaceFlags struct {
	Profile string `default:"mini" placeholder:"NAME" help:"Profile: ${profiles}, or the path of a .toml file (default: mini)."`
	Engine  string `enum:"${engines}" default:"auto" help:"What solves transport problems: ${enum} (default: auto)."`
	dataFlag
	storeFlag
	Set []string `sep:"none" placeholder:"KEY=VALUE" help:"Override a key of the profile, such as sts.defaults.reg=0.05. Tables then go to a folder of their own."`
}

func (f workspaceFlags) workspace(e *env) (*pipeline.Workspace, error) {
	p, err := profile.Load(f.Profile, f.Set)
	if err != nil {
		return nil, coded{err, exitUsage}
	}
	if len(f.Set) > 0 {
		sum := sha256.Sum256([]byte(strings.Join(f.Set, "\n")))
		p.Name = fmt.Sprintf("%s-%x", p.Name, sum[:4])
	}
	engine, err := pipeline.Engine(f.Engine)
	if err != nil {
		return nil, err
	}
	s, err := f.open()
	if err != nil {
		return nil, err
	}
	return &pipeline.Workspace{Profile: p, Store: s, Data: f.Data, Engine: engine, Progress: e.progress.Step}, nil
}

type runCmd struct {
	Experiment string `arg:"" optional:"" enum:"${experiments},all" default:"all" help:"Experiment: ${experiments_help}, or all (default)."`
	workspaceFlags
}

func (c *runCmd) Run(e *env) error {
	start := time.Now()
	w, err := c.workspace(e)
	if err != nil {
		return err
	}
	var chosen []experiments.Experiment
	for _, experiment := range experiments.Experiments() {
		if c.Experiment == "all" || c.Experiment == experiment.Name {
			chosen = append(chosen, experiment)
		}
	}
	if err := experiments.CheckFiles(w, chosen...); err != nil {
		return err
	}
	dir := filepath.Join("tables", w.Profile.Name)
	shown := false
	for _, experiment := range chosen {
		began := time.Now()
		output, err := experiment.Run(e, w)
		if err != nil {
			return err
		}
		if len(output.Tables)+len(output.Figures) == 0 {
			slog.Info("the profile has nothing for this experiment", "profile", w.Profile.Name, "experiment", experiment.Name)
			continue
		}
		outcome, err := w.Outcome(experiment.Name, output, began, thisMachine())
		if err != nil {
			return err
		}
		if err := results.Write(resultsDir, outcome); err != nil {
			return err
		}
		for _, f := range output.Figures {
			if err := figure.Write(filepath.Join("figures", w.Profile.Name), f); err != nil {
				return err
			}
		}
		for _, t := range output.Tables {
			if err := render.Write(dir, t); err != nil {
				return err
			}
			if shown {
				fmt.Fprintln(e.out)
			}
			shown = true
			if err := render.Text(e.out, t); err != nil {
				return err
			}
		}
	}
	finished := []any{"tables", dir, "seconds", fmt.Sprintf("%.1f", time.Since(start).Seconds())}
	if peak, ok := system.PeakMemory(); ok {
		finished = append(finished, "peak_memory", size(peak))
	}
	slog.Info("finished", finished...)
	return nil
}

// experimentNames lists the experiments for the command line and its help.
func experimentNames() (names, help string) {
	var n, h []string
	for _, x := range experiments.Experiments() {
		n = append(n, x.Name)
		h = append(h, fmt.Sprintf("%s (%s)", x.Name, x.Help))
	}
	return strings.Join(n, ","), strings.Join(h, ", ")
}
