package wordsim

import (
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
)

// quantities returns our numbers next to the printed ones that they reproduce, with their
// bootstrap draws. Cosine and Mix of every block are the counterparts of the paper's two
// rows; the first block that the paper has is under its settings.
func (s *Result) quantities() []results.Quantity {
	var cosine, mix string
	for _, row := range s.Rows {
		switch {
		case row.PublishedSummary == "":
		case !row.HasHistograms():
			cosine = row.PublishedSummary
		default:
			mix = row.PublishedSummary
		}
	}
	var all []results.Quantity
	for r, row := range s.Rows {
		paperRow, variant := row.PublishedSummary, row.Block
		switch {
		case paperRow != "":
			variant = results.Paper
		case !row.HasHistograms():
			paperRow = cosine
		case row.Histograms().Mix > 0:
			paperRow = mix
		}
		known := func(column string, pairs int) {
			all = append(all, results.Quantity{
				Table: mainTable, Row: "pairs_in_vocabulary", Column: column, Variant: variant, Source: row.ID,
				Value: float64(pairs),
			})
		}
		add := func(m pipeline.Measure, row, column string) {
			if _, ok := published.Value(mainTable, row, column); ok {
				all = append(all, results.Quantity{
					Table: mainTable, Row: row, Column: column, Variant: variant, Source: s.Rows[r].ID,
				}.With(m.Estimate))
			}
		}
		validation, test := s.split(s.Measures[r])
		if len(validation) > 0 {
			add(Average(validation), paperRow, "MEN+SimVerb-D_val")
		}
		for i, m := range s.Measures[r] {
			add(m, paperRow, s.Sets[i].Published)
			// Our rows count the same pairs, since they know the same words.
			if variant == results.Paper && !row.HasHistograms() && s.Sets[i].Published != "" {
				known(s.Sets[i].Published, m.Covered)
			}
		}
		average := Average(test)
		add(average, paperRow, "Wt_Average")
		if variant == results.Paper && !row.HasHistograms() {
			known("Wt_Average", average.Covered)
			if len(validation) > 0 {
				known("MEN+SimVerb-D_val", Average(validation).Covered)
			}
		}
	}
	return all
}
