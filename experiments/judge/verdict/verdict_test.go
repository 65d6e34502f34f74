package verdict

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/show/render"
)

func number(x float64) *float64 { return &x }

// one returns results with the given quantities.
func one(q ...results.Quantity) []*results.Result {
	return []*results.Result{{Header: results.Header{Profile: "open", Experiment: "sts"}, Quantities: q}}
}

// comb is a quantity for plain CoMB on STS12, printed as 48.2.
func comb(variant string, value, low, high float64) results.Quantity {
	return results.Quantity{
		Table: "table1_sts_summary", Row: "a_unsup_glove_tbc/CoMB", Column: "STS12",
		Variant: variant, Source: variant + "-row", Value: value, Low: &low, High: &high,
	}
}

func find(t *testing.T, r *Report, table, row, column string) Cell {
	t.Helper()
	for _, c := range r.Cells {
		if c.Table == table && c.Row == row && c.Column == column {
			return c
		}
	}
	t.Fatalf("no cell %s, %s, %s", table, row, column)
	return Cell{}
}

// Every printed number is judged once, whatever has been run: the counts of the verdicts
// add up to the cells of the transcription, which are counted here from its files.
func TestNothingIsLeftOut(t *testing.T) {
	want := map[string]int{}
	for _, id := range published.IDs() {
		table, err := published.Load(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range table.Rows {
			for _, c := range r.Cells {
				if c.Number && id != "tableS11_nearest_neighbours" {
					want[id]++
				}
			}
		}
	}
	want["tableS11_nearest_neighbours"] = 140 // words at ten ranks, seven queries, two systems
	// Marks for the better method.
	for id, n := range map[string]int{
		"tableS7_qual_sts14_news": 12, "tableS9_qual_sts15_images": 12, "tableS10_qual_sts14_onwn": 12, "tableS8_sentence_length": 19,
		"tableS18_bibless_max_positive_rank_diff": 20, "tableS19_bibless_max_negative_rank_diff": 20,
	} {
		want[id] += n
	}
	all := 0
	for _, n := range want {
		all += n
	}
	for _, res := range [][]*results.Result{nil, one(comb(results.Paper, 40, 30, 45))} {
		r := Judge("open", res)
		got, seen := map[string]int{}, map[string]bool{}
		for _, c := range r.Cells {
			got[c.Table]++
			key := c.Table + "\n" + c.Row + "\n" + c.Column
			if seen[key] {
				t.Errorf("%q is judged twice", key)
			}
			seen[key] = true
			if c.Reason == "" || !slices.Contains(Verdicts(), c.Verdict) {
				t.Errorf("%+v", c)
			}
		}
		for id, n := range want {
			if got[id] != n {
				t.Errorf("%s: %d cells judged, %d printed", id, got[id], n)
			}
		}
		sum := 0
		for _, n := range Count(r.Cells) {
			sum += n
		}
		if sum != all || sum != len(r.Cells) {
			t.Errorf("verdicts on %d cells, %d are printed", sum, all)
		}
		if len(r.Claims) != 40 || len(r.Text) != len(published.TextNumbers()) {
			t.Errorf("%d claims, %d numbers in the text", len(r.Claims), len(r.Text))
		}
	}
	// With no results nothing is compared.
	for v, n := range Count(Judge("open", nil).Cells) {
		if n > 0 && v != Quoted && v != NoData && v != NotRun {
			t.Errorf("%d cells %s without results", n, v)
		}
	}
}

func TestVerdictOnCell(t *testing.T) {
	for _, c := range []struct {
		name       string
		quantities []results.Quantity
		want       Verdict
		reason     string
	}{
		{"not run", nil, NotRun, "no result"},
		{"as printed", []results.Quantity{comb(results.Paper, 48.24, 48.2, 48.3)}, Within, "equal as printed"},
		{"rounding", []results.Quantity{comb(results.Paper, 48.29, 48.28, 48.3)}, Within, "rounding"},
		{"two units", []results.Quantity{comb(results.Paper, 48.4, 48.35, 48.45)}, Differs, "0.2 higher"},
		{"interval", []results.Quantity{comb(results.Paper, 46, 43, 49)}, Indistinguishable, "2.2 lower; the printed number lies in the 95 % interval"},
		{"interval by half a digit", []results.Quantity{comb(results.Paper, 46, 43, 48.151)}, Indistinguishable, "95 % interval"},
		{"a wide interval is no agreement", []results.Quantity{comb(results.Paper, 20, 0, 60)}, Indistinguishable, "28.2 lower"},
		{"corpus", []results.Quantity{comb(results.Paper, 41, 38, 44)}, Differs, "7.2 lower"},
		{"chosen settings agree", []results.Quantity{comb(results.Paper, 41, 38, 44), comb(results.Chosen, 48.1, 45, 51)}, Otherwise, "chosen-row"},
		{"chosen settings come near", []results.Quantity{comb(results.Paper, 41, 38, 44), comb(results.Chosen, 48, 45, 51)}, Differs, "7.2 lower"},
		{"other vectors agree", []results.Quantity{comb(results.Paper, 58, 54, 60), comb("paper-svd", 48.2, 45, 51)}, Otherwise, "9.8 higher; with other vectors"},
		{"nothing agrees", []results.Quantity{comb(results.Paper, 41, 38, 44), comb(results.Chosen, 40, 35, 42)}, Differs, "lower; known to differ: the corpus"},
		{"another variant only", []results.Quantity{comb(results.Chosen, 48, 45, 51)}, NotRun, ""},
	} {
		got := find(t, Judge("open", one(c.quantities...)), "table1_sts_summary", "a_unsup_glove_tbc/CoMB", "STS12")
		if got.Verdict != c.want || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%s: %s (%s), want %s (%s)", c.name, got.Verdict, got.Reason, c.want, c.reason)
		}
	}
	r := Judge("open", one(
		results.Quantity{Table: "tableS13_hypernymy_oov", Row: "BLESS", Column: "pairs_N", Variant: results.Paper, Source: "x", Value: 26554},
		results.Quantity{Table: "tableS13_hypernymy_oov", Row: "Weeds", Column: "pairs_N", Variant: results.Paper, Source: "x", Value: 2927},
		results.Quantity{Table: "tableS13_hypernymy_oov", Row: "Weeds", Column: "OOV_pairs", Variant: results.Paper, Source: "x", Value: 353},
		results.Quantity{Table: "tableS15_hypeval_timings", Row: "Weeds", Column: "seconds", Variant: results.Paper, Source: "x", Value: 3},
		results.Quantity{Table: "tableS5_sts_hyperparameters", Row: "SIF", Column: "sif_a", Variant: results.Paper, Source: "x", Value: 1e-4},
		results.Quantity{Table: "tableS11_nearest_neighbours", Row: "i love her/CoMB/3", Column: "word", Variant: results.Paper, Source: "x", Text: "love"},
		results.Quantity{Table: "tableS11_nearest_neighbours", Row: "i love her/CoMB/1", Column: "word", Variant: results.Paper, Source: "x", Text: "her"},
		results.Quantity{Table: "tableS12_hypernymy_full_AP", Row: "D_Hend", Column: "BLESS", Variant: results.Paper, Source: "x", Value: 9, Low: number(8), High: number(10)},
		results.Quantity{Table: "tableS14_hypernymy_ppmi_grid_AP", Row: "D_Hend", Column: "BLESS", Variant: results.Paper, Source: "x", Value: 6.4},
		results.Quantity{Table: "table2_hypernymy_main", Row: "D_Hend", Column: "HypeNet-Train_val", Variant: results.Paper, Source: "x", Value: 29},
		results.Quantity{Table: "table2_hypernymy_main", Row: "D_Hend", Column: "BIBLESS_accuracy", Variant: results.Paper, Source: "x", Value: 56.4},
		results.Quantity{Table: "tableS12_hypernymy_full_AP", Row: "CMD K=200 + D_Hend", Column: "BLESS", Variant: results.Paper, Source: "x", Value: 20},
	))
	for _, c := range []struct {
		table, row, column string
		want               Verdict
	}{
		{"tableS13_hypernymy_oov", "BLESS", "pairs_N", EqualInput},
		{"tableS13_hypernymy_oov", "Weeds", "pairs_N", OtherInput},
		{"tableS13_hypernymy_oov", "Weeds", "OOV_pairs", OtherInput},
		{"tableS15_hypeval_timings", "Weeds", "seconds", Machine},
		{"tableS5_sts_hyperparameters", "SIF", "sif_a", EqualInput},
		{"tableS11_nearest_neighbours", "i love her/CoMB/1", "word", SameWord}, // love, at any rank
		{"tableS12_hypernymy_full_AP", "D_Hend", "BLESS", Differs},
		{"tableS14_hypernymy_ppmi_grid_AP", "D_Hend", "BLESS", Within},
		{"table2_hypernymy_main", "D_Hend", "HypeNet-Train_val", Within},
		{"table2_hypernymy_main", "D_Hend", "BIBLESS_accuracy", Differs},
		{"tableS12_hypernymy_full_AP", "CMD K=200 + D_Hend", "BLESS", Differs},
		{"table1_sts_summary", "c_unsup_other_corpora/WME (Word2vec)", "STS12", Quoted},
		{"table1_sts_summary", "d_supervised/InferSent", "STS12", Quoted},
		{"table1_sts_summary", "c_unsup_other_corpora/CoMB Mix + PC removed (GloVe)", "STS12", NoData},
	} {
		if got := find(t, r, c.table, c.row, c.column); got.Verdict != c.want {
			t.Errorf("%s, %s, %s: %s (%s), want %s", c.table, c.row, c.column, got.Verdict, got.Reason, c.want)
		}
	}
}

// What was measured on another machine than the authors' may support a claim about
// theirs and cannot refute it.
func TestTimings(t *testing.T) {
	timed := func(row string, value float64) results.Quantity {
		return results.Quantity{Table: published.TextTable, Row: "runtime: " + row, Column: "value", Variant: results.Paper, Source: "this machine", Value: value}
	}
	r := Judge("open", one(
		timed("Wasserstein distances per second (histogram size 100, TitanX)", 27400),
		timed("barycenters per second (25 words, histogram size 100, TitanX)", 2300),
		timed("batch of 200 barycenters of 50 histograms of size 100", 0.0901),
		timed("raw co-occurrence to histograms of size 300 (1 CPU core)", 0.05),
		timed("total from scratch for STS", 12),
		timed("hypernymy evaluation, >100000 pairs (1 GPU)", 2),
		results.Quantity{Table: "tableS15_hypeval_timings", Row: "Total", Column: "seconds", Variant: results.Paper, Source: "this machine", Value: 179},
	))
	for _, c := range []struct {
		row, ours string
		want      Verdict
		reason    string
	}{
		{"runtime: Wasserstein distances per second (histogram size 100, TitanX)", "27400", Machine, "2.0 times as fast: this machine"},
		{"runtime: barycenters per second (25 words, histogram size 100, TitanX)", "2300", Machine, "2.0 times as slow"},
		{"runtime: batch of 200 barycenters of 50 histograms of size 100", "0.090", Machine, "equal as printed"},
		{"runtime: batching speed-up", "", NotRun, "repro timings"},
		{"runtime: raw co-occurrence to histograms of size 300 (1 CPU core)", "0.050", Machine, "100 times as fast"},
		{"runtime: total from scratch for STS", "12", Machine, "1.1 times as slow"},
		{"runtime: hypernymy evaluation, >100000 pairs (1 GPU)", "2.0", Machine, "below the printed bound"},
		{"optimal transport: advantage of p=1 over p=2 on STS", "", NotRun, "claim C16 not testable"},
	} {
		i := slices.IndexFunc(r.Text, func(x Cell) bool { return x.Row == c.row })
		got := r.Text[i]
		if ours, _ := got.Show(); got.Verdict != c.want || !strings.Contains(got.Reason, c.reason) || ours != c.ours {
			t.Errorf("%s: %s, %s (%s), want %s, %s (%s)", c.row, ours, got.Verdict, got.Reason, c.ours, c.want, c.reason)
		}
	}
	for id, want := range map[string]Decision{"C29": Reached, "C32": Reached, "C33": Undecided, "C34": NotTestable, "C35": Undecided} {
		if got := claim(t, r, id); got.Decision != want {
			t.Errorf("%s: %s (%s), want %s", id, got.Decision, got.Reason, want)
		}
	}
}

// average is a quantity of Table 1's average with bootstrap draws.
func average(row, variant string, value float64, draws []float64) results.Quantity {
	return results.Quantity{
		Table: "table1_sts_summary", Row: "a_unsup_glove_tbc/" + row, Column: "Avg_STS12_15",
		Variant: variant, Source: variant + " " + row, Value: value, Draws: draws,
	}
}

// normal draws around a value; common noise is shared by rows as in a paired bootstrap.
func normal(value, spread float64, seed uint64) []float64 {
	random := rand.New(rand.NewPCG(seed, 1))
	v := make([]float64, 2000)
	for i := range v {
		v[i] = value + spread*random.NormFloat64()
	}
	return v
}

func claim(t *testing.T, r *Report, id string) Claim {
	t.Helper()
	for _, c := range r.Claims {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no claim %s", id)
	return Claim{}
}

func TestClaimDecisions(t *testing.T) {
	noise := normal(0, 3, 1) // much wider than the differences: pairing takes it out
	paired := func(value float64, seed uint64) []float64 {
		v := normal(value, 0.2, seed)
		for i := range v {
			v[i] += noise[i]
		}
		return v
	}
	r := Judge("open", one(
		average("CoMB", results.Paper, 50, paired(50, 2)),
		average("NBoW", results.Paper, 48, paired(48, 3)),
		average("SIF", results.Paper, 52, paired(52, 4)),
		average("SIF (PC removed)", results.Paper, 50.1, paired(50.1, 5)),
		average("CoMB Mix", results.Paper, 70, paired(70, 6)),
		average("CoMB", results.Chosen, 53, paired(53, 7)),
		average("Euclidean avg.", results.Paper, 49, nil),
	))
	for _, c := range []struct {
		id     string
		want   Decision
		reason string
	}{
		{"C01", Holds, "difference +2.00 ["},
		{"C02", Fails, "difference -2.00 ["},
		{"C03", Undecided, "difference -0.10 ["},
		{"C04", Fails, "more than the claim says"}, // about 10 %: 40 % is another claim
		{"C05", NotTestable, "not yet run"},
		{"C07", NotTestable, "without bootstrap draws"},
		{"C08", NotTestable, "not yet run"},
		{"C22", NotTestable, "judgement"},
	} {
		got := claim(t, r, c.id)
		if got.Decision != c.want || !strings.Contains(got.Reason, c.reason) {
			t.Errorf("%s: %s (%s), want %s (%s)", c.id, got.Decision, got.Reason, c.want, c.reason)
		}
	}
	// Against numbers of other work the rows at hand stand in for those that cannot be had,
	// under other settings than the paper's; between the authors' own rows they do not.
	mixed := Judge("open", one(
		average("CoMB Mix + PC removed", results.Paper, 60, paired(60, 8)),
		average("CoMB Mix + PC removed", results.Chosen, 64.4, normal(64.4, 0.1, 9)),
	))
	for id, want := range map[string]Decision{"C11": "", "C12": Holds, "C13": Holds, "C14": Fails, "C15": Fails, "C37": Fails} {
		got := claim(t, mixed, id)
		if got.Decision != NotTestable {
			t.Errorf("%s: %s (%s)", id, got.Decision, got.Reason)
		}
		if want == "" && len(got.Others) > 0 || want != "" && (len(got.Others) != 1 || got.Others[0].Decision != want || !strings.Contains(got.Others[0].Reason, "own vectors")) {
			t.Errorf("%s: %+v, want %s", id, got.Others, want)
		}
	}
}

// A claim against a quoted number is tested by our interval alone; counts of wins by
// their draws.
func TestQuotedAndWins(t *testing.T) {
	var q []results.Quantity
	sets := []string{"BLESS", "EVALution", "LenciBenotto", "Weeds", "BIBLESS", "Baroni", "Kotlerman", "Levy", "HypeNet-Test", "Turney"}
	for i, s := range sets {
		gain := 3.0
		if i < 2 {
			gain = -3
		}
		for _, row := range []string{"D_Hend", "CMD K=200 + D_Hend", "CMD K=250 + D_Hend"} {
			value := 40.0
			if row != "D_Hend" {
				value += gain
			}
			q = append(q, results.Quantity{
				Table: "tableS12_hypernymy_full_AP", Row: row, Column: s, Variant: results.Paper, Source: row,
				Value: value, Draws: normal(value, 0.3, uint64(i)),
			})
		}
	}
	accuracy := func(row string, value, low, high float64) results.Quantity {
		return results.Quantity{Table: "tableS16_wbless_accuracy", Row: row, Column: "accuracy_pct", Variant: results.Paper, Source: row, Value: value, Low: &low, High: &high}
	}
	q = append(q, accuracy("CMD K=200 + D_Hend", 72, 70, 74), accuracy("D_Hend", 66, 64, 69))
	r := Judge("open", one(q...))
	if c := claim(t, r, "C24"); c.Decision != Holds || c.Verdict != "holds, in kind" || !strings.Contains(c.Reason, "better on 8 of 10") {
		t.Errorf("C24: %s (%s)", c.Verdict, c.Reason)
	}
	// 72 [70, 74] against the printed 65.2, and against 66 [64, 69] without draws.
	if c := claim(t, r, "C26"); c.Decision != Holds || !strings.Contains(c.Reason, "quoted 65.2") || !strings.Contains(c.Reason, "[1.00, 10.00]") {
		t.Errorf("C26: %s (%s)", c.Verdict, c.Reason)
	}
}

// Where a row that the paper quotes was run here, its cells are judged as computed ones, and
// claims compare with what was run; with chosen settings only where the other side has such too.
func TestQuotedRowThatWasRun(t *testing.T) {
	accuracy := func(row, variant string, value float64, tried int) results.Quantity {
		return results.Quantity{Table: "tableS16_wbless_accuracy", Row: row, Column: "accuracy_pct", Variant: variant, Source: row, Value: value, Draws: normal(value, 1, 3), Tried: tried}
	}
	q := []results.Quantity{
		accuracy("CMD K=200 + D_Hend", results.Paper, 60, 0), accuracy("D_Hend", results.Paper, 50, 0), accuracy("Poincare GloVe", results.Paper, 70, 0),
		accuracy("CMD K=200 + D_Hend", results.Chosen, 75, 12),
	}
	r := Judge("systems", one(q...))
	if c := claim(t, r, "C26"); c.Decision != Fails || strings.Contains(c.Reason, "quoted") || !strings.Contains(c.Reason, "Poincare GloVe 70.00") {
		t.Errorf("C26: %s (%s)", c.Verdict, c.Reason)
	} else if len(c.Others) != 1 || !c.Others[0].Refused {
		t.Errorf("chosen against settings that were not: %+v", c.Others)
	}
	at := slices.IndexFunc(r.Cells, func(c Cell) bool { return c.Table == "tableS16_wbless_accuracy" && c.Row == "Poincare GloVe" })
	if c := r.Cells[at]; c.Verdict != Differs || !strings.Contains(c.Reason, "ours is 4.8 higher") || !strings.Contains(c.Reason, "quoted by the paper") {
		t.Errorf("%+v", c)
	}

	var chosen []results.Quantity
	for _, set := range []string{"EVALution", "HypeNet-Test", "LenciBenotto"} {
		for row, value := range map[string]float64{"CMD K=200 + D_Hend": 50, "CMD K=250 + D_Hend": 50, "DIVE": 40} {
			chosen = append(chosen, results.Quantity{Table: "table2_hypernymy_main", Row: row, Column: set, Variant: results.Chosen, Source: row, Value: value, Draws: normal(value, 1, 5), Tried: 12})
		}
	}
	if c := claim(t, Judge("systems", one(chosen...)), "C25"); len(c.Others) != 1 || c.Others[0].Decision != Holds || !strings.Contains(c.Others[0].Reason, "DIVE 40.00, best of 12 settings") {
		t.Errorf("both chosen: %+v", c.Others)
	}
}

// Where two systems do not differ, a paired bootstrap decides wrongly in about 5 % of
// experiments, 2.5 % on either side. In 1000 simulated experiments the count has a standard
// deviation of 7; the bounds are four of them and room for the bias of percentile
// intervals of 100 items.
func TestCalibration(t *testing.T) {
	const experiments, items, draws = 1000, 100, 400
	random := rand.New(rand.NewPCG(5, 6))
	gold, a, b := make([]float64, items), make([]float64, items), make([]float64, items)
	x, y := make([]float64, items), make([]float64, items)
	test := published.Test{Statistic: published.Difference, Low: 0, High: math.Inf(1)}
	decided := map[Decision]int{}
	for e := range experiments {
		for i := range items {
			gold[i] = random.NormFloat64()
			common := random.NormFloat64() // what both systems get wrong alike
			a[i] = gold[i] + common + random.NormFloat64()
			b[i] = gold[i] + common + random.NormFloat64()
		}
		drawn := func(scores []float64) quantity {
			r, err := score.Pearson(scores, gold)
			if err != nil {
				t.Fatal(err)
			}
			values, err := score.Draws(t.Context(), items, draws, uint64(e), func(sample []int) float64 {
				for i, s := range sample {
					x[i], y[i] = scores[s], gold[s]
				}
				r, err := score.Pearson(x, y)
				if err != nil {
					return math.NaN()
				}
				return r
			})
			if err != nil {
				t.Fatal(err)
			}
			return quantity{Quantity: results.Quantity{Source: "row", Value: r, Draws: values}}
		}
		low, high, _, ok := interval(test.Statistic, []quantity{drawn(a)}, []quantity{drawn(b)})
		if !ok {
			t.Fatal("no interval")
		}
		decided[decide(test, low, high)]++
	}
	t.Logf("of %d experiments without a difference: %v", experiments, decided)
	for _, d := range []Decision{Holds, Fails} {
		if n := decided[d]; n < 5 || n > 60 {
			t.Errorf("%s in %d of %d experiments, expected about 25", d, n, experiments)
		}
	}
}

func TestForms(t *testing.T) {
	r := Judge("open", one(comb(results.Paper, 41, 38, 44), average("CoMB", results.Paper, 50, normal(50, 1, 2)), average("NBoW", results.Paper, 48, normal(48, 1, 2))))
	var text, markdown, lines, object bytes.Buffer
	for _, err := range []error{r.Summary(&text), r.Markdown(&markdown), r.CSV(&lines), r.JSON(&object)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	records, err := csv.NewReader(&lines).ReadAll()
	if err != nil || len(records) != 1+len(r.Cells)+len(r.Text)+len(r.Claims) {
		t.Errorf("%d records, %v", len(records), err)
	}
	var back struct {
		Cells []struct {
			Table, Row, Column, Verdict, Reason string
			Printed, Ours, Low, High            *float64
		}
		Claims []struct{ ID, Verdict, Reason string }
	}
	if err := json.Unmarshal(object.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Cells) != len(r.Cells) || len(back.Claims) != 40 || back.Claims[0].Verdict != "holds, on our corpus" {
		t.Errorf("%d cells and %d claims in JSON", len(back.Cells), len(back.Claims))
	}
	for _, want := range []string{
		"0 of 1,271 printed numbers", "| C01 | CoMB (plain, GloVe/TBC) beats NBoW on the STS12-15 average | 49.8 vs 22.6 | **holds, on our corpus** | holds |  | difference +2.00 ",
		"| Table 1: Sentence similarity: Pearson × 100, averages by year | 3 |", "| 1 of 17 |",
	} {
		if !strings.Contains(markdown.String(), want) {
			t.Errorf("%q is not in the Markdown", want)
		}
	}
	if !strings.Contains(text.String(), "C01  holds, on our corpus: ") {
		t.Error(text.String())
	}
}

// table is a table with one row and two columns for the regression check.
func regressed(value, other float64, covered int) []*results.Result {
	cell := func(v float64) render.Cell {
		return render.Cell{Value: &v, Interval: &render.Interval{Low: v - 2, High: v + 2}, Coverage: &render.Coverage{Covered: covered, Total: 10}}
	}
	return []*results.Result{{Header: results.Header{Profile: "mini", Experiment: "sts"}, Tables: []*render.Table{{
		ID: "t", Columns: []render.Column{{Name: "higher"}, {Name: "lower", LowerIsBetter: true}, {Name: "free"}},
		Blocks: []render.Block{{Rows: []render.Row{{Key: "r", Cells: []render.Cell{cell(value), cell(other), {Value: &value}}}}}},
	}}}}
}

// What is kept of a run is judged as the run is.
func TestKeptIsJudgedAlike(t *testing.T) {
	all := one(comb(results.Paper, 41, 38, 44), average("CoMB", results.Paper, 50, normal(50, 1, 2)), average("NBoW", results.Paper, 48, normal(48, 1, 2)))
	all[0].Quantities[0].Draws = normal(41, 1, 3) // of a cell that no claim compares
	all[0].Artefacts = []results.Artefact{{Key: "a"}}
	kept := Kept(all)
	if q := kept[0].Quantities; len(kept[0].Artefacts) > 0 || q[0].Draws != nil || len(q[1].Draws) != 2000 || len(q[2].Draws) != 2000 {
		t.Errorf("kept %d artefacts, draws %d, %d, %d", len(kept[0].Artefacts), len(q[0].Draws), len(q[1].Draws), len(q[2].Draws))
	}
	if len(all[0].Artefacts) != 1 || all[0].Quantities[0].Draws == nil {
		t.Error("the results themselves have changed")
	}
	var was, is bytes.Buffer
	if err := errors.Join(Judge("open", all).JSON(&was), Judge("open", kept).JSON(&is)); err != nil || !bytes.Equal(was.Bytes(), is.Bytes()) {
		t.Errorf("another verdict, or %v", err)
	}
}

func TestRegression(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reference", "mini.json")
	if err := Record("mini", regressed(50, 30, 9)).Write(path); err != nil {
		t.Fatal(err)
	}
	ref, err := ReadReference(path, "mini")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name           string
		now            []*results.Result
		changed, worse int
	}{
		{"the same", regressed(50, 30, 9), 0, 0},
		{"other bits", regressed(50+1e-9, 30-1e-9, 9), 0, 0},
		{"inside the interval", regressed(48.1, 31.9, 9), 0, 0},
		{"below", regressed(47.9, 30, 9), 1, 1},
		{"above", regressed(52.1, 30, 9), 1, 0},
		{"above where lower is better", regressed(50, 32.1, 9), 1, 1},
		{"below where lower is better", regressed(50, 27.9, 9), 1, 0},
		{"less covered", regressed(50, 30, 8), 2, 2},
		{"table gone", nil, 1, 1},
		{"more covered", regressed(50, 30, 10), 0, 0},
	} {
		changes, _ := ref.Compare(c.now)
		worse := 0
		for _, change := range changes {
			if change.Worse {
				worse++
			}
		}
		if len(changes) != c.changed || worse != c.worse {
			t.Errorf("%s: %v, want %d changes, %d worse", c.name, changes, c.changed, c.worse)
		}
	}
	if _, err := ReadReference(path, "open"); err == nil || !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), `"mini", expected "open"`) {
		t.Errorf("another profile's: %v", err)
	}
}
