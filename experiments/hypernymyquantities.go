package experiments

import (
	profile "contextmover/experiments/profiles"
	"contextmover/experiments/published"
	"contextmover/experiments/results"
)

const timingTable = "tableS15_hypeval_timings"

// quantities returns the average precisions that stand beside a printed number, with
// their bootstrap draws.
func (h *Hypernymy) quantities(p *profile.Profile) []results.Quantity {
	if !p.Hypernymy.Published {
		return nil
	}
	var all []results.Quantity
	add := func(table string, row HypernymyRow, column string, m *HypernymyMeasure) {
		if _, ok := published.Value(table, row.Key, column); !ok || m == nil {
			return
		}
		all = append(all, results.Quantity{
			Table: table, Row: row.Key, Column: column, Variant: results.Paper, Source: row.Key,
			Value: m.AP.Value, Low: &m.AP.Low, High: &m.AP.High, Draws: m.Draws,
		})
	}
	number := func(table, row, column string, v float64) {
		if _, ok := published.Value(table, row, column); ok || table == published.TextTable {
			all = append(all, results.Quantity{Table: table, Row: row, Column: column, Variant: results.Paper, Source: "data", Value: v})
		}
	}
	pairs := 0
	for s, set := range h.Sets {
		n := h.Measures[h.Rows[0].Key][s].Pairs
		if _, timed := published.Value(timingTable, set.Name, "size"); timed {
			pairs += n
		}
		number(timingTable, set.Name, "size", float64(n))
		if set.Name == p.Hypernymy.Accuracy {
			number(published.TextTable, "bibless: total pairs", "value", float64(n))
			number(published.TextTable, "bibless: OOV pairs", "value", float64(h.Unknown[s]))
		}
		column := set.Name
		if set.Validation {
			column += validationColumn
		}
		for _, row := range h.Rows {
			m := h.Measures[row.Key][s]
			add(hypernymyTable, row, column, m)
			add(hypernymyFullTable, row, column, m)
			add(hypernymyGridTable, row, column, m)
		}
		for _, row := range h.Grid {
			add(hypernymyGridTable, row, column, h.Measures[row.Key][s])
		}
	}
	number(timingTable, "Total", "size", float64(pairs))
	return all
}
