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

// answer says in five sentences what held, what failed and why, from the results alone; a sentence for which they have
// nothing is left out.
func answer(r *verdict.Report, effects []effect) (lines []lead) {
	add := func(name, text string) {
		if text != "" {
			lines = append(lines, lead{name, text})
		}
	}
	add("The claims", countClaims(r))
	add("What held", examples(r, verdict.Holds))
	add("What failed", examples(r, verdict.Fails))
	add("Why", causes(effects))
	add("The numbers", countCells(r))
	return lines
}

type lead struct{ Name, Text string }

func countClaims(r *verdict.Report) string {
	could, tested, lost := 0, 0, 0
	n := map[verdict.Decision]int{}
	for _, t := range r.Tallies() {
		if !strings.HasPrefix(t.Name(), "could have failed") {
			continue
		}
		could += len(t.Claims)
		lost += t.Lost
		for _, d := range []verdict.Decision{verdict.Holds, verdict.Fails, verdict.Undecided} {
			n[d] += t.Decisions[d]
			tested += t.Decisions[d]
		}
	}
	if tested == 0 {
		return fmt.Sprintf("None of the %d claims of the paper that could fail has been tested yet.", could)
	}
	text := fmt.Sprintf("Of the paper's %d claims %d could fail, and %d of them were tested under its settings: %d "+
		"hold, %d fail, and %d are undecided.",
		len(r.Claims), could, tested, n[verdict.Holds], n[verdict.Fails], n[verdict.Undecided])
	if decided := n[verdict.Holds] + n[verdict.Fails]; lost > 0 {
		text = strings.TrimSuffix(text, ".") + fmt.Sprintf(
			"; corrected for testing so many at once, %d of the %d decisions remain.", decided-lost, decided,
		)
	}
	return text
}

// examples names the claims with a decision that is sure, at most three, the surest first.
func examples(r *verdict.Report, d verdict.Decision) string {
	var found []verdict.Claim
	all := 0
	for _, c := range r.Claims {
		if c.Decision != d {
			continue
		}
		all++
		if !c.Lost() {
			found = append(found, c)
		}
	}
	if all == 0 {
		return ""
	}
	slices.SortStableFunc(found, func(a, b verdict.Claim) int {
		return cmp.Or(cmp.Compare(*cmp.Or(a.P, new(1.0)), *cmp.Or(b.P, new(1.0))),
			-cmp.Compare(distance(a), distance(b)))
	})
	var parts []string
	for _, c := range found[:min(3, len(found))] {
		text := c.Text
		if len(c.Measured) > 0 {
			text += " (" + deciding(c).Show() + ")"
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return fmt.Sprintf("%s, none of which remains after the correction.", claims(all))
	}
	text := strings.Join(parts, "; ")
	if more := all - len(parts); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text + "."
}

// deciding is the statistic that a claim failed by, or its first.
func deciding(c verdict.Claim) verdict.Measured {
	for _, m := range c.Measured {
		if c.Decision == verdict.Fails && (m.High < m.From || m.Low > m.To) {
			return m
		}
	}
	return c.Measured[0]
}

func claims(n int) string {
	if n == 1 {
		return "One claim"
	}
	return fmt.Sprintf("%d claims", n)
}

// distance is how many widths of its interval the first statistic of a claim lies from what the claim says.
func distance(c verdict.Claim) float64 {
	if len(c.Measured) == 0 {
		return 0
	}
	m := deciding(c)
	bound := m.From
	if math.IsInf(bound, 0) {
		bound = m.To
	}
	return math.Abs(m.Value-bound) / max(m.High-m.Low, 1e-9)
}

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
		"words weighed by sums of co-occurrence counts, undivided, as in the paper's code",
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

// countCells says how our numbers lie to the printed ones.
func countCells(r *verdict.Report) string {
	n := verdict.Count(r.Cells)
	all := 0
	for _, v := range verdict.Computed() {
		all += n[v]
	}
	if all == 0 {
		return ""
	}
	var d []float64
	for _, c := range r.Cells {
		if strings.HasPrefix(c.Table, changedTable) && c.Ours != nil && c.Number != nil &&
			slices.Contains(verdict.Computed(), c.Verdict) {
			d = append(d, *c.Ours-*c.Number)
		}
	}
	text := fmt.Sprintf("Of %d printed results that were computed here %d agree within the printed rounding or are "+
		"the same word, %d agree with other settings or vectors, %d cannot be told apart on so few items, and %d "+
		"differ",
		all, n[verdict.Within]+n[verdict.SameWord], n[verdict.Otherwise], n[verdict.Indistinguishable],
		n[verdict.Differs])
	if len(d) > 0 {
		slices.Sort(d)
		text += fmt.Sprintf("; on Table 1 ours are a median of %+.1f points from the printed ones", d[len(d)/2])
	}
	return text + "."
}
