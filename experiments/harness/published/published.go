// Package published holds what the paper printed: the cells of its tables as data,
// so that every reproduced number can be put next to the one it reproduces.
//
// A cell is addressed by its table's id, its row's key and its column, for example
// ("tableS1a_sts12_detail", "glove_tbc/CoMB (GloVe)", "MSRpar"). Source: Singh, Hug,
// Dieuleveut, Jaggi, AISTATS 2020; see data/README.md for the form of the files.
package published

import (
	"bytes"
	"embed"
	"encoding/csv"
	"fmt"
	"io/fs"
	"math"
	"path"
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
	Text       string  // as printed; "" for a cell without content
	Value      float64 // the number in Text, zero if Number is false
	Number     bool
	Bold       bool
	Underlined bool
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

//go:embed data/*.csv
var embedded embed.FS

var load = sync.OnceValues(func() (*library, error) {
	data, err := fs.Sub(embedded, "data")
	if err != nil {
		return nil, err
	}
	return read(data)
})

type library struct {
	ids    []string
	tables map[string]*Table
}

// mustLoad panics on a broken transcription: the data is part of the program and
// the tests read all of it.
func mustLoad() *library {
	l, err := load()
	if err != nil {
		panic(err)
	}
	return l
}

// IDs returns the ids of all tables in the paper's order.
func IDs() []string { return slices.Clone(mustLoad().ids) }

// Load returns the table with the given id. The table is shared: callers do not
// change it.
func Load(id string) (*Table, error) {
	l := mustLoad()
	t, ok := l.tables[id]
	if !ok {
		return nil, fmt.Errorf("published: no table %q; the tables are %s", id, strings.Join(l.ids, ", "))
	}
	return t, nil
}

// Tables returns all tables in the paper's order; they are shared as those of Load.
func Tables() (all []*Table) {
	l := mustLoad()
	for _, id := range l.ids {
		all = append(all, l.tables[id])
	}
	return all
}

// Value returns the printed number of a cell. It is false if there is no such cell
// or if the paper prints no number there.
func Value(id, row, column string) (float64, bool) {
	c, _ := cell(id, row, column)
	return c.Value, c.Number
}

// cell returns a printed cell, and false where the paper has none.
func cell(id, row, column string) (Cell, bool) {
	if t := mustLoad().tables[id]; t != nil {
		if c := t.Cell(row, column); c != nil {
			return *c, true
		}
	}
	return Cell{}, false
}

var indexHeader = []string{"id", "paper_number", "title", "row", "block", "origin", "bold", "underlined"}

// layout names the columns of a file that are not columns of its table.
type layout struct {
	rows                            []string
	block, origin, bold, underlined string
}

func read(data fs.FS) (*library, error) {
	records, err := readCSV(data, "index.csv")
	if err != nil {
		return nil, err
	}
	if !slices.Equal(records[0], indexHeader) {
		return nil, fmt.Errorf("published: index.csv:1: columns %q, expected %q", records[0], indexHeader)
	}
	l := &library{tables: make(map[string]*Table)}
	for i, r := range records[1:] {
		t := &Table{ID: r[0], PaperNumber: r[1], Title: r[2]}
		if t.ID == "" || t.PaperNumber == "" || t.Title == "" || r[3] == "" {
			return nil, fmt.Errorf("published: index.csv:%d: id, paper_number, title and row must not be empty", i+2)
		}
		if l.tables[t.ID] != nil {
			return nil, fmt.Errorf("published: index.csv:%d: table %q is listed twice", i+2, t.ID)
		}
		if err := t.read(data, layout{strings.Split(r[3], ";"), r[4], r[5], r[6], r[7]}); err != nil {
			return nil, err
		}
		l.ids = append(l.ids, t.ID)
		l.tables[t.ID] = t
	}
	files, err := fs.Glob(data, "*.csv")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if id := strings.TrimSuffix(path.Base(f), ".csv"); id != "index" && l.tables[id] == nil {
			return nil, fmt.Errorf("published: %s is not listed in index.csv", f)
		}
	}
	return l, nil
}

func (t *Table) read(data fs.FS, lay layout) error {
	name := t.ID + ".csv"
	records, err := readCSV(data, name)
	if err != nil {
		return err
	}
	header := records[0]
	position := make(map[string]int, len(header))
	for i, h := range header {
		if _, twice := position[h]; twice || h == "" {
			return fmt.Errorf("published: %s:1: column %q is empty or occurs twice", name, h)
		}
		position[h] = i
	}
	special := slices.Clone(lay.rows)
	for _, c := range []string{lay.block, lay.origin, lay.bold, lay.underlined} {
		if c != "" {
			special = append(special, c)
		}
	}
	for _, c := range special {
		if _, ok := position[c]; !ok {
			return fmt.Errorf("published: %s:1: index.csv names the column %q, which the file lacks", name, c)
		}
	}
	for _, h := range header {
		if !slices.Contains(special, h) {
			t.Columns = append(t.Columns, h)
		}
	}

	for i, record := range records[1:] {
		field := func(column string) string {
			if column == "" {
				return ""
			}
			return record[position[column]]
		}
		fail := func(format string, args ...any) error {
			return fmt.Errorf("published: %s:%d: %s", name, i+2, fmt.Sprintf(format, args...))
		}
		row := Row{Block: field(lay.block), Origin: Run}
		var label []string
		for _, c := range lay.rows {
			if v := field(c); v != "" {
				label = append(label, v)
			}
		}
		row.Label = strings.Join(label, "/")
		if row.Label == "" {
			return fail("the row has no name in %q", lay.rows)
		}
		row.Key = row.Label
		if lay.block != "" {
			row.Key = row.Block + "/" + row.Label
		}
		if t.Row(row.Key) != nil {
			return fail("the row %q occurs twice", row.Key)
		}
		if lay.origin != "" {
			row.Origin = Origin(field(lay.origin))
			if row.Origin != Run && row.Origin != Quoted && row.Origin != NotStated {
				return fail("origin %q, expected %s, %s or %s", row.Origin, Run, Quoted, NotStated)
			}
		}
		for _, c := range t.Columns {
			row.Cells = append(row.Cells, parseCell(field(c)))
		}
		for i, list := range []string{field(lay.bold), field(lay.underlined)} {
			for c := range strings.FieldsFuncSeq(list, func(r rune) bool { return r == ';' }) {
				k := slices.Index(t.Columns, c)
				if k < 0 || !row.Cells[k].Number {
					return fail("the marked column %q holds no number", c)
				}
				row.Cells[k].Bold = row.Cells[k].Bold || i == 0
				row.Cells[k].Underlined = row.Cells[k].Underlined || i == 1
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return nil
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

func readCSV(data fs.FS, name string) ([][]string, error) {
	content, err := fs.ReadFile(data, name)
	if err != nil {
		return nil, fmt.Errorf("published: %w", err)
	}
	records, err := csv.NewReader(bytes.NewReader(content)).ReadAll() // equal numbers of fields are checked
	if err != nil {
		return nil, fmt.Errorf("published: %s: %w", name, err)
	}
	if len(records) < 2 {
		return nil, fmt.Errorf("published: %s: %d lines, expected a header and at least one row", name, len(records))
	}
	return records, nil
}
