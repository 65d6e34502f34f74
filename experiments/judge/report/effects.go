package report

import (
	"cmp"
	"math"
	"slices"

	"contextmover/experiments/show/render"
)

// effect is what a single change made of a row's average.
type effect struct {
	Change, Row   string
	Before, After render.Cell
	Size          float64
	Shown         bool // their intervals do not overlap
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
		found = append(found, effect{
			Change: c.change, Row: labels[c.before], Before: a, After: b, Size: *b.Value - *a.Value,
			Shown: a.Interval.High < b.Interval.Low || b.Interval.High < a.Interval.Low,
		})
	}
	slices.SortStableFunc(found, func(a, b effect) int { return -cmp.Compare(math.Abs(a.Size), math.Abs(b.Size)) })
	return found
}
