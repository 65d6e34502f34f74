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
	"contextmover/experiments/published"
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
	r.Quantities = append(r.Quantities, tableQuantities(r.Quantities, output.Tables)...)
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

// tableQuantities returns the cells of tables that stand beside a printed number, or a
// printed word, and that have no quantity yet. Such a table has the paper's id, and its rows and columns
// have the paper's names.
func tableQuantities(have []results.Quantity, tables []*render.Table) []results.Quantity {
	type address struct{ table, row, column string }
	known := map[address]bool{}
	for _, q := range have {
		known[address{q.Table, q.Row, q.Column}] = true
	}
	var all []results.Quantity
	for _, t := range tables {
		paper, err := published.Load(t.ID)
		if err != nil {
			continue // a table of our own
		}
		for _, b := range t.Blocks {
			for _, r := range b.Rows {
				row := r.Key
				if row == "" {
					row = r.Label
				}
				for k, c := range r.Cells {
					column := t.Columns[k].Address()
					cell := paper.Cell(row, column)
					number := c.Value != nil && c.Printed != nil
					word := c.Text != "" && cell != nil && cell.Text != "" && !cell.Number
					if cell == nil || !number && !word || known[address{t.ID, row, column}] {
						continue
					}
					q := results.Quantity{Table: t.ID, Row: row, Column: column, Variant: results.Paper, Source: row, Text: c.Text}
					if number {
						q.Value = *c.Value
					}
					if c.Interval != nil {
						q.Low, q.High = &c.Interval.Low, &c.Interval.High
					}
					all = append(all, q)
				}
			}
		}
	}
	return all
}

// program is the version of this program.
func program() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return strings.TrimSpace(info.Path + " " + info.Main.Version)
}
