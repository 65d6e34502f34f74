package hypernymy

import (
	"slices"

	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
)

// quantities returns our numbers next to the printed ones with their bootstrap draws, so
// that claims can be tested on the same samples, and the counts that the text gives. The row
// chosen on the validation set stands for each of the paper's rows of CMD.
func (h *Result) quantities() []results.Quantity {
	if !h.profile.Hypernymy.Published {
		return nil
	}
	var all []results.Quantity
	add := func(table, paperRow, column, variant string, row Row, tried int, e score.Estimate) {
		paperRow = keyIn(table, paperRow)
		if _, ok := published.Value(table, paperRow, column); ok {
			all = append(all, results.Quantity{
				Table: table, Row: paperRow, Column: column, Variant: variant, Source: row.Key, Tried: tried,
			}.With(e))
		}
	}
	rows := func(paperRow, variant string, row Row, tried int) {
		for s, set := range h.Sets {
			m := h.Measures[row.Key].Sets[s]
			if m == nil {
				continue
			}
			column := set.Name
			if set.Validation {
				column += validationColumn
			}
			for _, table := range []string{mainTable, fullTable, gridTable} {
				add(table, paperRow, column, variant, row, tried, m.AP)
			}
			if m.HeldOut != nil {
				add(mainTable, paperRow, set.Name+accuracyColumn, variant, row, tried, *m.HeldOut)
				add(accuracyTable, paperRow, "accuracy_pct", variant, row, tried, *m.HeldOut)
			}
		}
		if m := h.Measures[row.Key].Graded; m != nil {
			add(hyperLexTable, paperRow, "spearman", variant, row, tried, m.All)
		}
	}
	for _, row := range slices.Concat(h.Rows, h.Grid) {
		rows(row.Key, results.Paper, row, 0)
	}
	for _, chosen := range h.CMD.Chosen {
		for _, row := range h.Rows[1:] {
			rows(row.Key, results.Chosen, chosen, len(h.CMD.Tried))
		}
	}
	for _, s := range h.Systems {
		rows(s.Row.Key, results.Paper, s.Row, 0)
		for _, chosen := range s.Chosen {
			rows(s.Row.Key, results.Chosen, chosen, len(s.Tried))
		}
	}
	if h.Pairs != nil {
		s := h.accuracySet()
		count := func(name string, n int) {
			all = append(all, results.Quantity{
				Table: published.TextTable, Row: "bibless: " + name, Column: "value", Variant: results.Paper,
				Source: h.Sets[s].Name, Value: float64(n),
			})
		}
		count("total pairs", len(h.Pairs))
		count("OOV pairs", h.Unknown[s])
		count("in-vocabulary True", h.KnownTrue)
		count("in-vocabulary False", len(h.Pairs)-h.Unknown[s]-h.KnownTrue)
	}
	return all
}
