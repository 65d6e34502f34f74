package verdict

import (
	"math"
	"testing"

	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
)

// CVStar gives what Belz, Popović and Mille (2022) print for the scores of repeated runs of two systems (their Table 4).
func TestCVStar(t *testing.T) {
	for _, c := range []struct {
		x    []float64
		want float64
	}{
		{[]float64{84.51, 84.50, 87.46, 85.60, 84.20, 86.61, 86.20}, 1.562}, // NTS_def, BLEU
		{[]float64{30.65, 30.65, 29.13, 30.65, 29.96}, 2.487},               // NTS_def, SARI
		{[]float64{87.50, 80.75, 89.36, 88.10, 89.64, 88.80}, 4.176},        // NTS-w2v_def, BLEU
		{[]float64{31.11, 30.28, 31.11, 29.12}, 3.572},                      // NTS-w2v_def, SARI
		{[]float64{60, 80}, 112.5 * math.Sqrt(math.Pi) * 10 / 70},           // of two, c₄ is √(2/π)
		{[]float64{5, 5}, 0},
	} {
		if got := CVStar(c.x...); math.Abs(got-c.want) > 5e-4 {
			t.Errorf("%v: %v, want %v", c.x, got, c.want)
		}
	}
	for _, x := range [][]float64{nil, {3}, {1, -1}, {-2, 1}} {
		if got := CVStar(x...); !math.IsNaN(got) {
			t.Errorf("%v: %v, want NaN", x, got)
		}
	}
}

// A table's agreement is that of its computed cells; a correlation is measured from its lowest value.
func TestAgreement(t *testing.T) {
	r := Judge("open", one(
		comb(results.Paper, 41, 38, 44), // printed 48.2
		average("CoMB", results.Paper, 49.8, normal(49.8, .1, 1)), average("NBoW", results.Paper, 30, normal(30, .1, 2)),
	))
	a := r.Agreement[0]
	if a.Table != "table1_sts_summary" || a.Cells != 3 || a.Findings != 17 || a.Confirmed != 1 {
		t.Errorf("%+v", a)
	}
	if want := CVStar(148.2, 141); math.Abs(a.CV-want) > 1e-9 || math.Abs(a.Unshifted-CVStar(48.2, 41)) > 1e-9 {
		t.Errorf("medians %v and %v, want those of 48.2 and 41: %v", a.CV, a.Unshifted, want)
	}
	if *a.Spearman != 1 || *a.Pearson < 0.9 || *a.Pearson >= 1 {
		t.Errorf("correlations %v and %v", *a.Pearson, *a.Spearman)
	}
	whole := r.Agreement[len(r.Agreement)-1]
	if whole.Table != "" || whole.Cells != 3 || whole.Findings != 30 || whole.Confirmed != 1 {
		t.Errorf("all tables: %+v", whole)
	}
}

// A claim has the verdict of the first report that decides it, a variant too, and a cell the number of the first that
// has one; p-values are corrected over all claims together.
func TestMerge(t *testing.T) {
	quick := Judge("quick", one(
		average("CoMB", results.Paper, 50, normal(50, .1, 1)), average("NBoW", results.Paper, 48, normal(48, .1, 2)),
	))
	slow := Judge("slow", one(
		average("CoMB", results.Paper, 40, normal(40, .1, 1)), average("NBoW", results.Paper, 48, normal(48, .1, 2)),
		average("SIF", results.Paper, 45, normal(45, .1, 3)), chosen("CoMB", 60, 96), chosen("SIF", 50, 96),
	))
	r := merge([]*Report{quick, slow})
	for id, want := range map[string][2]string{
		"C01": {"holds, on our corpus", "quick"}, "C02": {"fails, on our corpus", "slow"}, "C03": {"not testable", ""},
	} {
		if c := claim(t, r, id); c.Verdict != want[0] || c.Profile != want[1] {
			t.Errorf("%s: %q by %q, want %q", id, c.Verdict, c.Profile, want)
		}
	}
	if c := claim(t, r, "C02"); len(c.Others) != 1 || c.Others[0].Decision != Holds {
		t.Errorf("the variant of the second report: %+v", c.Others)
	}
	if alone, both := claim(t, quick, "C01"), claim(t, r, "C01"); *both.Adjusted != 2**alone.Adjusted {
		t.Errorf("p %v of one claim and %v of two", *alone.Adjusted, *both.Adjusted)
	}
	for row, want := range map[string]string{"CoMB": "quick", "SIF": "slow", "SIF (PC removed)": ""} {
		if c := find(t, r, "table1_sts_summary", "a_unsup_glove_tbc/"+row, "Avg_STS12_15"); c.Profile != want {
			t.Errorf("%s is of %q, want %q", row, c.Profile, want)
		}
	}
	if n := r.Totals; n.Hold != 1 || n.Fail != 1 || n.Scores != 3 {
		t.Errorf("%+v", n)
	}
	if quick.Totals.Scores != 2 || claim(t, quick, "C02").Decision != NotTestable {
		t.Error("the first report was changed")
	}
}

// The size of a gain may be missed where its direction is not.
func TestDirectionApartFromSize(t *testing.T) {
	for _, c := range []struct {
		mix             float64
		direction, size Decision
	}{{55, Holds, Holds}, {65, Holds, Fails}, {45, Fails, Fails}, {51, Holds, Fails}, {60, Holds, Undecided}} {
		got := claim(t, Judge("open", one(
			average("CoMB Mix", results.Paper, c.mix, normal(c.mix, .2, 1)), average("CoMB", results.Paper, 50, normal(50, 0, 2)),
		)), "C04")
		if got.Direction != c.direction || got.Size != c.size || got.Decision != c.size {
			t.Errorf("%g over 50: direction %s, size %s and %s", c.mix, got.Direction, got.Size, got.Decision)
		}
	}
	if c := claim(t, Judge("open", one()), "C04"); c.Direction != "" || c.Size != "" {
		t.Errorf("not testable: %+v", c)
	}
}

// The recorded runs decide what the pages say, and every claim that could have failed has a direction or a size.
func TestWhole(t *testing.T) {
	r, err := Whole(RecordedResults)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Claims {
		decided := c.Kind == published.CouldFail && c.Decision != NotTestable
		if decided != (c.Direction != "" || c.Size != "") || decided && c.Profile == "" {
			t.Errorf("%s %s: direction %q, size %q, by %q", c.ID, c.Verdict, c.Direction, c.Size, c.Profile)
		}
	}
	for id, want := range map[string]Decision{"C06": Holds, "C15": Fails, "C12": NotTestable, "C39": Fails, "C40": Fails} {
		if c := claim(t, r, id); c.Decision != want {
			t.Errorf("%s %s, want %s", id, c.Verdict, want)
		}
	}
}
