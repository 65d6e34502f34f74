package verdict

import (
	"math"
	"strings"
	"testing"

	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
)

// chosen is a row's average whose settings are the best of so many.
func chosen(row string, value float64, tried int) results.Quantity {
	q := average(row, results.Chosen, value, normal(value, .1, uint64(value)))
	q.Tried = tried
	return q
}

// A row that was searched beats a baseline that was not, or hardly, by the search alone: that
// comparison is refused. It is shown, so that nobody misses it.
func TestUntunedBaselineIsRefused(t *testing.T) {
	paper := func(row string, value float64) results.Quantity {
		return average(row, results.Paper, value, normal(value, .1, uint64(value)))
	}
	for _, c := range []struct {
		name string
		all  []results.Quantity
		want Decision
		why  string
	}{
		{"not searched", []results.Quantity{chosen("CoMB", 60, 96), paper("SIF", 50)}, NotTestable, "paper SIF as it is against chosen CoMB, whose settings were chosen among 96"},
		{"given in the chosen block", []results.Quantity{chosen("CoMB", 60, 96), chosen("SIF", 50, 0)}, NotTestable, "chosen SIF as it is"},
		{"ours was not searched", []results.Quantity{chosen("CoMB", 60, 0), chosen("SIF", 50, 96)}, NotTestable, "chosen CoMB as it is"},
		{"far fewer", []results.Quantity{chosen("CoMB", 60, 48), chosen("SIF", 50, 8)}, NotTestable, "chosen SIF, best of 8 settings, against chosen CoMB, best of 48"},
		{"ours among far fewer", []results.Quantity{chosen("CoMB", 60, 8), chosen("SIF", 50, 48)}, NotTestable, "chosen CoMB, best of 8 settings, against"},
		{"as many", []results.Quantity{chosen("CoMB", 60, 96), chosen("SIF", 50, 96)}, Holds, "chosen CoMB 60.00, best of 96 settings, chosen SIF 50.00, best of 96 settings"},
		{"a few less", []results.Quantity{chosen("CoMB", 60, 384), chosen("SIF", 50, 96)}, Holds, "best of 96 settings"},
		{"neither was searched", []results.Quantity{chosen("CoMB", 60, 0), chosen("SIF", 50, 0)}, Holds, "chosen SIF 50.00)"},
	} {
		got := claim(t, Judge("open", one(c.all...)), "C02")
		if len(got.Others) != 1 || got.Others[0].Decision != c.want || !strings.Contains(got.Others[0].Reason, c.why) {
			t.Errorf("%s: %+v, want %s (%s)", c.name, got.Others, c.want, c.why)
		} else if refused := strings.HasSuffix(got.Others[0].Verdict, "the baseline was not tuned"); refused != (c.want == NotTestable) {
			t.Errorf("%s: verdict %q", c.name, got.Others[0].Verdict)
		}
	}
	// Numbers of other work are what they are, and marked as quoted.
	got := claim(t, Judge("open", one(chosen("CoMB Mix + PC removed", 66, 96))), "C13")
	if len(got.Others) != 1 || got.Others[0].Decision != Holds || !strings.Contains(got.Others[0].Reason, "quoted 63.3") {
		t.Errorf("against a quoted number: %+v", got.Others)
	}
}

// The interval contains what another seed would have given, and what a seed does to both
// sides alike is no spread of their difference.
func TestSeedsAreInTheInterval(t *testing.T) {
	judge := func(comb, nbow []float64) Claim {
		a, b := average("CoMB", results.Paper, 50, normal(50, .1, 1)), average("NBoW", results.Paper, 48, normal(48, .1, 2))
		a.Seeds, b.Seeds = comb, nbow
		return claim(t, Judge("open", one(a, b)), "C01")
	}
	for _, c := range []struct {
		name       string
		comb, nbow []float64
		want       Decision
		why        string
	}{
		{"one seed", nil, nil, Holds, "difference +2.00 ["},
		{"seeds agree", []float64{50.1, 49.9}, []float64{48.1, 47.9}, Holds, "mean of 3 seeds (paper CoMB 50.00"},
		{"seeds shift both", []float64{60, 40}, []float64{58, 38}, Holds, "difference +2.00 ["},
		{"another seed turns it round", []float64{47, 53}, []float64{48, 48}, Undecided, "difference +2.00 ["},
		{"the first seed was lucky", []float64{46, 46, 46, 46}, nil, Undecided, "difference -1.20 ["},
		{"unequal numbers", []float64{47, 53}, []float64{48}, NotTestable, "different numbers of seeds"},
	} {
		if got := judge(c.comb, c.nbow); got.Decision != c.want || !strings.Contains(got.Reason, c.why) {
			t.Errorf("%s: %s (%s), want %s (%s)", c.name, got.Decision, got.Reason, c.want, c.why)
		}
	}
}

// p-values follow from the draws by their definition, and agree with the 95 % interval.
func TestPValues(t *testing.T) {
	draws := make([]float64, 999) // 1 to 999
	for i := range draws {
		draws[i] = float64(i + 1)
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		low, high    float64
		holds, fails float64
	}{
		{0.5, inf, .002, 1},      // none outside
		{10, inf, 2 * .011, 1},   // ten at the bound or below
		{-inf, 990, 2 * .011, 1}, // ten at the bound or above
		{10, 980, 2 * .021, 1},   // the worse side decides
		{995, inf, 1, 2 * .006},  // five at the bound or above
		{-inf, 3, 1, 2 * .004},   // three at the bound or below
		{500, inf, 1, 1},         // in the middle
		{1000, inf, 1, .002},     // all outside
	} {
		test := published.Test{Statistic: published.Difference, Low: c.low, High: c.high}
		holds, fails := pValues(test, draws, 0, 0)
		if math.Abs(holds-c.holds) > 1e-12 || math.Abs(fails-c.fails) > 1e-12 {
			t.Errorf("[%v, %v]: %v and %v, want %v and %v", c.low, c.high, holds, fails, c.holds, c.fails)
		}
	}
	// Without draws they are those of a normal distribution: its interval touches the bound at 5 %, and lies a standard
	// error and its interval away from it at the probability of 2.96 standard errors.
	test := published.Test{Statistic: published.ValueOf, Low: 0, High: inf}
	for _, c := range []struct{ low, high, holds, fails float64 }{
		{0, 2, .05, 1}, {-2, 0, 1, .05}, {-1, 1, 1, 1}, {1 / 1.959964, 2 + 1/1.959964, .003076, 1},
	} {
		if holds, fails := pValues(test, nil, c.low, c.high); math.Abs(holds-c.holds) > 1e-5 || math.Abs(fails-c.fails) > 1e-5 {
			t.Errorf("[%v, %v]: %v and %v, want %v and %v", c.low, c.high, holds, fails, c.holds, c.fails)
		}
	}
	// A claim of three tests holds by its largest and fails by its smallest p-value times three.
	tests := []tested{{holds: .01, fails: 1}, {holds: .03, fails: .02}, {holds: .02, fails: .5}}
	for d, want := range map[Decision]float64{Holds: .03, Fails: .06, Undecided: .03} {
		if got := pValue(d, tests); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: p = %v, want %v", d, got, want)
		}
	}
}

// Among several claims one that is decided narrowly is marked as lost, a clear one is not.
func TestHolmMarksNarrowDecisions(t *testing.T) {
	r := Judge("open", one(
		average("CoMB", results.Paper, 50, normal(50, 0, 1)),
		average("NBoW", results.Paper, 40, normal(40, 1, 2)),
		average("SIF", results.Paper, 48, normal(48, .9, 3)), // 2.2 standard errors
		average("SIF (PC removed)", results.Paper, 50, normal(50, 1, 4)),
	))
	for id, want := range map[string]string{
		"C01": "holds, on our corpus", "C02": "holds, on our corpus; not after Holm's correction", "C03": "undecided, on our corpus",
	} {
		if got := claim(t, r, id); got.Verdict != want || got.P == nil || *got.Adjusted < *got.P {
			t.Errorf("%s: %q, p %v, want %q", id, got.Verdict, got.P, want)
		}
	}
	if r.Totals.Hold != 2 || r.Totals.Lost != 1 || !strings.Contains(r.Totals.String(), "correction takes back 1 of the 2 decisions") {
		t.Error(r.Totals)
	}
}

// No claim of the paper plainly holds, and those that cannot fail are not counted.
func TestKindsAreCountedApart(t *testing.T) {
	beta := func(label string, value float64) results.Quantity {
		return results.Quantity{Table: "sts_ablations", Row: label, Column: "Avg_STS12_15", Variant: results.Paper, Source: label, Value: value, Draws: normal(value, .1, uint64(value))}
	}
	r := Judge("open", one(
		average("CoMB", results.Paper, 50, normal(50, .1, 1)), average("NBoW", results.Paper, 48, normal(48, .1, 2)),
		average("CoMB", "paper-svd", 60, normal(60, .1, 1)), average("NBoW", "paper-svd", 48, normal(48, .1, 2)),
		beta("no clipping", 45), beta("beta = 0, cluster size", 52), beta("beta = 0", 40), beta("beta = 0.5", 51),
		results.Quantity{Table: "tableS15_hypeval_timings", Row: "Total", Column: "seconds", Variant: results.Paper, Source: "this machine", Value: 20},
		results.Quantity{Table: published.TextTable, Row: "share of words with 1000 to 50000 associated contexts", Column: "per cent", Variant: results.Paper, Source: "profile open", Value: .35},
	))
	for id, want := range map[string]string{
		"C01": "holds, on our corpus", "C20": "shown by example, on our corpus", "C29": "reached on other hardware",
		"C22": "not testable", "C36": "not testable", "C19": "fails, on our corpus",
	} {
		if got := claim(t, r, id); got.Verdict != want {
			t.Errorf("%s: %q (%s), want %q", id, got.Verdict, got.Reason, want)
		}
	}
	if c := claim(t, r, "C01"); len(c.Others) != 1 || c.Others[0].Verdict != "holds, in kind" {
		t.Errorf("C01 on vectors of another kind: %+v", c.Others)
	}
	// The paper's text decides; what its code does is shown beside it.
	if c := claim(t, r, "C19"); len(c.Others) != 1 || c.Others[0].Decision != Holds || !strings.Contains(c.Others[0].Variant, "beta = 0") {
		t.Errorf("C19 by the other reading: %+v", c.Others)
	}
	if c := claim(t, r, "C36"); !strings.Contains(c.Reason, "0.35 (profile open)") {
		t.Errorf("C36 does not say what ours is: %s", c.Reason)
	}
	// What cannot fail is not counted with what can.
	if n := r.Totals; n.Testable != 30 || n.Hold+n.Fail+n.Undecided+n.NotTestable != 30 || n.Hold != 1 || n.Fail != 1 {
		t.Errorf("%+v", n)
	}
	for _, c := range r.Claims {
		for _, out := range c.outcomes() {
			if out.Verdict == string(Holds) || out.Verdict == string(Fails) {
				t.Errorf("%s is plainly %q", c.ID, out.Verdict)
			}
		}
	}
}
