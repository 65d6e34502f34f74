package results

import (
	"cmp"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/show/render"
)

// OfTables returns the cells of tables that have a printed number or a printed word, and no quantity yet. Such a
// table has the paper's id, and its rows and columns have the paper's names.
func OfTables(have []Quantity, tables []*render.Table) []Quantity {
	type address struct{ table, row, column string }
	known := map[address]bool{}
	for _, q := range have {
		known[address{q.Table, q.Row, q.Column}] = true
	}
	var all []Quantity
	for _, t := range tables {
		paper, err := published.Load(t.ID)
		if err != nil {
			continue // a table of our own
		}
		for _, b := range t.Blocks {
			for _, r := range b.Rows {
				row := cmp.Or(r.Key, r.Label)
				for k, c := range r.Cells {
					column := t.Columns[k].Address()
					cell := paper.Cell(row, column)
					number := c.Value != nil && c.Printed != nil
					word := c.Text != "" && cell != nil && cell.Text != "" && !cell.Number
					if cell == nil || !number && !word || known[address{t.ID, row, column}] {
						continue
					}
					q := Quantity{Table: t.ID, Row: row, Column: column, Variant: Paper, Source: row, Text: c.Text}
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
