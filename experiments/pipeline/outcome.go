package pipeline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"contextmover/experiments/figure"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
	"contextmover/experiments/store"
)

// Output is what an experiment shows.
type Output struct {
	Tables  []*render.Table
	Figures []*figure.Figure
	// Quantities are our numbers beside the printed ones that they reproduce, for the
	// verdict. Cells of Tables that have a printed number need none of their own.
	Quantities []results.Quantity
}

// Outcome returns what an experiment found as the content of a result file. started is
// when it began, machine where it ran.
func (w *Workspace) Outcome(experiment string, output *Output, started time.Time, machine results.Machine) (*results.Result, error) {
	r := &results.Result{
		Header: results.Header{
			Profile: w.Profile.Name, Experiment: experiment, Seed: w.Profile.Seed, Engine: w.Engine.Name(),
			Settings: w.Profile.TOML(), Program: program(), Go: runtime.Version(), Machine: machine,
			Started: started.UTC().Truncate(time.Second), Seconds: time.Since(started).Seconds(),
		},
		Tables: output.Tables, Quantities: slices.Clone(output.Quantities),
	}
	r.Quantities = append(r.Quantities, results.OfTables(r.Quantities, output.Tables)...)
	results.Sort(r.Quantities)
	for _, f := range output.Figures {
		data, err := json.Marshal(f)
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", f.ID, err)
		}
		r.Figures = append(r.Figures, results.Figure{ID: f.ID, Title: f.Title, Data: data})
	}
	var err error
	r.Artefacts, err = w.artefacts()
	return r, err
}

// artefacts returns what the workspace has used so far, with all that it was made from.
func (w *Workspace) artefacts() ([]results.Artefact, error) {
	infos, err := w.Store.List()
	if err != nil {
		return nil, err
	}
	known := make(map[store.Key]store.Info, len(infos))
	for _, i := range infos {
		known[i.Key] = i
	}
	var all []results.Artefact
	seen := map[store.Key]bool{}
	for queue := w.Store.Used(); len(queue) > 0; queue = queue[1:] {
		key := queue[0]
		info, ok := known[key]
		if seen[key] || !ok { // an input may be a data file
			continue
		}
		seen[key] = true
		queue = append(queue, info.Inputs...)
		all = append(all, results.Artefact{
			Key: string(key), Stage: info.Stage, Version: info.Version, Seconds: info.Duration.Seconds(), By: info.By,
		})
	}
	slices.SortFunc(all, func(a, b results.Artefact) int {
		return cmp.Or(cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Key, b.Key))
	})
	return all, nil
}

// program is the version of this program.
func program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return strings.TrimSpace(info.Path + " " + info.Main.Version)
}
