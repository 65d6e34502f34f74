package verdict

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"text/template"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/show/render"
	"contextmover/internal/atomicfile"
	"contextmover/internal/bounded"
	"contextmover/internal/jsonerror"
)

// Reference is a recorded run of a profile: those of its numbers that have an interval
// or a coverage.
type Reference struct {
	Version int              `json:"version"`
	Profile string           `json:"profile"`
	Tables  []ReferenceTable `json:"tables"`
}

// ReferenceTable holds the numbers of one table.
type ReferenceTable struct {
	Experiment string         `json:"experiment"`
	Table      string         `json:"table"`
	Columns    []string       `json:"columns"`
	Rows       []ReferenceRow `json:"rows"`
}

// ReferenceRow holds one row: for each column value, low, high, covered and total, or
// nothing.
type ReferenceRow struct {
	Row   string       `json:"row"`
	Cells [][5]float64 `json:"cells"`
}

const referenceVersion = 1

// absent marks a cell that is not compared: its total is negative.
var absent = [5]float64{4: -1}

// Record returns the numbers of results that a later run is held against.
func Record(profile string, all []*results.Result) *Reference {
	ref := &Reference{Version: referenceVersion, Profile: profile}
	for _, r := range all {
		for _, t := range r.Tables {
			rt := ReferenceTable{Experiment: r.Experiment, Table: t.ID}
			for _, c := range t.Columns {
				rt.Columns = append(rt.Columns, c.Address())
			}
			for _, b := range t.Blocks {
				for _, row := range b.Rows {
					if rr, ok := recordRow(row); ok {
						rt.Rows = append(rt.Rows, rr)
					}
				}
			}
			if len(rt.Rows) > 0 {
				ref.Tables = append(ref.Tables, rt)
			}
		}
	}
	return ref
}

func recordRow(row render.Row) (r ReferenceRow, any bool) {
	r.Row = cmp.Or(row.Key, row.Label)
	for _, c := range row.Cells {
		cell := absent
		if c.Value != nil && c.Interval != nil {
			any = true
			cell = [5]float64{short(*c.Value), short(c.Interval.Low), short(c.Interval.High)}
			if c.Coverage != nil {
				cell[3], cell[4] = float64(c.Coverage.Covered), float64(c.Coverage.Total)
			}
		}
		r.Cells = append(r.Cells, cell)
	}
	return r, any
}

// short rounds to 4 decimals, which is far inside any interval.
func short(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// Change is a cell that left the interval of the recorded run, or came or went.
type Change struct {
	Table, Row, Column string
	What               string
	Worse              bool // counts as a regression
}

func (c Change) String() string {
	return fmt.Sprintf("%s, %s, %s: %s", c.Table, c.Row, c.Column, c.What)
}

// Kept returns results without what neither the verdict nor a page of them needs. That is the artefacts, which are
// half of a file, and the bootstrap draws of numbers that no claim compares, which hardly pack.
func Kept(all []*results.Result) []*results.Result {
	compared := map[published.Address]bool{}
	for _, c := range published.Claims() {
		for _, t := range c.Tests {
			for _, a := range slices.Concat(t.Left, t.Right) {
				compared[a] = true
				if instead, ok := published.StandIn(a); ok {
					compared[instead] = true
				}
			}
		}
	}
	var kept []*results.Result
	for _, r := range all {
		k := *r
		k.Artefacts = nil
		k.Quantities = slices.Clone(r.Quantities)
		for i := range k.Quantities {
			q := &k.Quantities[i]
			if !compared[published.Address{Table: q.Table, Row: q.Row, Column: q.Column}] {
				q.Draws = nil
			}
		}
		kept = append(kept, &k)
	}
	return kept
}

// Compare holds results against a recorded run. A number is a regression if it lies on the worse side of the interval
// that the recorded run had. So small differences between processors are none. A cell that is missing or that covers
// fewer items is one too. Numbers beyond the better side and new tables are changes but no regressions.
func (ref *Reference) Compare(all []*results.Result) (changes []Change, compared int) {
	now := map[string]*render.Table{}
	for _, r := range all {
		for _, t := range r.Tables {
			now[r.Experiment+"\n"+t.ID] = t
		}
	}
	for _, rt := range ref.Tables {
		change := func(row, column string, worse bool, format string, args ...any) {
			changes = append(changes, Change{rt.Table, row, column, fmt.Sprintf(format, args...), worse})
		}
		t := now[rt.Experiment+"\n"+rt.Table]
		if t == nil {
			change("all", "all", true, "the table is missing; repro run %s makes it", rt.Experiment)
			continue
		}
		cells := map[[2]string]render.Cell{}
		lower := map[string]bool{}
		for _, b := range t.Blocks {
			for _, row := range b.Rows {
				for k, c := range row.Cells {
					column := t.Columns[k].Address()
					cells[[2]string{cmp.Or(row.Key, row.Label), column}] = c
					lower[column] = t.Columns[k].LowerIsBetter
				}
			}
		}
		for _, row := range rt.Rows {
			for k, was := range row.Cells {
				if was[4] < 0 || k >= len(rt.Columns) {
					continue
				}
				compared++
				column := rt.Columns[k]
				cell := cells[[2]string{row.Row, column}]
				const rounding = 1e-4 // of the record
				switch low, high := was[1], was[2]; {
				case cell.Value == nil:
					change(row.Row, column, true, "missing, was %.2f", was[0])
				case *cell.Value < low-rounding || *cell.Value > high+rounding:
					change(row.Row, column, (*cell.Value < low) != lower[column],
						"%.2f, was %.2f [%.2f, %.2f]", *cell.Value, was[0], low, high)
				case cell.Coverage != nil && was[4] > 0 &&
					cell.Coverage.Covered*int(was[4]) < int(was[3])*cell.Coverage.Total:
					change(row.Row, column, true, "covers %d of %d items, was %.0f of %.0f",
						cell.Coverage.Covered, cell.Coverage.Total, was[3], was[4])
				}
			}
		}
	}
	return changes, compared
}

// ReadReference reads a recorded run. The error is fs.ErrNotExist if there is none.
func ReadReference(path, profile string) (*Reference, error) {
	text, err := bounded.ReadFile(path, bounded.Document)
	if err != nil {
		return nil, fmt.Errorf("verdict: %w", err)
	}
	return parseReference(path, text, profile)
}

func parseReference(path string, text []byte, profile string) (*Reference, error) {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("verdict: %s: %s: %w", path, fmt.Sprintf(format, args...), dataset.ErrData)
	}
	ref := new(Reference)
	if err := json.Unmarshal(text, ref); err != nil {
		return nil, fail("%v", jsonerror.Explain(err))
	}
	if ref.Version != referenceVersion {
		return nil, fail("version %d of a recorded run, expected %d; record it again with --update",
			ref.Version, referenceVersion)
	}
	if ref.Profile != profile {
		return nil, fail("a recorded run of the profile %q, expected %q", ref.Profile, profile)
	}
	return ref, nil
}

// referenceText is the form of the file: one line per row of a table, so that differences read well.
var referenceText = template.Must(template.New("reference").Funcs(template.FuncMap{
	"json": func(v any) (string, error) {
		text, err := json.Marshal(v)
		return string(text), err
	},
}).Parse(`{"version":{{.Version}},"profile":{{json .Profile}},"tables":[
{{- range $i, $table := .Tables}}{{if $i}},{{end}}
{"experiment":{{json .Experiment}},"table":{{json .Table}},"columns":{{json .Columns}},"rows":[
{{- range $k, $row := .Rows}}{{if $k}},{{end}}
 {{json $row}}{{end}}
]}{{end}}
]}
`))

// Write writes the recorded run.
func (ref *Reference) Write(path string) error {
	var b bytes.Buffer
	err := referenceText.Execute(&b, ref)
	if err == nil {
		err = atomicfile.WriteInFolder(path, b.Bytes())
	}
	if err != nil {
		return fmt.Errorf("verdict: %w", err)
	}
	return nil
}
