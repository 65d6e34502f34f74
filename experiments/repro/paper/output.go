// Package paper has the commands that make the paper's tables and figures again, hold them against the
// printed ones and a recorded run, and show them.
package paper

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"contextmover/experiments"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/render"
	"contextmover/internal/levenshtein"
	"contextmover/internal/system"
)

// The folders of results and recorded runs, in the working directory. Of a recorded run of a
// profile of the paper the results themselves are kept too, as far as they are needed.
const (
	resultsDir   = "results"
	referenceDir = "experiments/judge/verdict/reference"
)

// Vars are the values that kong puts into the tags of these commands: the experiments, and what each is.
func Vars() kong.Vars {
	var names, help []string
	for _, x := range experiments.Experiments() {
		names = append(names, x.Name)
		help = append(help, fmt.Sprintf("%s (%s)", x.Name, x.Help))
	}
	return kong.Vars{"experiments": strings.Join(names, ","), "experiments_help": strings.Join(help, ", ")}
}

// tablesDir is the folder of the tables and the verdict of a profile.
func tablesDir(profile string) string { return filepath.Join("tables", profile) }

// tableWriter writes tables to files in dir and as text to what env prints, with blank lines between them.
type tableWriter struct {
	dir  string
	env  *cli.Env // nil if only files are wanted
	some bool     // whether tables were printed
}

func (w *tableWriter) write(tables []*render.Table) error {
	for _, t := range tables {
		if err := render.Write(w.dir, t); err != nil {
			return err
		}
		if w.env == nil {
			continue
		}
		if w.some {
			fmt.Fprintln(w.env.Out)
		}
		w.some = true
		if err := w.env.Table(t); err != nil {
			return err
		}
	}
	return nil
}

// record writes the file of results that verify and report read.
func record(
	w *pipeline.Workspace, experiment string, output *pipeline.Output, began time.Time, reads *store.Reads,
) error {
	outcome, err := w.Outcome(experiment, output, began, thisMachine(), reads)
	if err != nil {
		return err
	}
	return results.Write(resultsDir, outcome)
}

// near lists those of names that are spelled like one, or all where none is.
func near(name string, names []string) string {
	if similar := levenshtein.Similar(name, names, 3, nil); len(similar) > 0 {
		names = similar
	}
	return cmp.Or(strings.Join(names, ", "), "none")
}

func thisMachine() results.Machine {
	total, _ := system.Memory()
	return results.Machine{
		System: runtime.GOOS + "/" + runtime.GOARCH, Processor: system.Processor(),
		Threads: runtime.GOMAXPROCS(0), Memory: total,
	}
}
