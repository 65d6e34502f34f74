package published

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// Row and column counts as in the paper (Table S1 counted by year).
func TestSizes(t *testing.T) {
	want := map[string][2]int{
		"table1_sts_summary":                      {17, 8}, // embedding and corpus, five years, average
		"table2_hypernymy_main":                   {7, 8},
		"table3_word_similarity":                  {3, 14},
		"tableS1a_sts12_detail":                   {11, 6},
		"tableS1b_sts13_detail":                   {11, 4},
		"tableS2_sts14_detail":                    {11, 7},
		"tableS3_sts15_detail":                    {11, 6},
		"tableS4_sts16_val_detail":                {11, 6},
		"tableS5_sts_hyperparameters":             {9, 7},
		"tableS6_sts_score_labels":                {6, 1},
		"tableS7_qual_sts14_news":                 {12, 8},
		"tableS8_sentence_length":                 {19, 5},
		"tableS9_qual_sts15_images":               {12, 8},
		"tableS10_qual_sts14_onwn":                {12, 8},
		"tableS11_nearest_neighbours":             {140, 2},
		"tableS12_hypernymy_full_AP":              {3, 11},
		"tableS13_hypernymy_oov":                  {10, 2},
		"tableS14_hypernymy_ppmi_grid_AP":         {7, 11},
		"tableS15_hypeval_timings":                {11, 2},
		"tableS16_wbless_accuracy":                {4, 1},
		"tableS17_hyperlex_spearman":              {4, 1},
		"tableS18_bibless_max_positive_rank_diff": {20, 5},
		"tableS19_bibless_max_negative_rank_diff": {20, 5},
	}
	ids := IDs()
	if len(ids) != len(want) {
		t.Errorf("%d tables, want %d", len(ids), len(want))
	}
	for _, id := range ids {
		table, err := Load(id)
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int{len(table.Rows), len(table.Columns)}; got != want[id] {
			t.Errorf("%s: %d rows and %d columns, want %v", id, got[0], got[1], want[id])
		}
		for _, r := range table.Rows {
			if len(r.Cells) != len(table.Columns) {
				t.Errorf("%s, row %q: %d cells", id, r.Key, len(r.Cells))
			}
		}
	}
}

func TestKnownCells(t *testing.T) {
	for _, c := range []struct {
		id, row, column string
		want            float64
		ok              bool
	}{
		{"table1_sts_summary", "a_unsup_glove_tbc/CoMB", "STS12", 48.2, true},
		{"table1_sts_summary", "b_unsup_sent2vec_tbc/CoMB Mix + PC removed", "Avg_STS12_15", 66.4, true},
		{"table1_sts_summary", "c_unsup_other_corpora/Skip-thought", "STS16_val", 0, false}, // not printed
		{"tableS1a_sts12_detail", "glove_tbc/NBoW", "MSRvid", -6.4, true},
		{"table2_hypernymy_main", "CMD K=200 + D_Hend", "BIBLESS_accuracy", 75.4, true},
		{"tableS14_hypernymy_ppmi_grid_AP", "CMD + D_Hend/0.5/15/100", "Levy", 12.6, true},
		{"tableS14_hypernymy_ppmi_grid_AP", "D_Hend", "Avg_Gain_printed", 0, false},
		{"tableS12_hypernymy_full_AP", "CMD K=250 + D_Hend", "Avg_Gain_printed", 3.3, true},
		{"tableS5_sts_hyperparameters", "SIF", "sif_a", 1e-4, true},
		{"tableS18_bibless_max_positive_rank_diff", "bass/cello", "rank_difference", 1290, true},
		{"table1_sts_summary", "CoMB", "STS12", 0, false},
		{"table1_sts_summary", "a_unsup_glove_tbc/CoMB", "STS11", 0, false},
		{"table9", "a_unsup_glove_tbc/CoMB", "STS12", 0, false},
	} {
		if got, ok := Value(c.id, c.row, c.column); got != c.want || ok != c.ok {
			t.Errorf("Value(%q, %q, %q) = %v, %v, want %v, %v", c.id, c.row, c.column, got, ok, c.want, c.ok)
		}
	}
	if _, err := Load("table9"); err == nil || !strings.Contains(err.Error(), "table1_sts_summary") {
		t.Errorf("error %v, want one that lists the tables", err)
	}
}

func TestOriginsAndMarks(t *testing.T) {
	table, err := Load("table1_sts_summary")
	if err != nil {
		t.Fatal(err)
	}
	count := map[Origin]int{}
	for _, r := range table.Rows {
		count[r.Origin]++
	}
	if count[Run] != 12 || count[Quoted] != 4 || count[NotStated] != 1 {
		t.Errorf("origins %v, want 12 run, 4 quoted, 1 not stated", count)
	}
	detail, err := Load("tableS1a_sts12_detail")
	if err != nil {
		t.Fatal(err)
	}
	if c := detail.Cell("glove_tbc/CoMB (GloVe)", "SMTnews"); c.Text != "46.0" {
		t.Errorf("cell %+v, want 46.0", c)
	}
}

// numbers returns the numbers of a row's given columns.
func numbers(t *testing.T, table *Table, r Row, columns []string) []float64 {
	t.Helper()
	var v []float64
	for _, c := range columns {
		cell := r.Cells[slices.Index(table.Columns, c)]
		if !cell.Number {
			t.Fatalf("%s, row %q, column %q: %q is not a number", table.ID, r.Key, c, cell.Text)
		}
		v = append(v, cell.Value)
	}
	return v
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// Cells carry one decimal, so their mean is known to ±0.05 and the printed mean is
// rounded by as much again.
const rounding = 0.1 + 1e-9

func TestTable1AverageIsPlainMeanOfYears(t *testing.T) {
	table, err := Load("table1_sts_summary")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rows {
		got := mean(numbers(t, table, r, []string{"STS12", "STS13", "STS14", "STS15"}))
		if printed := numbers(t, table, r, []string{"Avg_STS12_15"})[0]; math.Abs(got-printed) > rounding {
			t.Errorf("row %q: mean of years %.3f, printed %.1f", r.Key, got, printed)
		}
	}
}

// All 55 printed averages agree with the plain mean of their row within the rounding
// of the cells. Two of them miss it by more than the average's own rounding, 0.05:
// they were cut instead of rounded.
func TestYearAveragesArePlainMeans(t *testing.T) {
	cut := map[string]bool{
		"tableS3_sts15_detail: glove_tbc_newscrawl/CoMB (GloVe) + Mix + PC removed (TBC + News Crawl)": true,
		"tableS3_sts15_detail: sent2vec_tbc/CoMB (sent2vec) + Mix + PC removed":                        true,
	}
	rows := 0
	for _, id := range IDs() {
		if !strings.Contains(id, "_sts1") || !strings.HasSuffix(id, "_detail") {
			continue
		}
		table, err := Load(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range table.Rows {
			rows++
			sets := table.Columns[:len(table.Columns)-1]
			got := mean(numbers(t, table, r, sets))
			printed := numbers(t, table, r, []string{"Average"})[0]
			d := math.Abs(got - printed)
			key := fmt.Sprintf("%s: %s", id, r.Key)
			if d > rounding {
				t.Errorf("%s: mean %.3f, printed %.1f", key, got, printed)
			}
			if (d > 0.05+1e-9) != cut[key] {
				t.Errorf("%s: mean %.3f, printed %.1f: listed as cut off: %v", key, got, printed, cut[key])
			}
		}
	}
	if rows != 55 {
		t.Errorf("%d detail rows, want 55", rows)
	}
}

// The paper prints this one average in two ways: 71.9 in Table S3 and 72.0 in Table 1.
func TestDetailAveragesEqualSummary(t *testing.T) {
	label := map[string]string{
		"glove_tbc/NBoW":                            "a_unsup_glove_tbc/NBoW",
		"glove_tbc/SIF":                             "a_unsup_glove_tbc/SIF",
		"glove_tbc/SIF + PC removed":                "a_unsup_glove_tbc/SIF (PC removed)",
		"glove_tbc/Euclidean avg":                   "a_unsup_glove_tbc/Euclidean avg.",
		"glove_tbc/CoMB (GloVe)":                    "a_unsup_glove_tbc/CoMB",
		"glove_tbc/CoMB (GloVe) + Mix":              "a_unsup_glove_tbc/CoMB Mix",
		"glove_tbc/CoMB (GloVe) + Mix + PC removed": "a_unsup_glove_tbc/CoMB Mix + PC removed",
		"glove_tbc_newscrawl/CoMB (GloVe) + Mix + PC removed (TBC + News Crawl)": "c_unsup_other_corpora/CoMB Mix + PC removed (GloVe)",
		"sent2vec_tbc/Sent2vec":                           "b_unsup_sent2vec_tbc/Sent2vec",
		"sent2vec_tbc/CoMB (sent2vec) + Mix":              "b_unsup_sent2vec_tbc/CoMB Mix",
		"sent2vec_tbc/CoMB (sent2vec) + Mix + PC removed": "b_unsup_sent2vec_tbc/CoMB Mix + PC removed",
	}
	for id, column := range map[string]string{
		"tableS1a_sts12_detail": "STS12", "tableS1b_sts13_detail": "STS13", "tableS2_sts14_detail": "STS14",
		"tableS3_sts15_detail": "STS15", "tableS4_sts16_val_detail": "STS16_val",
	} {
		table, err := Load(id)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range table.Rows {
			detail, _ := Value(id, r.Key, "Average")
			summary, ok := Value("table1_sts_summary", label[r.Key], column)
			if !ok {
				t.Fatalf("%s: no row of Table 1 for %q", id, r.Key)
			}
			known := column == "STS15" && r.Block == "glove_tbc_newscrawl"
			if (detail != summary) != known {
				t.Errorf("%s, %q: %.1f in the detail table, %.1f in Table 1", id, r.Key, detail, summary)
			}
		}
	}
}

// The files of data are listed, and say what their readers take for granted.
func TestDataIsSound(t *testing.T) {
	files, err := embedded.ReadDir("data")
	if err != nil || len(files) != len(IDs())+1 {
		t.Errorf("%d files, %v: expected those of %d tables and their index", len(files), err, len(IDs()))
	}
	ids := map[string]bool{}
	for _, index := range lines("data/index.csv") {
		table, err := Load(index["id"])
		if err != nil || ids[table.ID] || table.PaperNumber == "" || table.Title == "" || len(table.Rows) == 0 {
			t.Fatalf("%v: table %+v", err, table)
		}
		ids[table.ID] = true
		header := readCSV("data/" + table.ID + ".csv")[0]
		seen := map[string]bool{}
		for _, h := range header {
			if h == "" || seen[h] {
				t.Errorf("%s: column %q is empty or occurs twice", table.ID, h)
			}
			seen[h] = true
		}
		for _, c := range append(strings.Split(index["row"], ";"), index["block"], index["origin"], index["bold"], index["underlined"]) {
			if c != "" && !seen[c] {
				t.Errorf("%s: index.csv names the column %q, which the file lacks", table.ID, c)
			}
		}
		keys := map[string]bool{}
		for i, r := range lines("data/" + table.ID + ".csv") {
			row := table.Rows[i]
			if row.Label == "" || keys[row.Key] {
				t.Errorf("%s: the row %q has no name or occurs twice", table.ID, row.Key)
			}
			keys[row.Key] = true
			if row.Origin != Run && row.Origin != Quoted && row.Origin != NotStated {
				t.Errorf("%s, %s: origin %q", table.ID, row.Key, row.Origin)
			}
			for _, c := range strings.Split(r[index["bold"]]+";"+r[index["underlined"]], ";") {
				if cell := table.Cell(row.Key, c); c != "" && (cell == nil || !cell.Number) {
					t.Errorf("%s, %s: the marked column %q holds no number", table.ID, row.Key, c)
				}
			}
		}
	}
}
