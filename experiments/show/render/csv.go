package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// CSV writes t in long form, one line a cell, with full precision:
//
//	table,row,column,ours,low,high,printed,difference,coverage,origin
//
// row is the row's key; ours is our number or the cell's text; difference is ours minus printed to six decimals;
// coverage is the share of scored items. origin says where the printed numbers of the row come from: run, quoted or
// not_stated. Absent values are empty.
func CSV(w io.Writer, t *Table) error {
	if err := t.check(); err != nil {
		return err
	}
	out := csv.NewWriter(w)
	// The writer keeps its first error for Flush and Error.
	out.Write([]string{"table", "row", "column", "ours", "low", "high", "printed", "difference", "coverage", "origin"})
	full := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	for _, b := range t.Blocks {
		for _, r := range b.Rows {
			origin := string(r.Origin)
			if r.Origin == Run {
				origin = "run"
			}
			for k, c := range r.Cells {
				line := []string{
					t.ID, r.key(), t.Columns[k].Address(), full(c.Value), "", "", full(c.Printed), "", "", origin,
				}
				if c.Text != "" {
					line[3] = c.Text
				}
				if c.Interval != nil {
					line[4], line[5] = full(&c.Interval.Low), full(&c.Interval.High)
				}
				if c.Value != nil && c.Printed != nil {
					line[7] = strconv.FormatFloat(*c.Value-*c.Printed, 'f', 6, 64)
				}
				if c.Coverage != nil {
					line[8] = strconv.FormatFloat(float64(c.Coverage.Covered)/float64(c.Coverage.Total), 'g', -1, 64)
				}
				out.Write(line)
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("render: table %s: %w", t.ID, err)
	}
	return nil
}
