package hypernymy

import (
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/show/render"
)

// seeds is the table of seeds: of the AP of all rows on all sets, and of their accuracy.
func (h *Result) seeds() []*render.Table {
	var all []results.Quantity
	for _, row := range h.measured() {
		add := func(column string, e score.Estimate) {
			all = append(all, results.Quantity{Column: column, Source: row.Label, Value: e.Value, Seeds: e.Seeds})
		}
		for s, m := range h.Measures[row.Key].Sets {
			if m == nil {
				continue
			}
			add(h.Sets[s].Name, m.AP)
			if m.HeldOut != nil {
				add(h.Sets[s].Name+accuracyColumn, *m.HeldOut)
			}
		}
	}
	return present.SeedsTable(h.profile.Seeds.Hypernymy, h.profile, "hypernymy", all, func(results.Quantity) bool {
		return true
	})
}
