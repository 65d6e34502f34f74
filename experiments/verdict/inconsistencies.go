package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"contextmover/experiments/published"
	"contextmover/experiments/results"
)

// Inconsistency is a place where the paper disagrees with itself.
type Inconsistency struct {
	Where      string `json:"where"`
	Printed    string `json:"printed"`
	Recomputed string `json:"recomputed"`
	// Computed tells whether it was found from the printed cells by this program, or
	// by reading.
	Computed bool `json:"computed"`
}

// Inconsistencies returns what the printed cells say about one another, recomputed,
// and what reading the paper beside them shows.
func Inconsistencies() []Inconsistency {
	var all []Inconsistency
	for _, find := range []func() []Inconsistency{
		averages, summaries, gains, wins, lengths, betterColumn,
	} {
		all = append(all, find()...)
	}
	for i := range all {
		all[i].Computed = true
	}
	return append(all, []Inconsistency{
		{"Table S5, SIF + PC removed", "mixing 0.4", "SIF has no mixing: a slip", false},
		{"section S5, text beside Table S7", "SIF + PC 43.0 on News", "Table S2 prints 43.1", false},
		{"section S5, text beside Table S9", "SIF + PC 51.7 on Images", "Table S3 prints 51.6", false},
		{
			"Figure S1, caption", "variants A, B, C of Table 1",
			"only A (α = 0.55, β = 1, s = 5) is a row of Table S5", false,
		},
		{"Table S16", "cited as tbl:det-acc-wbless", "its label is tbl:wbless: the reference points nowhere", false},
		{
			"Tables S12, S14 against 2, S16", "BIBLESS in all four",
			"average precision in the first two, accuracy in the others; the file is WBLESS", false,
		},
		{
			"section 2, SPPMI histograms", "β = 0 normalises by cluster size",
			"the equation beside it then divides by the number of words, which changes nothing", false,
		},
		{
			"section 3, regularised problem", "refers to the barycenter equation",
			"it means the transport problem", false,
		},
		{"section 5", "24 datasets", "19 test and 5 validation sets; STS13 has three", false},
	}...)
}

func table(id string) *published.Table {
	t, err := published.Load(id)
	if err != nil {
		panic("verdict: " + err.Error())
	}
	return t
}

func values(t *published.Table, row string, columns []string) []float64 {
	var v []float64
	for _, c := range columns {
		if cell := t.Cell(row, c); cell != nil && cell.Number {
			v = append(v, cell.Value)
		}
	}
	return v
}

var detailTables = map[string]string{
	"tableS1a_sts12_detail": "STS12", "tableS1b_sts13_detail": "STS13", "tableS2_sts14_detail": "STS14",
	"tableS3_sts15_detail": "STS15", "tableS4_sts16_val_detail": "STS16_val",
}

// averages looks for averages that are further from the mean of their row than their
// own rounding.
func averages() (all []Inconsistency) {
	for _, id := range published.IDs() {
		if detailTables[id] == "" {
			continue
		}
		t := table(id)
		for _, r := range t.Rows {
			m := results.Mean(values(t, r.Key, t.Columns[:len(t.Columns)-1]))
			if p := t.Cell(r.Key, "Average"); math.Abs(p.Value-m) > 0.05+1e-9 {
				all = append(all, Inconsistency{
					Where: t.PaperNumber + ", " + r.Label, Printed: "average " + p.Text,
					Recomputed: fmt.Sprintf("%.2f: cut off, not rounded", m),
				})
			}
		}
	}
	return all
}

// summaryRows pairs the rows of the tables by year with those of Table 1.
var summaryRows = map[string]string{
	"glove_tbc/NBoW":                            "a_unsup_glove_tbc/NBoW",
	"glove_tbc/SIF":                             "a_unsup_glove_tbc/SIF",
	"glove_tbc/SIF + PC removed":                "a_unsup_glove_tbc/SIF (PC removed)",
	"glove_tbc/Euclidean avg":                   "a_unsup_glove_tbc/Euclidean avg.",
	"glove_tbc/CoMB (GloVe)":                    "a_unsup_glove_tbc/CoMB",
	"glove_tbc/CoMB (GloVe) + Mix":              "a_unsup_glove_tbc/CoMB Mix",
	"glove_tbc/CoMB (GloVe) + Mix + PC removed": "a_unsup_glove_tbc/CoMB Mix + PC removed",
	"glove_tbc_newscrawl/CoMB (GloVe) + Mix + PC removed (TBC + News Crawl)": "c_unsup_other_corpora/CoMB Mix + PC " +
		"removed (GloVe)",
	"sent2vec_tbc/Sent2vec":                           "b_unsup_sent2vec_tbc/Sent2vec",
	"sent2vec_tbc/CoMB (sent2vec) + Mix":              "b_unsup_sent2vec_tbc/CoMB Mix",
	"sent2vec_tbc/CoMB (sent2vec) + Mix + PC removed": "b_unsup_sent2vec_tbc/CoMB Mix + PC removed",
}

// summaries looks for averages that two tables print differently.
func summaries() (all []Inconsistency) {
	for _, id := range published.IDs() {
		year := detailTables[id]
		if year == "" {
			continue
		}
		t := table(id)
		for _, r := range t.Rows {
			one, other := t.Cell(r.Key, "Average"), table("table1_sts_summary").Cell(summaryRows[r.Key], year)
			if one.Value != other.Value {
				all = append(all, Inconsistency{
					Where: t.PaperNumber + " against Table 1, " + r.Label, Printed: one.Text, Recomputed: other.Text,
				})
			}
		}
	}
	return all
}

// gains looks at the average gains of CMD over its baseline. A difference of two cells
// is known to ±0.1, and the printed gain is rounded by 0.05.
func gains() (all []Inconsistency) {
	for _, id := range []string{"tableS12_hypernymy_full_AP", "tableS14_hypernymy_ppmi_grid_AP"} {
		t := table(id)
		var sets []string
		for _, c := range t.Columns {
			if !strings.HasPrefix(c, "Avg") {
				sets = append(sets, c)
			}
		}
		for column, left := range map[string][]string{
			"Avg_Gain_printed": sets,
			"Avg_Gain_without_Baroni_printed": slices.DeleteFunc(slices.Clone(sets), func(s string) bool {
				return s == "Baroni"
			}),
		} {
			for _, r := range t.Rows[1:] {
				p := t.Cell(r.Key, column)
				if p == nil || !p.Number {
					continue
				}
				gain := results.Mean(values(t, r.Key, left)) - results.Mean(values(t, t.Rows[0].Key, left))
				if math.Abs(gain-p.Value) > 0.15+1e-9 {
					all = append(all, Inconsistency{
						Where: t.PaperNumber + ", " + r.Label, Printed: "average gain " + p.Text,
						Recomputed: fmt.Sprintf("%+.2f", gain),
					})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b Inconsistency) int { return strings.Compare(a.Where+a.Printed, b.Where+b.Printed) })
	return all
}

// wins counts the sets on which each setting of Table S14 beats the baseline: the text
// says 8 of 9 for several.
func wins() []Inconsistency {
	t := table("tableS14_hypernymy_ppmi_grid_AP")
	var counts []string
	eight := 0
	for _, r := range t.Rows[1:] {
		n := 0
		for k, c := range t.Rows[0].Cells {
			if !strings.HasPrefix(t.Columns[k], "Avg") && r.Cells[k].Value > c.Value {
				n++
			}
		}
		if n == 8 {
			eight++
		}
		counts = append(counts, fmt.Sprint(n))
	}
	if eight > 1 {
		return nil
	}
	return []Inconsistency{{
		Where: "section S7 on Table S14", Printed: "better on 8 of 9 sets for several settings",
		Recomputed: fmt.Sprintf("the six settings win on %s of 9: one on 8", strings.Join(counts, ", ")),
	}}
}

// lengths recomputes the effective lengths of the footnote from Table S8.
func lengths() (all []Inconsistency) {
	t := table("tableS8_sentence_length")
	sum, n := map[string]float64{}, map[string]float64{}
	for _, r := range t.Rows {
		length, overlap, effective := t.Cell(r.Key, "avg_sentence_length"), t.Cell(r.Key, "avg_word_overlap"),
			t.Cell(r.Key, "avg_effective_length")
		if d := length.Value - overlap.Value; math.Abs(d-effective.Value) > 0.015 {
			all = append(all, Inconsistency{
				Where: t.PaperNumber + ", " + r.Label, Printed: "effective length " + effective.Text,
				Recomputed: fmt.Sprintf("%.2f", d),
			})
		}
		better := t.Cell(r.Key, "better_method").Text
		sum[better] += effective.Value
		n[better]++
	}
	equal := "(equal)"
	return append(all, Inconsistency{
		Where:   "section S5.4, footnote on Table S8",
		Printed: "effective length 7.48 where CoMB wins, 5.03 where SIF wins",
		Recomputed: fmt.Sprintf("%.2f and %.2f; 5.03 needs Twitter, marked equal, counted for SIF: %.2f",
			sum["CoMB"]/n["CoMB"], sum["SIF"]/n["SIF"], (sum["SIF"]+sum[equal])/(n["SIF"]+n[equal])),
	})
}

// lengthSets names the set of each row of Table S8 in the tables by year.
var lengthSets = map[string]string{
	"MSRpar": "MSRpar", "MSRvid": "MSRvid", "SMTeuroparl": "SMTeuroparl", "WordNet": "OnWN", "SMTnews": "SMTnews",
	"FNWN": "FNWN", "Headlines": "headlines", "Images": "images", "Belief": "belief",
}

func lengthSet(row string) (table, set string) {
	year, name, _ := strings.Cut(row, "-")
	for id, y := range detailTables {
		if y == year {
			table = id
		}
	}
	switch row {
	case "STS14-Forum":
		return table, "deft-forum"
	case "STS14-News":
		return table, "deft-news"
	case "STS14-Twitter":
		return table, "tweet-news"
	case "STS15-Forum":
		return table, "answers-forums"
	case "STS15-Students":
		return table, "answers-students"
	}
	return table, lengthSets[name]
}

// betterColumn counts, for each variant of CoMB, the rows of Table S8 whose mark
// disagrees with the tables by year.
func betterColumn() []Inconsistency {
	t := table("tableS8_sentence_length")
	var parts []string
	for _, v := range []struct{ name, row string }{
		{"plain", "glove_tbc/CoMB (GloVe)"}, {"Mix", "glove_tbc/CoMB (GloVe) + Mix"},
		{"Mix + PC", "glove_tbc/CoMB (GloVe) + Mix + PC removed"},
	} {
		wrong := 0
		for _, r := range t.Rows {
			id, set := lengthSet(r.Key)
			comb, sif := table(id).Cell(v.row, set), table(id).Cell("glove_tbc/SIF + PC removed", set)
			mark := t.Cell(r.Key, "better_method").Text
			if mark == "CoMB" && comb.Value <= sif.Value || mark == "SIF" && sif.Value <= comb.Value {
				wrong++
			}
		}
		parts = append(parts, fmt.Sprintf("%s CoMB contradicts it on %d sets", v.name, wrong))
	}
	return []Inconsistency{{
		Where: "Table S8, better method", Printed: "one mark a set",
		Recomputed: strings.Join(parts, ", ") + " of Tables S1–S3",
	}}
}
