package pipeline

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"contextmover/experiments/harness/lineage"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/render"
)

// Output is what an experiment shows.
type Output struct {
	Tables  []*render.Table
	Figures []*figure.Figure
	// Quantities are our numbers next to the printed ones that they reproduce, for the
	// verdict. Cells of Tables that have a printed number need none of their own.
	Quantities []results.Quantity
}

// Outcome returns what an experiment found as the content of a result file. started is
// when it began, machine where it ran, reads what it got from the store.
func (w *Workspace) Outcome(experiment string, output *Output, started time.Time, machine results.Machine,
	reads *store.Reads) (*results.Result, error) {
	r := &results.Result{
		Header: results.Header{
			Profile: w.Profile.Name, Experiment: experiment, Seed: w.Profile.Seed, Engine: w.Engine.Name(),
			Settings: w.Profile.TOML(), Program: store.Program(), Go: runtime.Version(), Machine: machine,
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
	r.Artefacts, err = lineage.Trace(w.Store, reads.Subjects(), w.dataFiles())
	return r, err
}

// dataFiles are the names of the data files that were asked for, by their keys.
func (w *Workspace) dataFiles() map[store.Key]string {
	files := map[store.Key]string{}
	w.refs.Range(func(name, refs any) bool {
		path, ok := strings.CutPrefix(name.(string), fileName(""))
		if file := refs.([]store.Ref); ok && file[0].Through == nil {
			files[file[0].Key] = path
		}
		return true
	})
	return files
}
