// Package published holds what the paper printed: the cells of its tables as data,
// so that every reproduced number can be put next to the one it reproduces.
//
// A cell is addressed by its table's id, its row's key and its column, for example
// ("tableS1a_sts12_detail", "glove_tbc/CoMB (GloVe)", "MSRpar"). Source: Singh, Hug,
// Dieuleveut, Jaggi, AISTATS 2020; see data/README.md for the form of the files.
package published

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Origin tells where the numbers of a row come from.
type Origin string

const (
	Run       Origin = "run"        // computed by the authors
	Quoted    Origin = "quoted"     // taken by the authors from other work
	NotStated Origin = "not_stated" // the paper does not say
)

// Table is one printed table.
type Table struct {
	ID          string   // stem of its file, e.g. "table1_sts_summary"
	PaperNumber string   // e.g. "Table S2"
	Title       string   // what it shows, with the unit
	Columns     []string // in the printed order
	Rows        []Row
}

// Row is one printed row; Cells has one entry for each column of the table.
type Row struct {
	Key    string // unique in its table: Block/Label, or Label in a table without blocks
	Label  string
	Block  string
	Origin Origin
	Cells  []Cell
}

// Cell is one printed cell.
type Cell struct {
	Text   string  // as printed; "" for a cell without content
	Value  float64 // the number in Text, zero if Number is false
	Number bool
}

// Row returns the row with the given key, or nil.
func (t *Table) Row(key string) *Row {
	for i := range t.Rows {
		if t.Rows[i].Key == key {
			return &t.Rows[i]
		}
	}
	return nil
}

// Cell returns the cell of the given row key and column, or nil.
func (t *Table) Cell(row, column string) *Cell {
	r, c := t.Row(row), slices.Index(t.Columns, column)
	if r == nil || c < 0 {
		return nil
	}
	return &r.Cells[c]
}

//go:embed data/*.csv claims/*.csv
var embedded embed.FS

// tables are all, in the paper's order. The data is part of the program, and its form is what the tests read.
var tables = sync.OnceValue(func() (all []*Table) {
	for _, r := range lines("data/index.csv") {
		t := &Table{ID: r["id"], PaperNumber: r["paper_number"], Title: r["title"]}
		t.read(r)
		all = append(all, t)
	}
	return all
})

// IDs returns the ids of all tables in the paper's order.
func IDs() (ids []string) {
	for _, t := range tables() {
		ids = append(ids, t.ID)
	}
	return ids
}

// Load returns the table with the given id. The table is shared: callers do not
// change it.
func Load(id string) (*Table, error) {
	for _, t := range tables() {
		if t.ID == id {
			return t, nil
		}
	}
	return nil, fmt.Errorf("published: no table %q; the tables are %s", id, strings.Join(IDs(), ", "))
}

// Tables returns all tables in the paper's order; they are shared as those of Load.
func Tables() []*Table { return slices.Clone(tables()) }

// Value returns the printed number of a cell. It is false if there is no such cell
// or if the paper prints no number there.
func Value(id, row, column string) (float64, bool) {
	c, _ := cell(id, row, column)
	return c.Value, c.Number
}

// cell returns a printed cell, and false where the paper has none.
func cell(id, row, column string) (Cell, bool) {
	if t, err := Load(id); err == nil {
		if c := t.Cell(row, column); c != nil {
			return *c, true
		}
	}
	return Cell{}, false
}

// read reads the rows of a table as its line of the index says.
func (t *Table) read(index map[string]string) {
	file := "data/" + t.ID + ".csv"
	names := strings.Split(index["row"], ";")
	special := append(slices.Clone(names), index["block"], index["origin"], index["bold"], index["underlined"])
	t.Columns = slices.DeleteFunc(readCSV(file)[0], func(h string) bool { return slices.Contains(special, h) })
	for _, r := range lines(file) {
		row := Row{Block: r[index["block"]], Origin: cmp.Or(Origin(r[index["origin"]]), Run)}
		var label []string
		for _, name := range names {
			if r[name] != "" {
				label = append(label, r[name])
			}
		}
		row.Label = strings.Join(label, "/")
		row.Key = row.Label
		if index["block"] != "" {
			row.Key = row.Block + "/" + row.Label
		}
		for _, c := range t.Columns {
			row.Cells = append(row.Cells, parseCell(r[c]))
		}
		t.Rows = append(t.Rows, row)
	}
}

// parseCell reads "" , "NA" and "-" as no content, a finite decimal number as a
// number and all else as text.
func parseCell(s string) Cell {
	if s == "" || s == "NA" || s == "-" {
		return Cell{}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return Cell{Text: s}
	}
	return Cell{Text: s, Value: v, Number: true}
}

// lines returns the lines of an embedded file by the names of their columns.
func lines(name string) (all []map[string]string) {
	records := readCSV(name)
	for _, r := range records[1:] {
		line := map[string]string{}
		for i, column := range records[0] {
			line[column] = r[i]
		}
		all = append(all, line)
	}
	return all
}

func readCSV(name string) [][]string {
	text := must(embedded.ReadFile(name))
	return must(csv.NewReader(bytes.NewReader(text)).ReadAll())
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
