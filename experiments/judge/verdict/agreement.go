package verdict

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/score"
)

// Agreement measures by QRA++ (Belz 2025, arXiv 2505.17043) how well the scores of a table were reproduced.
type Agreement struct {
	Table string `json:"table"` // "" for all tables of scores together
	Cells int    `json:"cells"` // with a printed number and one of ours
	// CV is the median over cells of the CV* of the printed and our number, on a scale that begins at its lowest
	// value: a correlation, which can be −1, is shifted by 1. Unshifted is the same without that.
	CV        float64 `json:"cv"`
	Unshifted float64 `json:"cv_unshifted"`
	// Pearson and Spearman correlate the printed numbers with ours; nil with fewer than three cells.
	Pearson  *float64 `json:"pearson,omitempty"`
	Spearman *float64 `json:"spearman,omitempty"`
	// Findings are the claims about the table that could have failed, Confirmed those that hold.
	Findings  int `json:"findings"`
	Confirmed int `json:"confirmed"`
}

// CVStar is the coefficient of variation of n positive measurements of one quantity, in per cent, corrected for small
// samples,
//
//	CV* = 100 (1 + 1/(4n)) s / (c₄(n) mean),   c₄(n) = √(2/(n−1)) Γ(n/2) / Γ((n−1)/2),
//
// where s is their standard deviation with n − 1 in the denominator (Belz, Popović and Mille 2022, Quantified
// Reproducibility Assessment of NLP Results). It is NaN for fewer than two measurements or a mean that is not positive.
func CVStar(x ...float64) float64 {
	n := float64(len(x))
	mean, deviation := stat.MeanStdDev(x, nil)
	if n < 2 || mean <= 0 {
		return math.NaN()
	}
	c4 := math.Sqrt(2/(n-1)) * math.Gamma(n/2) / math.Gamma((n-1)/2)
	return 100 * (1 + 1/(4*n)) * deviation / c4 / mean
}

// lowest returns the lowest value of the scores of a table, by its title; it is false for a table that has none.
func lowest(title string) (float64, bool) {
	correlation := strings.Contains(title, "Pearson") || strings.Contains(title, "Spearman")
	switch {
	case correlation && strings.Contains(title, "× 100"):
		return -100, true
	case correlation:
		return -1, true
	}
	return 0, strings.Contains(title, "AP@all") || strings.Contains(title, "accuracy")
}

// agreement measures every table of scores, and last all of them together.
func (r *Report) agreement() (all []Agreement) {
	lows := map[string]float64{}
	for _, table := range published.Tables() {
		if low, scored := lowest(table.Title); scored {
			lows[table.ID] = low
		}
	}
	for _, table := range published.Tables() {
		if _, scored := lows[table.ID]; scored {
			all = append(all, r.measure(table.ID, lows))
		}
	}
	return append(all, r.measure("", lows))
}

// measure measures a table, or all that have a lowest value.
func (r *Report) measure(table string, lows map[string]float64) Agreement {
	a := Agreement{Table: table}
	var printed, ours, cv, unshifted []float64
	for _, c := range r.Cells {
		low, scored := lows[c.Table]
		if scored && (table == "" || table == c.Table) && c.Ours != nil && c.Number != nil &&
			slices.Contains(Computed(), c.Verdict) {
			printed, ours = append(printed, *c.Number), append(ours, *c.Ours)
			cv = append(cv, CVStar(*c.Number-low, *c.Ours-low))
			unshifted = append(unshifted, CVStar(*c.Number, *c.Ours))
		}
	}
	for i, p := range published.Claims() {
		left := p.Tests[0].Left
		if p.Kind == published.CouldFail && (table == "" || len(left) > 0 && left[0].Table == table) {
			a.Findings++
			if r.Claims[i].Decision == Holds {
				a.Confirmed++
			}
		}
	}
	correlate := func(of score.Correlation) *float64 {
		v, err := of(printed, ours)
		if len(ours) < 3 || err != nil {
			return nil
		}
		return &v
	}
	a.Cells, a.CV, a.Unshifted = len(ours), median(cv), median(unshifted)
	a.Pearson, a.Spearman = correlate(score.Pearson), correlate(score.Spearman)
	return a
}

// median is the median of the values that are numbers, 0 of none.
func median(x []float64) float64 {
	x = slices.DeleteFunc(slices.Clone(x), math.IsNaN)
	slices.Sort(x)
	if len(x) == 0 {
		return 0
	}
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
