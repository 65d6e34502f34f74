package display

import (
	"cmp"
	"fmt"
	"path"
	"slices"

	"contextmover/experiments/harness/results"
	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/render"
)

// Against shows a table of the recorded run of a profile as a picture: our values with their 95 % intervals next to the
// printed ones, a panel for each column whose name matches a pattern and in it a line for each row that has both. It
// takes no data.
func Against(profile, table string, columns ...string) {
	Figure(against(must(verdict.RecordedResults(profile)), profile, table, columns))
}

func against(all []*results.Result, profile, table string, columns []string) (*figure.Figure, error) {
	var t *render.Table
	for _, r := range all {
		if at := slices.IndexFunc(r.Tables, func(t *render.Table) bool { return t.ID == table }); at >= 0 {
			t = r.Tables[at]
		}
	}
	if t == nil {
		return nil, fmt.Errorf("display: the recorded run of profile %s has no table %s", profile, table)
	}
	f := &figure.Figure{
		ID: table + "_against", Title: t.Title + ": our values and the printed ones",
		Caption: "Our values with 95 % bootstrap intervals, and those that the paper prints, which have none.",
		Columns: 3, Provenance: figure.Provenance{Profile: profile},
	}
	for c, column := range t.Columns {
		name := column.Name
		if !slices.ContainsFunc(columns, func(p string) bool { ok, _ := path.Match(p, name); return ok }) {
			continue
		}
		for _, b := range t.Blocks {
			for _, row := range b.Rows {
				cell := row.Cells[c]
				if cell.Value == nil || cell.Printed == nil {
					continue
				}
				i := cmp.Or(cell.Interval, &render.Interval{Low: *cell.Value, High: *cell.Value})
				panel := f.Intervals(name, "score × 100", "", []string{"ours", "printed"})
				panel.Names = append(panel.Names, row.Label)
				panel.Series[0].Add(*cell.Value, i.Low, i.High)
				panel.Series[1].Add(*cell.Printed, *cell.Printed, *cell.Printed)
			}
		}
	}
	if len(f.Panels) == 0 {
		return nil, fmt.Errorf("display: table %s has no column %q with values of ours and printed ones",
			table, columns)
	}
	return f.FitLines(16), nil
}
