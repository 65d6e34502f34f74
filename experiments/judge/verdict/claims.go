package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
)

// Decision says how a claim fares.
type Decision string

// The decisions on a claim. Shown and Reached take the place of Holds for claims that cannot
// fail here.
const (
	Holds       Decision = "holds"
	Fails       Decision = "fails"
	Shown       Decision = "shown by example"
	Reached     Decision = "reached on other hardware"
	Undecided   Decision = "undecided"
	NotTestable Decision = "not testable"
)

// Claim is a claim of the paper, tested under the paper's settings and under others.
type Claim struct {
	ID     string         `json:"id"`
	Text   string         `json:"claim"`
	Kind   published.Kind `json:"kind"`
	Stated string         `json:"stated"` // the paper's numbers
	Where  string         `json:"where"`
	Remark string         `json:"remark,omitempty"` // what recomputing it from the printed cells shows
	// Profile is the one whose run decides the claim, "" where none does.
	Profile string `json:"profile,omitempty"`
	// Outcome is that under the paper's settings, with what its own text says.
	Outcome
	// Others are those under other settings, with other vectors, and of other readings.
	Others []Outcome `json:"others,omitempty"`
}

// Outcome is how a claim fares under one variant.
type Outcome struct {
	Variant  string   `json:"variant,omitempty"`
	Decision Decision `json:"decision"` // at 95 %, of this claim by itself
	// Direction and Size are Decision for the two apart: whether the sign is as claimed, and whether the stated size
	// is met within its tolerance. They are "" where the claim does not say, and where it cannot fail.
	Direction Decision `json:"direction,omitempty"`
	Size      Decision `json:"size,omitempty"`
	// Basis is what stands in for the vectors that the claim is about, "" where it is about
	// none or there is no decision.
	Basis   published.Basis `json:"basis,omitempty"`
	stoodIn bool            // a row with other vectors took the place of one of the claim's own
	quoted  bool            // a number that the paper quotes was compared with ours
	// Verdict is Decision with its basis, and says where it is lost to Holm's correction.
	Verdict string `json:"verdict"`
	// Refused: a comparison was unfair to the side that was not tuned, or hardly.
	Refused bool   `json:"refused,omitempty"`
	Reason  string `json:"reason"`
	// Evidence is the statistics and their intervals alone.
	Evidence string `json:"evidence,omitempty"`
	// P is the two-sided p-value of the claim against the bounds of what it says, Adjusted
	// that after Holm's correction for all claims that could have failed under the variant;
	// nil for other claims.
	P        *float64 `json:"p,omitempty"`
	Adjusted *float64 `json:"p_holm,omitempty"`
}

// claims tests all claims.
// On the files of the paper's authors nothing stands in for their vectors, but what does so for others.
func (o ours) claims(onTheirs bool) []Claim {
	var all []Claim
	for _, p := range published.Claims() {
		c := Claim{ID: p.ID, Text: p.Text, Kind: p.Kind, Stated: p.Numbers, Where: p.Source, Remark: p.Remark}
		c.Outcome, _ = o.claim(p, "", results.Paper)
		c.Variant = ""
		for _, reading := range readings(p) {
			other, _ := o.claim(p, reading, results.Paper)
			other.Variant = reading
			c.Others = append(c.Others, other)
		}
		for _, v := range o.variants() {
			// Only where the variant has something of its own to say.
			if other, tells := o.claim(p, "", v); v != results.Paper && tells {
				c.Others = append(c.Others, other)
			}
		}
		all = append(all, c)
	}
	for i := range all {
		for _, out := range all[i].outcomes() {
			if onTheirs && out.Basis != "" && !out.stoodIn {
				out.Basis = published.OnTheirs
			}
		}
	}
	correct(all)
	return all
}

// readings lists the other readings of a claim.
func readings(p published.Claim) (all []string) {
	for _, t := range p.Tests {
		if t.Reading != "" && !slices.Contains(all, t.Reading) {
			all = append(all, t.Reading)
		}
	}
	return all
}

// claim tests a reading of a claim under a variant; tells is whether a quantity of the variant
// took part and there is a decision, or an unfair comparison that was refused. A claim fails if
// any of its tests does and holds if all do.
func (o ours) claim(p published.Claim, reading, variant string) (out Outcome, tells bool) {
	out = Outcome{Variant: variant, Decision: Holds}
	var tests []tested
	for _, t := range p.Tests {
		if t.Reading != reading {
			continue
		}
		x := o.test(t, variant)
		tells, out.Refused = tells || x.own, out.Refused || x.Refused
		out.quoted, out.stoodIn = out.quoted || x.quoted, out.stoodIn || x.stoodIn
		out.Decision = worse(out.Decision, x.Decision)
		if x.Decision != NotTestable {
			out.Direction, out.Size = worse(out.Direction, x.Direction), worse(out.Size, x.Size)
		}
		tests = append(tests, x)
	}
	var reasons, evidence []string
	for _, x := range tests {
		// One test that fails decides, whatever others could not be made.
		if !slices.Contains(reasons, x.Reason) && (out.Decision != Fails || x.Decision != NotTestable) {
			reasons = append(reasons, x.Reason)
			if x.Evidence != "" {
				evidence = append(evidence, x.Evidence)
			}
		}
	}
	out.Reason = strings.Join(reasons, "; ")
	if out.Decision == NotTestable {
		out.Direction, out.Size = "", ""
		return out, tells && out.Refused
	}

	out.Refused, out.Evidence, out.Basis = false, strings.Join(evidence, "; "), p.Basis
	// Singular vectors stand where the paper has GloVe.
	if out.stoodIn || p.Basis != "" && strings.HasSuffix(variant, "-svd") {
		out.Basis = published.InKind
	}
	if p.Kind == published.CouldFail {
		value := pValue(out.Decision, tests)
		out.P = &value
	}
	switch {
	case out.Decision == Holds && p.Kind == published.ByExample:
		out.Decision = Shown
	case out.Decision == Holds && p.Kind == published.OnHardware:
		out.Decision = Reached
	}
	return out, tells
}

// worse returns the decision that two tests of one claim come to.
func worse(a, b Decision) Decision {
	rank := []Decision{"", Holds, Undecided, NotTestable, Fails}
	if slices.Index(rank, b) > slices.Index(rank, a) {
		return b
	}
	return a
}

// pValue combines the p-values of a claim's tests: that it holds, which takes all of them, by
// the largest (intersection–union), that it fails, for which one is enough, by the smallest
// times their number (Bonferroni).
func pValue(d Decision, tests []tested) float64 {
	holds, fails := 0.0, 1.0
	for _, x := range tests {
		holds, fails = max(holds, x.holds), min(fails, x.fails)
	}
	fails = min(1, fails*float64(len(tests)))
	switch d {
	case Holds:
		return holds
	case Fails:
		return fails
	}
	return min(holds, fails)
}

// correct adjusts the p-values of all claims that could have failed, those of each variant as
// a family of their own, and words the verdicts.
func correct(all []Claim) {
	families := map[string][]*Outcome{}
	for i := range all {
		c := &all[i]
		for _, out := range c.outcomes() {
			if out.P != nil {
				families[out.Variant] = append(families[out.Variant], out)
			}
		}
	}
	for _, family := range families {
		p := make([]float64, len(family))
		for i, out := range family {
			p[i] = *out.P
		}
		for i, adjusted := range score.Holm(p) {
			family[i].Adjusted = &adjusted
		}
	}
	for i := range all {
		for _, out := range all[i].outcomes() {
			out.Verdict = string(out.Decision)
			if out.Basis != "" {
				out.Verdict += ", " + string(out.Basis)
			}
			if out.Refused {
				out.Verdict += ": the baseline was not tuned"
			}
			if out.Lost() {
				out.Verdict += "; not after Holm's correction"
			}
		}
	}
}

// outcomes are the outcome of the claim itself and the others.
func (c *Claim) outcomes() []*Outcome {
	all := []*Outcome{&c.Outcome}
	for i := range c.Others {
		all = append(all, &c.Others[i])
	}
	return all
}

// Lost tells whether the claim is decided by itself and not after Holm's correction, which puts up with a wrong
// decision in 20.
func (o *Outcome) Lost() bool {
	return o.Adjusted != nil && *o.Adjusted > 0.05 && (o.Decision == Holds || o.Decision == Fails)
}

// tested is the outcome of one test.
type tested struct {
	Outcome
	own          bool    // a quantity of the variant itself took part
	holds, fails float64 // two-sided p-values of what the test says and of its contrary
}

// test decides one test by the 95 % interval of its statistic over bootstrap draws and seeds:
// the test holds if the interval lies inside its bounds, fails if it lies outside,
// and else is undecided. Where the truth is at a bound, each of the two wrong
// decisions has a probability of 2.5 %.
func (o ours) test(t published.Test, variant string) tested {
	out := tested{Outcome: Outcome{Decision: NotTestable}, holds: 1, fails: 1}
	if t.Statistic == published.Untested {
		out.Reason = t.Reason
		if seen, _, missing := o.resolve(t.Left, variant); missing == "" && len(seen) > 0 {
			out.Reason += fmt.Sprintf(": %.2f (%s)", seen[0].Value, seen[0].Source)
		}
		return out
	}
	right, mineRight, missingRight := o.resolve(t.Right, variant)
	wanted, stoodIn := t.Left, false
	if variant != results.Paper && len(right) > 0 && !slices.ContainsFunc(right, func(q quantity) bool {
		return q.Source != ""
	}) {
		if _, mine, _ := o.resolve(t.Left, variant); !mine {
			wanted, stoodIn = standIns(t.Left)
		}
	}
	left, mineLeft, missing := o.resolve(wanted, variant)
	out.own, out.stoodIn = mineLeft || mineRight, stoodIn
	if missing == "" {
		missing = missingRight
	}
	if missing != "" {
		out.Reason = missing
		return out
	}
	if out.Reason = unfair(left, right); out.Reason != "" {
		out.Refused = true
		return out
	}
	all := append(slices.Clone(left), right...)
	out.quoted = slices.ContainsFunc(all, func(q quantity) bool { return q.Source == "" })
	seeds, ok := seedsOf(all)
	if !ok {
		out.Reason = "the two sides were run with different numbers of seeds; run both again with repro run"
		return out
	}
	value := overSeeds(t.Statistic, left, right, seeds)
	low, high, values, ok := interval(t.Statistic, left, right)
	if t.Statistic == published.Attained {
		out.Decision = decide(t, low, high)
		unit := map[string]string{"1/s": " per second", "x": " times"}[machineUnit(t.Left[0])]
		if unit == "" {
			unit = " " + machineUnit(t.Left[0])
		}
		out.Evidence = significant(value, 3) + unit
		out.Reason = out.Evidence + " (" + left[0].Source + ")"
		return out
	}
	show := describe(t, value, seeds)
	if !ok {
		out.Decision, out.Reason = Undecided, show+", without bootstrap draws to judge it by"
		return out
	}
	if low != high {
		show += fmt.Sprintf(" [%.*f, %.*f]", digits(t), low, digits(t), high)
	}
	out.Evidence = show
	if seeds > 0 {
		show += fmt.Sprintf(", mean of %d seeds", seeds+1)
	}
	if len(all) <= 2 {
		names := strings.Join(rows(t, all), ", ")
		show += " (" + names + ")"
	}
	if stoodIn {
		show = "own vectors: " + show
	}
	out.Decision = decide(t, low, high)
	if direction, ok := t.Direction(); ok {
		out.Direction = decide(direction, low, high)
	}
	if t.Size() != "" {
		out.Size = out.Decision
	}
	switch {
	case out.Decision == Fails && low > t.High && !math.IsInf(t.Low, -1):
		show += ": more than the claim says"
	case out.Decision == Fails && high < t.Low && t.Low > 0 && t.Statistic != published.Wins && high > 0:
		show += ": less than the claim says"
	}
	out.Reason = show
	out.holds, out.fails = pValues(t, values, low, high)
	return out
}

// rows names the two rows of a test with their values, those that the paper quotes as quoted,
// and with how many settings were tried where they were chosen.
func rows(t published.Test, all []quantity) (names []string) {
	for i, q := range all {
		if q.Source == "" {
			names = append(names, fmt.Sprintf("quoted %g", q.Value))
			continue
		}
		name := q.Source
		if len(all) == 1 {
			name += ", " + q.Column
		}
		if len(all) == 2 && all[0].Source == all[1].Source { // then the addresses differ
			name = all[i].Row
			if all[0].Row == all[1].Row {
				name += " " + all[i].Column
			}
		}
		row := fmt.Sprintf("%s %.*f", name, digits(t), overSeeds(published.ValueOf, all[i:i+1], nil, len(q.Seeds)))
		if q.Tried > 0 {
			row += fmt.Sprintf(", best of %d settings", q.Tried)
		}
		names = append(names, row)
	}
	return names
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
	case low > t.Low && high < t.High, low == high && low >= t.Low && high <= t.High &&
		(t.Statistic == published.ValueOf || t.Statistic == published.Attained):
		return Holds
	case t.Statistic != published.Example && t.Statistic != published.Attained && (high < t.Low || low > t.High):
		return Fails
	}
	return Undecided
}

// leastP is the smallest p-value that 2,000 bootstrap draws can show.
const leastP = 2.0 / 2001

// pValues returns two-sided p-values of a test against its bounds and of its contrary, by score.Sides. Without draws
// they are those of a normal distribution with the same 95 % interval, and at least leastP.
func pValues(t published.Test, draws []float64, low, high float64) (holds, fails float64) {
	holds, fails = 0, 1
	for _, bound := range []float64{t.Low, t.High} {
		if math.IsInf(bound, 0) {
			continue
		}
		outside, inside := score.Sides(draws, bound)
		if len(draws) == 0 {
			const quantile = 1.959964 // of 97.5 %
			z := quantile * (low + high - 2*bound) / max(high-low, 1e-9)
			outside = max(leastP, min(1, math.Erfc(z/math.Sqrt2)))
			inside = max(leastP, min(1, math.Erfc(-z/math.Sqrt2)))
		}
		if bound == t.High {
			outside, inside = inside, outside
		}
		holds, fails = max(holds, outside), min(fails, inside)
	}
	return holds, fails
}

// constant stands for a number that the paper quotes: it has no source of ours and
// does not vary.
func constant(v float64) quantity { return quantity{Quantity: results.Quantity{Value: v}} }

// resolve finds the quantities of a test under a variant. Rows without settings to
// choose, such as NBoW, are those of the paper's settings with the same vectors. A row that
// the paper quotes stands with its printed numbers where it was not run here. If
// something is missing, it says what and why.
func (o ours) resolve(addresses []published.Address, variant string) (all []quantity, own bool, missing string) {
	for _, a := range addresses {
		q := o.find(a, variant)
		switch {
		case q != nil:
			own = true
		case strings.HasPrefix(variant, results.Chosen) && !strings.Contains(a.Table, "ablation"):
			q = o.find(a, results.Paper+strings.TrimPrefix(variant, results.Chosen))
		}
		if q == nil {
			if v, ok := quoted(a); ok {
				all = append(all, constant(v))
				continue
			}
			from, why := published.SourceOf(a)
			switch from {
			case published.Unavailable:
				return nil, own, why
			case published.FromMachine:
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

// seedsOf returns the number of further seeds of quantities; false if they differ. Those
// behind which nothing is random have none.
func seedsOf(all []quantity) (n int, ok bool) {
	for _, q := range all {
		if n > 0 && len(q.Seeds) > 0 && n != len(q.Seeds) {
			return 0, false
		}
		n = max(n, len(q.Seeds))
	}
	return n, true
}

// overSeeds is the mean of a statistic over the first seed and the given number of further
// ones.
func overSeeds(s published.Statistic, left, right []quantity, seeds int) float64 {
	at := func(all []quantity, seed int) []float64 {
		v := make([]float64, len(all))
		for i, q := range all {
			v[i] = q.Value
			if seed > 0 && len(q.Seeds) > 0 {
				v[i] = q.Seeds[seed-1]
			}
		}
		return v
	}
	sum := 0.0
	for seed := range seeds + 1 {
		sum += statistic(s, at(left, seed), at(right, seed))
	}
	return sum / float64(seeds+1)
}

func statistic(s published.Statistic, left, right []float64) float64 {
	switch s {
	case published.ValueOf, published.Attained:
		return left[0]
	case published.Difference, published.Example:
		return results.Mean(left) - results.Mean(right)
	case published.Gain:
		return 100 * (results.Mean(left)/results.Mean(right) - 1)
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

// interval returns the 95 % interval of a statistic over test items and seeds, and its draws.
// Draws of the same samples are paired. Where a quantity has an interval and no draws, the
// interval of a difference is as wide as both together, which is wider than it needs to be, and
// there are no draws. It is false where there is neither.
func interval(s published.Statistic, left, right []quantity) (low, high float64, values []float64, ok bool) {
	draws, experiment, paired := 0, "", true
	for _, q := range slices.Concat(left, right) {
		switch {
		case q.Source == "": // a constant
		case q.Draws == nil, draws > 0 && (len(q.Draws) != draws || q.experiment != experiment):
			paired = false
		default:
			draws, experiment = len(q.Draws), q.experiment
		}
	}
	if paired && draws > 0 {
		a, b := drawn(left, draws), drawn(right, draws)
		values = make([]float64, draws)
		for d := range values {
			values[d] = statistic(s, a[d], b[d])
		}
		low, high = score.Interval(values)
		return low, high, values, !math.IsInf(low, 0)
	}
	bounds := func(q quantity) (low, high float64, ok bool) {
		low, high = q.Value, q.Value
		// what is measured once, such as a time
		ok = q.Source == "" || s == published.ValueOf || s == published.Attained
		if q.Low != nil && q.High != nil {
			low, high, ok = *q.Low, *q.High, true
		}
		return low, high, ok
	}
	switch {
	case s == published.ValueOf || s == published.Attained:
		low, high, ok = bounds(left[0])
	case (s == published.Difference || s == published.Example) && len(left) == 1 && len(right) == 1:
		a, b, okLeft := bounds(left[0])
		c, d, okRight := bounds(right[0])
		low, high, ok = a-d, b-c, okLeft && okRight
	}
	return low, high, nil, ok
}

// drawn returns draws of quantities that contain the seeds, as [draw][quantity].
func drawn(all []quantity, draws int) [][]float64 {
	out := make([][]float64, draws)
	for _, q := range all {
		values := slices.Repeat([]float64{q.Value}, draws)
		if q.Source != "" {
			values = score.WithSeeds(q.Draws, q.Value, q.Seeds)
		}
		for d, x := range values {
			out[d] = append(out[d], x)
		}
	}
	return out
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

func describe(t published.Test, value float64, seeds int) string {
	switch t.Statistic {
	case published.Gain:
		return fmt.Sprintf("gain %+.2f %%", value)
	case published.Wins:
		return fmt.Sprintf("better on %.*f of %d", min(seeds, 1), value, len(t.Left))
	case published.ValueOf:
		return fmt.Sprintf("%+.*f", digits(t), value)
	}
	return fmt.Sprintf("difference %+.*f", digits(t), value)
}
