package sts

import (
	"context"
	"strings"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/paper/qualitative"
)

// counterpart returns the paper's rows that a row reproduces, in Table 1 and in the
// tables of the groups. A row that names none, because its settings were chosen or its
// vectors are of another kind, is the counterpart of the named row with the same
// method, mix and removal of the principal component, if there is one with its vectors of that.
func (s *Result) counterpart(row profile.Row) (summary, detail string) {
	if row.PublishedSummary != "" {
		return row.PublishedSummary, row.PublishedDetail
	}
	for _, r := range s.Rows {
		if r.PublishedSummary != "" && r.Block != row.Block && r.Resembles(row) {
			if r.Vectors() == row.Vectors() {
				return r.PublishedSummary, r.PublishedDetail
			}
			if summary == "" {
				summary, detail = r.PublishedSummary, r.PublishedDetail
			}
		}
	}
	return summary, detail
}

// quantities returns our numbers next to the printed ones that they reproduce, those of
// averages with their bootstrap draws. The first row of a block with a counterpart
// stands for it.
func (s *Result) quantities(ctx context.Context, w *pipeline.Workspace) ([]results.Quantity, error) {
	var all []results.Quantity
	taken := map[string]bool{}
	for r, row := range s.Rows {
		if row.Block == ablationBlock {
			all = append(all, results.Quantity{
				Table: "sts_ablations", Row: row.Label, Column: average, Variant: results.Paper, Source: row.ID,
			}.With(s.Averages[r].Estimate))
			continue
		}
		summary, detail := s.counterpart(row)
		if summary == "" || taken[row.Block+"\n"+summary] {
			continue
		}
		taken[row.Block+"\n"+summary] = true
		first := len(all)
		for g, group := range s.Groups {
			if group.Unseen { // nor is anything printed of it
				continue
			}
			plain, _ := pipeline.Average(s.Measures[r][g])
			q := plain.Quantity(row, SummaryTable, summary, group.Published)
			if group.Validation {
				draws, err := w.GroupDraws(ctx, row, group)
				if err != nil {
					return nil, err
				}
				q.Draws = draws
			}
			all = append(all, q)
			if detail == "" { // the paper has the averages alone
				continue
			}
			all = append(all, plain.Quantity(row, group.Table, detail, "Average"))
			for i, m := range s.Measures[r][g] {
				all = append(all, m.Quantity(row, group.Table, detail, group.Sets[i].Name))
			}
		}
		all = append(all, results.Quantity{
			Table: SummaryTable, Row: summary, Column: average, Variant: pipeline.Variant(row), Source: row.ID,
		}.With(s.Averages[r].Estimate))
		if row.PublishedDetail != "" {
			all = append(all, settingQuantities(row)...)
		}
		if choice := s.Choices[row.ID]; choice != nil {
			for i := range all[first:] {
				all[first+i].Tried = choice.Tried
			}
		}
	}
	if !w.Profile.Published() || w.Further() {
		return all, nil
	}
	support, err := supportShare(ctx, w)
	if err != nil {
		return nil, err
	}
	all = append(append(all, settingNumbers(w.Profile)...), support)
	lengths, err := s.effectiveLengths(ctx, w)
	return append(all, lengths...), err
}

// ablationBlock is the block of rows that change one setting of the paper's CoMB each;
// their labels name them in claims.
const ablationBlock = "ablation"

// settingQuantities are the settings that a row of the paper's ran with, as its Table S5
// has them.
func settingQuantities(row profile.Row) []results.Quantity {
	_, name, _ := strings.Cut(row.PublishedDetail, "/")
	values := map[string]float64{}
	if h := row.Histograms(); row.HasHistograms() {
		values = map[string]float64{"alpha": h.Smoothing, "beta": h.Beta, "s": h.Shift, "K": float64(h.Clusters)}
		if h.Mix > 0 {
			values["mixing_m"] = h.Mix
		}
	} else if method.Varies(row.Method, "weights") { // the paper's table has no a of plain means
		values["sif_a"] = row.Weighting().A
	}
	var all []results.Quantity
	for _, column := range []string{"sif_a", "alpha", "beta", "s", "K", "mixing_m"} {
		if v, ok := values[column]; ok {
			all = append(all, results.Quantity{
				Table: settingsTable, Row: name, Column: column, Variant: pipeline.Variant(row), Source: row.ID,
				Value: v,
			})
		}
	}
	return all
}

// effectiveLengths returns, for each block but the paper's, the mean effective lengths of
// the test sets on which plain CoMB is better than SIF without its principal component,
// and of the others (the footnote on Table S8). Those of the paper's block belong to the
// comparison sentence by sentence.
func (s *Result) effectiveLengths(ctx context.Context, w *pipeline.Workspace) ([]results.Quantity, error) {
	find := func(block, method string, removePC bool) *profile.Row {
		for r, row := range s.Rows {
			if row.Block == block && row.Is(method, removePC) {
				return &s.Rows[r]
			}
		}
		return nil
	}
	var all []results.Quantity
	for _, b := range w.Profile.STS.Blocks {
		comb, sif := find(b.ID, "barycenter", false), find(b.ID, "sif", true)
		if b.ID == results.Paper || b.ID == ablationBlock || comb == nil || sif == nil {
			continue
		}
		q := &qualitative.Result{CoMB: *comb, SIF: *sif}
		if err := qualitative.Lengths(ctx, w, q); err != nil {
			return nil, err
		}
		all = append(all, q.EffectiveLengths(b.ID)...)
	}
	return all, nil
}
