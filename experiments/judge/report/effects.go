package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/show/render"
)

// effect is what a single change made of a row's average.
type effect struct {
	Key           string // of the row before
	Change, Row   string
	Before, After render.Cell
	Size          float64
	Shown         bool   // their intervals do not overlap
	Passes        string // the method that is better before and worse after, with its average
}

// Each of these pairs of rows of Table 1 differs in one thing.
var changes = []struct{ before, after, change string }{
	{
		"glove-sif-pc", "glove-sif-corpus-pc",
		"words weighed by the frequencies of this corpus instead of the list of SIF's code",
	},
	{"glove-comb", "glove-comb-uniform", "the same weight for all words"},
	{"glove-comb", "glove-comb-unclipped", "a ground cost that is not clipped"},
	{"glove-comb", "glove-comb-squared", "p = 2 instead of p = 1"},
	{"glove-comb", "glove-comb-beta-0", "histograms that are not divided by the associations of a cluster (beta = 0)"},
	{"glove-comb", "glove-comb-beta-0-size", "histograms divided by the sizes of the clusters instead"},
	{
		"glove-comb", "glove-comb-coded",
		"a barycenter's iterations started from an unweighted mean, as the paper's code does",
	},
	{
		"glove-euclidean", "glove-euclidean-released",
		"words weighed by sums of co-occurrence counts, undivided, as a branch of the paper's code does",
	},
	{"glove-comb", "glove-debiased", "barycenters without the blur of the regularisation (debiased)"},
	{"glove-comb-mix-pc", "comb-mix-pc", "singular vectors instead of GloVe, from the same text"},
	{"glove-comb-mix-pc", "glove-chosen-comb-mix-pc", "settings chosen on STS16 instead of the paper's"},
	{"glove-sif-pc", "glove-chosen-sif-pc", "settings chosen on STS16 instead of the paper's"},
}

const (
	changedTable  = "table1_sts_summary"
	changedColumn = "average"
	// best is the method that the paper puts first.
	best = "glove-comb-mix-pc"
)

// effects finds the pairs of rows in the results.
func effects(all []Experiment) (found []effect) {
	cells := map[string]render.Cell{}
	labels := map[string]string{}
	for _, e := range all {
		for _, t := range e.Results.Tables {
			k := slices.IndexFunc(t.Columns, func(c render.Column) bool { return c.Name == changedColumn })
			if t.ID != changedTable || k < 0 {
				continue
			}
			for _, b := range t.Blocks {
				for _, r := range b.Rows {
					cells[r.Key], labels[r.Key] = r.Cells[k], r.Label
				}
			}
		}
	}
	for _, c := range changes {
		a, b := cells[c.before], cells[c.after]
		if a.Value == nil || b.Value == nil || a.Interval == nil || b.Interval == nil {
			continue
		}
		x := effect{
			Key: c.before, Change: c.change, Row: labels[c.before], Before: a, After: b, Size: *b.Value - *a.Value,
			Shown: a.Interval.High < b.Interval.Low || b.Interval.High < a.Interval.Low,
		}
		if of := cells[best]; of.Value != nil && *a.Value < *of.Value && *of.Value < *b.Value {
			x.Passes = fmt.Sprintf("%s with %.1f", labels[best], *of.Value)
		}
		found = append(found, x)
	}
	slices.SortStableFunc(found, func(a, b effect) int { return -cmp.Compare(math.Abs(a.Size), math.Abs(b.Size)) })
	return found
}

// shown says of a cell that differs which change of its row alone was shown to move
// the row's average towards the printed number, beyond chance; "" if none was.
func shown(c verdict.Cell, all []effect) string {
	if c.Ours == nil || c.Number == nil || c.Verdict == verdict.Within || !slices.Contains(verdict.Computed(),
		c.Verdict) {
		return ""
	}
	for _, e := range all {
		if e.Key == c.Source && e.Shown && (e.Size > 0) == (*c.Number > *c.Ours) {
			return fmt.Sprintf("shown to move the average of this row towards the printed ones: %s (%.1f to %.1f)",
				e.Change, *e.Before.Value, *e.After.Value)
		}
	}
	return ""
}

// causes names the largest effects that are beyond chance, those first that turn a comparison round.
func causes(all []effect) string {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b effect) int {
		turns := func(e effect) int { return map[bool]int{true: 0, false: 1}[e.Passes != "" && e.Before.Value != nil] }
		return cmp.Compare(turns(a), turns(b))
	})
	var parts []string
	for _, e := range all {
		if !e.Shown || len(parts) == 3 {
			continue
		}
		text := fmt.Sprintf("%s, %s goes from %.1f to %.1f", e.Change, e.Row, *e.Before.Value, *e.After.Value)
		if e.Passes != "" {
			text += ", past " + e.Passes
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return ""
	}
	return "These changes, one at a time and beyond chance, move the averages of STS12–15 most: with " +
		strings.Join(parts, "; with ") + "."
}
