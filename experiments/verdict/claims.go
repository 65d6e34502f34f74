package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"contextmover/cmdlib/score"
	"contextmover/experiments/published"
	"contextmover/experiments/results"
)

// Decision says how a claim fares.
type Decision string

// The decisions on a claim.
const (
	Holds       Decision = "holds"
	Fails       Decision = "fails"
	Undecided   Decision = "undecided"
	NotTestable Decision = "not testable"
)

// Decisions lists all decisions on claims.
func Decisions() []Decision { return []Decision{Holds, Fails, Undecided, NotTestable} }

// Claim is a claim of the paper, tested under the paper's settings and under others.
type Claim struct {
	ID     string `json:"id"`
	Text   string `json:"claim"`
	Stated string `json:"stated"` // the paper's numbers
	Where  string `json:"where"`
	Remark string `json:"remark,omitempty"` // what recomputing it from the printed cells shows
	// Verdict and Reason are those under the paper's settings.
	Verdict Decision `json:"verdict"`
	Reason  string   `json:"reason"`
	// Others are those under other settings and with other vectors.
	Others []Outcome `json:"others,omitempty"`
}

// Outcome is a claim under other settings than the paper's.
type Outcome struct {
	Variant string   `json:"variant"`
	Verdict Decision `json:"verdict"`
	Reason  string   `json:"reason"`
}

// claims tests all claims.
func (o ours) claims() []Claim {
	var all []Claim
	for _, p := range published.Claims() {
		c := Claim{ID: p.ID, Text: p.Text, Stated: p.Numbers, Where: p.Source, Remark: p.Remark}
		c.Verdict, c.Reason, _ = o.claim(p, results.Paper)
		for _, v := range o.variants() {
			if v == results.Paper {
				continue
			}
			// Only where the variant has something of its own to say.
			if d, reason, own := o.claim(p, v); own && d != NotTestable {
				c.Others = append(c.Others, Outcome{v, d, reason})
			}
		}
		all = append(all, c)
	}
	return all
}

// claim tests a claim under a variant; own tells whether any quantity of the variant
// took part. A claim fails if any of its tests does and holds if all do.
func (o ours) claim(p published.Claim, variant string) (d Decision, reason string, own bool) {
	d = Holds
	var reasons []string
	rank := []Decision{Holds, Undecided, NotTestable, Fails}
	decisions := make([]Decision, len(p.Tests))
	whys := make([]string, len(p.Tests))
	for i, t := range p.Tests {
		var mine bool
		decisions[i], whys[i], mine = o.test(t, variant)
		own = own || mine
		if slices.Index(rank, decisions[i]) > slices.Index(rank, d) {
			d = decisions[i]
		}
	}
	for i, why := range whys {
		// One test that fails decides, whatever others could not be made.
		if !slices.Contains(reasons, why) && (d != Fails || decisions[i] != NotTestable) {
			reasons = append(reasons, why)
		}
	}
	return d, strings.Join(reasons, "; "), own
}

// test decides one test by the 95 % interval of its statistic over bootstrap draws:
// the test holds if the interval lies inside its bounds, fails if it lies outside,
// and else is undecided. Where the truth is at a bound, each of the two wrong
// decisions has a probability of 2.5 %.
func (o ours) test(t published.Test, variant string) (d Decision, reason string, own bool) {
	if t.Statistic == published.Untested {
		return NotTestable, t.Reason, false
	}
	right, mineRight, missingRight := o.resolve(t.Right, variant)
	tested, stoodIn := t.Left, false
	if variant != results.Paper && len(right) > 0 && !slices.ContainsFunc(right, func(q quantity) bool { return q.Source != "" }) {
		tested, stoodIn = standIns(t.Left)
	}
	left, mineLeft, missing := o.resolve(tested, variant)
	own = mineLeft || mineRight
	if missing == "" {
		missing = missingRight
	}
	if missing != "" {
		return NotTestable, missing, own
	}
	all := append(slices.Clone(left), right...)
	value := statistic(t.Statistic, pick(left, -1), pick(right, -1))
	low, high, ok := interval(t.Statistic, left, right)
	if t.Statistic == published.Attained {
		d = decide(t, low, high)
		unit := map[string]string{"1/s": " a second", "x": " times"}[machineUnit(t.Left[0])]
		if unit == "" {
			unit = " " + machineUnit(t.Left[0])
		}
		return d, significant(value, 3) + unit + " (" + left[0].Source + ")", own
	}
	show := describe(t, value)
	if !ok {
		return Undecided, show + ", without bootstrap draws to judge it by", own
	}
	if low != high {
		show += fmt.Sprintf(" [%.*f, %.*f]", digits(t), low, digits(t), high)
	}
	if len(all) <= 2 {
		var rows []string
		for i, q := range all {
			if q.Source == "" {
				rows = append(rows, fmt.Sprintf("printed %g", q.Value))
				continue
			}
			name := q.Source
			if len(all) == 2 && all[0].Source == all[1].Source { // then the addresses differ
				name = all[i].Row
				if all[0].Row == all[1].Row {
					name += " " + all[i].Column
				}
			}
			rows = append(rows, fmt.Sprintf("%s %.*f", name, digits(t), q.Value))
		}
		show += " (" + strings.Join(rows, ", ") + ")"
	}
	if stoodIn {
		show = "own vectors: " + show
	}
	d = decide(t, low, high)
	switch {
	case d == Fails && low > t.High && !math.IsInf(t.Low, -1):
		show += ": more than the claim says"
	case d == Fails && high < t.Low && t.Low > 0 && t.Statistic != published.Wins && high > 0:
		show += ": less than the claim says"
	}
	return d, show, own
}

// standIns replaces what cannot be had by what stands in for it, against numbers that the
// paper quotes.
func standIns(addresses []published.Address) (all []published.Address, any bool) {
	for _, a := range addresses {
		instead, ok := published.StandIn(a)
		all, any = append(all, instead), any || ok
	}
	return all, any
}

// decide compares an interval with the bounds of a test.
func decide(t published.Test, low, high float64) Decision {
	switch {
	case low > t.Low && high < t.High, low == high && low >= t.Low && high <= t.High && (t.Statistic == published.ValueOf || t.Statistic == published.Attained):
		return Holds
	case t.Statistic != published.Example && t.Statistic != published.Attained && (high < t.Low || low > t.High):
		return Fails
	}
	return Undecided
}

// constant stands for a number that the paper quotes: it has no source of ours and
// does not vary.
func constant(v float64) quantity { return quantity{Quantity: results.Quantity{Value: v}} }

// resolve finds the quantities of a test under a variant. Rows without settings to
// choose, such as NBoW, are those of the paper's settings with the same vectors. If
// something is missing, it says what and why.
func (o ours) resolve(addresses []published.Address, variant string) (all []quantity, own bool, missing string) {
	for _, a := range addresses {
		if v, ok := quoted(a); ok {
			all = append(all, constant(v))
			continue
		}
		q := o.find(a, variant)
		switch {
		case q != nil:
			own = true
		case strings.HasPrefix(variant, results.Chosen) && !strings.Contains(a.Table, "ablation"):
			q = o.find(a, results.Paper+strings.TrimPrefix(variant, results.Chosen))
		}
		if q == nil {
			if from, why := published.SourceOf(a); from == published.Unavailable {
				return nil, own, why
			}
			if from, _ := published.SourceOf(a); from == published.FromMachine {
				return nil, own, "not yet run: repro timings measures it"
			}
			return nil, own, "not yet run: " + a.String()
		}
		all = append(all, *q)
	}
	return all, own, ""
}

// quoted returns the printed number of a row that the authors did not run.
func quoted(a published.Address) (float64, bool) {
	if a.Table == published.TextTable {
		from, _ := published.SourceOf(a)
		for _, n := range published.TextNumbers() {
			if n.Row == a.Row && n.Number && from == published.Elsewhere {
				return n.AsNumber, true
			}
		}
		return 0, false
	}
	table, err := published.Load(a.Table)
	if err != nil {
		return 0, false
	}
	row := table.Row(a.Row)
	if row == nil || row.Origin == published.Run {
		return 0, false
	}
	return published.Value(a.Table, a.Row, a.Column)
}

// pick returns the values of quantities, those of draw d or, for −1, the estimates.
func pick(q []quantity, d int) []float64 {
	v := make([]float64, len(q))
	for i := range q {
		v[i] = q[i].Value
		if d >= 0 && q[i].Draws != nil {
			v[i] = q[i].Draws[d]
		}
	}
	return v
}

func statistic(s published.Statistic, left, right []float64) float64 {
	switch s {
	case published.ValueOf, published.Attained:
		return left[0]
	case published.Difference, published.Example:
		return mean(left) - mean(right)
	case published.Gain:
		return 100 * (mean(left)/mean(right) - 1)
	case published.Wins:
		n := 0.0
		for i := range left {
			if left[i] > right[i] {
				n++
			}
		}
		return n
	}
	panic("verdict: statistic " + s) // package published checks them
}

// interval returns the 95 % interval of a statistic. Draws of the same samples are
// paired. Where a quantity has an interval and no draws, the interval of a difference
// is as wide as both together, which is wider than it needs to be. It is false where
// there is neither.
func interval(s published.Statistic, left, right []quantity) (low, high float64, ok bool) {
	draws, experiment, paired := 0, "", true
	all := append(slices.Clone(left), right...)
	for _, q := range all {
		switch {
		case q.Source == "": // a constant
		case q.Draws == nil, draws > 0 && (len(q.Draws) != draws || q.experiment != experiment):
			paired = false
		default:
			draws, experiment = len(q.Draws), q.experiment
		}
	}
	if paired && draws > 0 {
		values := make([]float64, draws)
		for d := range values {
			values[d] = statistic(s, pick(left, d), pick(right, d))
		}
		low, high = score.Interval(values)
		return low, high, !math.IsInf(low, 0)
	}
	bounds := func(q quantity) (low, high float64, ok bool) {
		switch {
		case q.Source == "":
			return q.Value, q.Value, true
		case q.Low == nil || q.High == nil:
			return q.Value, q.Value, s == published.ValueOf || s == published.Attained // what is measured once, such as a time
		}
		return *q.Low, *q.High, true
	}
	switch {
	case s == published.ValueOf || s == published.Attained:
		return bounds(left[0])
	case (s == published.Difference || s == published.Example) && len(left) == 1 && len(right) == 1:
		a, b, ok := bounds(left[0])
		c, d, ok2 := bounds(right[0])
		return a - d, b - c, ok && ok2
	}
	return 0, 0, false
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func digits(t published.Test) int {
	switch {
	case t.Statistic == published.Wins:
		return 0
	case strings.HasSuffix(t.Left[0].Table, "_spearman"):
		return 3
	}
	return 2
}

func describe(t published.Test, value float64) string {
	switch t.Statistic {
	case published.Gain:
		return fmt.Sprintf("gain %+.2f %%", value)
	case published.Wins:
		return fmt.Sprintf("better on %.0f of %d", value, len(t.Left))
	case published.ValueOf:
		return fmt.Sprintf("%.*f", digits(t), value)
	}
	return fmt.Sprintf("difference %+.*f", digits(t), value)
}
