package hypernymy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/show/render"
)

const (
	mainTable            = "table2_hypernymy_main"
	fullTable            = "tableS12_hypernymy_full_AP"
	unknownTable         = "tableS13_hypernymy_oov"
	gridTable            = "tableS14_hypernymy_ppmi_grid_AP"
	accuracyTable        = "tableS16_wbless_accuracy"
	hyperLexTable        = "tableS17_hyperlex_spearman"
	rankUpTable          = "tableS18_bibless_max_positive_rank_diff"
	rankDownTable        = "tableS19_bibless_max_negative_rank_diff"
	topTable             = "hypernymy_ap_at_100"
	searchTable          = "hypernymy_search"
	directionalityTable  = "hypernymy_directionality"
	distinctTable        = "hypernymy_distinct_pairs"
	validationColumn     = "_val"
	accuracyColumn       = "_accuracy"
	gainColumn           = "Avg_Gain_printed"
	gainWithoutColumn    = "Avg_Gain_without_%s_printed"
	shownRankDifferences = 20
)

// Sets that the paper's average gains depend on most: of one method's gain on
// the first, and of a loss on the second.
const (
	largestGain = "HypeNet-Test"
	largestLoss = "Baroni"
)

const (
	apNote = "AP@all × 100, as in HypEval: a term is looked up as it is written, and pairs that cannot be scored " +
		"share one score below all others. The coverage counts the pairs with a score."
	intervalNote = "Intervals: 95 %, from draws of pairs by clusters of terms, so that pairs that share a term are " +
		"drawn together (Owen 2007), and of the seeds of vectors and clusters, whose mean is printed."
	untrainedNote = "In kind: these rows judge the paper's claims with vectors of another kind. " + hendersonKey +
		": of vectors without training, [x − 1, −x − 1] for the first dimensions x of a word's scaled SVD vector, " +
		"where the paper trains by a procedure that is not published in full (docs/decisions/0015). Nothing was " +
		"fitted to printed numbers."
	transposedNote = "cost transposed: mass moves from the narrow term at the cost of the way back. Where this " +
		"finds more than the row of the same name, that row points the wrong way."
	// What the baselines are, in words.
	systemsNote = "systems of others: trained here on the same counts, with the settings of their authors; printed " +
		"are their numbers on other text. DIVE: C·ΔS, the cosine of its vectors times the difference of their sums; " +
		"GE: Gaussian embeddings, by the cosine of their means or less the divergence of the first term's from the " +
		"second's; Poincaré GloVe: by the standard deviations of its points read as Gaussians, turned by how " +
		"frequent words are."
	patternNote = "Hearst's patterns: how often the text has the first term as an example of the second, as in " +
		"\"fruits such as apples\"; the positive pointwise mutual information of these counts; and that of a lower " +
		"rank, by singular vectors (Roller, Kiela, Nickel 2018). Terms count in the singular. CMD over them: as the " +
		"other rows of CMD, but the contexts of a term are what patterns have as its kinds, or its examples too, by " +
		"their positive pointwise mutual information."
	baselineNote = "baselines: ours; log frequency difference is ln(count of term 2 / count of term 1); cosine is " +
		"that of the SVD vectors; weedsPrec, invCL and SLQS compare SPPMI contexts."
)

// Tables returns the tables of the experiment.
func (h *Result) Tables() []*render.Table {
	tables := []*render.Table{h.main(), h.full(), h.unknown()}
	if len(h.Grid) > 0 {
		tables = append(tables, h.grid())
	}
	if h.Pairs != nil {
		tables = append(tables, h.accuracy())
	}
	if h.profile.Hypernymy.HyperLex != "" {
		tables = append(tables, h.graded())
	}
	if h.Pairs != nil {
		up, down := h.rankDifferences()
		tables = append(tables, up, down)
	}
	every := func(int) bool { return true }
	tables = append(tables,
		h.table(topTable, "Hypernymy: average precision of the first hundred", h.Baselines,
			h.columns(every, func(m *Measure) render.Cell { return render.Number(m.Top) }),
			"AP@100 × 100: the average precision of the 100 pairs with the greatest scores."),
		h.directionality(h.columns(every, (*Measure).directed)))
	if repeated := h.columns(func(s int) bool { return h.Repeats[s] > 0 },
		func(m *Measure) render.Cell { return render.Cell{Value: m.Distinct} }); len(repeated) > 0 {
		tables = append(tables, h.table(distinctTable, "Hypernymy: average precision of distinct pairs",
			h.Baselines, repeated, "AP@all × 100 where each pair of terms counts once, true if it is anywhere. "+
				"HypEval's files, which all other tables score as they are, repeat pairs of these sets; "+unknownTable+
				" counts them."))
	}
	if len(h.CMD.Tried) > 0 || len(h.chosenRows()) > 0 {
		tables = append(tables, h.search())
	}
	if h.profile.Hypernymy.Published {
		for _, t := range tables {
			besidePrinted(t)
		}
	}
	return tables
}

// besidePrinted puts the paper's numbers beside ours.
func besidePrinted(t *render.Table) {
	for _, b := range t.Blocks {
		for _, row := range b.Rows {
			for c := range row.Cells {
				row.Cells[c].Printed = published.Number(t.ID, cmp.Or(row.Key, row.Label), t.Columns[c].Name)
			}
		}
	}
}

// keyIn is the key of a row in one of the paper's tables, whose spelling of a name is not always that of Table 2.
func keyIn(table, row string) string {
	if table != mainTable {
		return strings.ReplaceAll(row, "é", "e")
	}
	return row
}

// A column of the tables of methods has a cell for each row.
type column struct {
	render.Column
	cell func(row Row) render.Cell
}

// on is a column of what rows have on set s.
func (h *Result) on(s int, name string, cell func(m *Measure) render.Cell) column {
	return column{render.Column{Name: name, Digits: 1}, func(row Row) render.Cell {
		return cell(h.Measures[row.Key].Sets[s])
	}}
}

// columns are those of the sets that of names, in their order.
func (h *Result) columns(of func(s int) bool, cell func(m *Measure) render.Cell) (all []column) {
	for s, set := range h.Sets {
		if of(s) {
			all = append(all, h.on(s, set.Name, cell))
		}
	}
	return all
}

// table has the blocks of the rows of CMD or, without baselines, those of its grid; of chosen ones, others' systems and
// baselines; and of what was only printed. The paper's columns are in its order, before all others.
func (h *Result) table(id, title string, baselines []Row, columns []column, notes ...string) *render.Table {
	t := present.Table(h.profile, id, "method", title, append(notes, h.hendersonNotes()...)...)
	paper, err := published.Load(id)
	printed := err == nil && h.profile.Hypernymy.Published
	if printed {
		place := func(c column) int {
			if at := slices.Index(paper.Columns, c.Name); at >= 0 {
				return at
			}
			return len(paper.Columns)
		}
		slices.SortStableFunc(columns, func(a, b column) int { return cmp.Compare(place(a), place(b)) })
	}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Column)
	}
	add := func(block string, rows []Row) {
		for _, row := range rows {
			out := t.Add(block, keyIn(id, row.Key), row.Label)
			for _, c := range columns {
				out.Cells = append(out.Cells, c.cell(row))
			}
		}
	}
	rows := h.Rows
	if baselines == nil {
		rows = append(rows[:1:1], h.Grid...)
	}
	add("", rows)
	if baselines != nil {
		if chosen := slices.Concat(h.CMD.Chosen, h.chosenRows()); len(chosen) > 0 {
			add("chosen on "+h.validation(), chosen)
		}
		rows = slices.Concat(rows, h.systemRows())
		add("systems of others", h.systemRows())
		for _, s := range h.Systems {
			if !slices.Contains(t.Notes, s.note) {
				t.Notes = append(t.Notes, s.note)
			}
		}
		if add("diagnostic", h.Transposed); len(h.Transposed) > 0 {
			t.Notes = append(t.Notes, transposedNote)
		}
		add("baselines", baselines)
		t.Notes = append(t.Notes, baselineNote)
	}
	if !printed {
		return t
	}
	for _, row := range paper.Rows {
		if slices.ContainsFunc(rows, func(r Row) bool { return keyIn(id, r.Key) == row.Key }) {
			continue
		}
		present.PrintedOnly(t, row, row.Key, make([]render.Cell, len(columns)))
	}
	return t
}

// hendersonNotes says that D_Hend's vectors are untrained, where they are.
func (h *Result) hendersonNotes() []string {
	if v := h.profile.Hypernymy.Vectors; v.File != "" || v.Samples > 0 {
		return nil
	}
	return []string{untrainedNote}
}

func (m *Measure) cell(e score.Estimate) render.Cell {
	return pipeline.Measure{Estimate: e, Pairs: m.Pairs, Covered: m.Covered}.Cell(nil)
}

func (m *Measure) precision() render.Cell { return m.cell(m.AP) }
func (m *Measure) heldOut() render.Cell   { return m.cell(*m.HeldOut) }

// averageGain is the mean difference to D_Hend over sets, with an interval that is paired: samples and seeds are the
// same for both.
func (h *Result) averageGain(row Row, sets []int) score.Estimate {
	var all []score.Estimate
	for _, s := range sets {
		all = append(all, h.Measures[row.Key].Sets[s].AP.Minus(h.Measures[h.Rows[0].Key].Sets[s].AP))
	}
	return score.MeanEstimate(all)
}

// validation names the set that settings are chosen on.
func (h *Result) validation() string { return validationSet(h.profile.Hypernymy).Name }

// accuracySet is the number of the set for accuracies.
func (h *Result) accuracySet() int {
	return slices.IndexFunc(h.Sets, func(s profile.HypernymySet) bool { return s.Name == h.profile.Hypernymy.Accuracy })
}

// search shows what was tried on the set for validation.
func (h *Result) search() *render.Table {
	t := present.Table(h.profile, searchTable, "method",
		"Hypernymy: settings tried on "+h.validation()+", best first",
		"AP@all × 100. The other settings are the paper's, or of the authors of other systems. "+
			"Intervals are over pairs, by clusters of terms.")
	t.Scores("", 1, h.validation())
	all := slices.Clone(h.CMD.Tried)
	for _, s := range h.Systems {
		all = append(all, s.Tried...)
	}
	slices.SortStableFunc(all, func(a, b pipeline.Trial[Row]) int { return cmp.Compare(b.Value, a.Value) })
	for _, tried := range all {
		t.Add("", tried.Row.Key, tried.Row.Label, pipeline.Cell(tried.Estimate))
	}
	return t
}

// main is Table 2.
func (h *Result) main() *render.Table {
	var columns, tests []column
	for s, set := range h.Sets {
		if set.Validation {
			columns = append(columns, h.on(s, set.Name+validationColumn, (*Measure).precision))
		} else if set.Main {
			tests = append(tests, h.on(s, set.Name, (*Measure).precision))
		}
	}
	columns, notes := append(columns, tests...), []string{apNote, intervalNote}
	if h.Pairs != nil {
		s := h.accuracySet()
		columns = append(columns, h.on(s, h.Sets[s].Name+accuracyColumn, (*Measure).heldOut))
		notes = append(notes, accuracyNote)
	}
	return h.table(mainTable, "Hypernymy detection", h.Baselines, columns, notes...)
}

// gains are the columns of the sets that of names, of their average gains on D_Hend, and of these but for the set
// without, where it is one of them; and the sets' numbers.
func (h *Result) gains(
	of func(profile.HypernymySet) bool, without, name string,
) (columns []column, sets []int) {
	var others []int
	for s, set := range h.Sets {
		if of(set) {
			columns, sets = append(columns, h.on(s, set.Name, (*Measure).precision)), append(sets, s)
			if set.Name != without {
				others = append(others, s)
			}
		}
	}
	gain := func(name string, sets []int) {
		columns = append(columns, column{render.Column{Name: name, Digits: 1}, func(row Row) render.Cell {
			if row.Key == hendersonKey {
				return render.Cell{Text: "–"}
			}
			return pipeline.Cell(h.averageGain(row, sets))
		}})
	}
	if gain(gainColumn, sets); len(others) < len(sets) {
		gain(name, others)
	}
	return columns, sets
}

const gainNote = gainColumn + ": mean difference to " + hendersonKey + " over the sets."

// full is Table S12: all sets but the one for validation, and the average gain.
func (h *Result) full() *render.Table {
	const without = "without " + largestGain
	columns, sets := h.gains(func(s profile.HypernymySet) bool { return !s.Validation }, largestGain, without)
	notes := []string{apNote, intervalNote, gainNote}
	if len(columns) > len(sets)+1 {
		notes = append(notes,
			without+": the same over the others; most of the printed average is the gain on that set.")
	}
	t := h.table(fullTable, "Hypernymy detection on all sets", h.Baselines, columns, notes...)
	t.Notes = append(t.Notes, h.gainNotes(sets)...)
	return t
}

// gainNotes says which baselines gain more on average than each row of CMD, by the numbers of
// the table: an average gain on D_Hend alone says little.
func (h *Result) gainNotes(sets []int) []string {
	var notes []string
	for _, row := range slices.Concat(h.Rows[1:], h.CMD.Chosen) { // of CMD
		own := h.averageGain(row, sets).Mean()
		var better []string
		for _, b := range slices.Concat(h.Baselines, h.systemRows()) {
			if g := h.averageGain(b, sets).Mean(); g > own {
				better = append(better, fmt.Sprintf("%s (%+.1f)", b.Label, g))
			}
		}
		what := "no baseline gains more"
		if len(better) > 0 {
			what = strings.Join(better, ", ") + " gain more"
			if len(better) == 1 {
				what = better[0] + " gains more"
			}
		}
		notes = append(notes, fmt.Sprintf("%s gains %+.1f on average; %s.", row.Label, own, what))
	}
	return notes
}

// unknown is Table S13.
func (h *Result) unknown() *render.Table {
	t := present.Table(h.profile, unknownTable, "set", "Hypernymy sets: pairs and pairs out of vocabulary",
		"A pair is out of vocabulary if either term is; terms of several words are looked up as one "+
			"and nearly always are. True, %: the share of true pairs, which is the AP of chance. repeats: pairs "+
			"that occur earlier in the file.")
	t.Plain("", 0, "pairs_N", "OOV_pairs")
	t.Plain("", 1, "OOV, %", "True, %")
	t.Plain("", 0, "repeats")
	for s, set := range h.Sets {
		m := h.Measures[h.Baselines[0].Key].Sets[s]
		n, unknown := float64(m.Pairs), float64(h.Unknown[s])
		t.Add("", "", set.Name, render.Number(n), render.Number(unknown), render.Number(100*unknown/n),
			render.Number(100*float64(m.Positive)/n), render.Number(float64(h.Repeats[s])))
	}
	return t
}

// grid is Table S14.
func (h *Result) grid() *render.Table {
	columns, _ := h.gains(func(s profile.HypernymySet) bool { return s.Grid }, largestLoss,
		fmt.Sprintf(gainWithoutColumn, largestLoss))
	return h.table(gridTable,
		fmt.Sprintf("Hypernymy detection by associations, K = %d", h.profile.Hypernymy.Grid.Clusters), nil, columns,
		apNote, intervalNote, gainNote)
}

var accuracyNote = fmt.Sprintf("accuracy: per cent of the pairs with a score; threshold by %g %% of them, the mean "+
	"over %d random draws of its accuracy on the others. The paper states no rule for the "+
	"threshold.", 100*heldOutShare, heldOutDraws)

// accuracy is Table S16.
func (h *Result) accuracy() *render.Table {
	const half = "half called true"
	s := h.accuracySet()
	return h.table(accuracyTable, h.Sets[s].Name+": accuracy", h.Baselines, []column{
		h.on(s, "accuracy_pct", (*Measure).heldOut),
		h.on(s, half, func(m *Measure) render.Cell { return m.cell(*m.Half) }),
	}, accuracyNote, intervalNote,
		half+": the half of the pairs with the greater scores is called true (Henderson's 50 % accuracy).")
}

// graded is Table S17.
func (h *Result) graded() *render.Table {
	notes := []string{"Pairs without a score are dropped; the paper does not say what it does.", intervalNote}
	for _, row := range slices.Concat(h.Rows, h.CMD.Chosen) {
		if m := h.Measures[row.Key].Graded; m != nil && m.All.High < 0 {
			notes = append(notes,
				row.Label+" points the wrong way: the surer a pair is to people, the less sure it is by the row.")
		}
	}
	baselines := slices.DeleteFunc(slices.Clone(h.Baselines), func(r Row) bool {
		return h.Measures[r.Key].Graded == nil
	})
	return h.table(hyperLexTable, "Graded pairs (HyperLex): Spearman", baselines, []column{
		{render.Column{Name: "spearman", Digits: 3}, func(row Row) render.Cell {
			m := h.Measures[row.Key].Graded
			return pipeline.Measure{Estimate: m.All, Pairs: m.Pairs, Covered: m.Covered}.Cell(nil)
		}},
		{render.Column{Name: "nouns", Digits: 3}, func(row Row) render.Cell {
			return pipeline.Cell(h.Measures[row.Key].Graded.Nouns)
		}},
	}, notes...)
}

// directed shows how often the row tells which term of a pair is the wider one.
func (m *Measure) directed() render.Cell {
	if m.Hyper == 0 {
		return render.Cell{}
	}
	return render.Cell{Value: &m.Directed, Coverage: &render.Coverage{Covered: m.HyperCovered, Total: m.Hyper}}
}

// directionality tells which term of a pair a row takes for the wider one.
func (h *Result) directionality(columns []column) *render.Table {
	t := h.table(directionalityTable, "Hypernymy: directionality", h.Baselines, columns, "Per cent of the "+
		"pairs with the relation hyper whose score is greater than that of the pair the other way round. A tie counts "+
		"half and a pair without a score as wrong: guessing gets half of the coverage.")
	for _, row := range slices.Concat(h.Rows, h.CMD.Chosen) {
		var sets []string
		for s, set := range h.Sets {
			if m := h.Measures[row.Key].Sets[s]; m != nil && m.reversed() {
				sets = append(sets, set.Name)
			}
		}
		if len(sets) > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s points the wrong way on %s: it is right less often than "+
				"guessing, by more than two standard errors.", row.Label, strings.Join(sets, ", ")))
		}
	}
	return t
}

// reversed tells whether a row names the wrong term of a pair as the wider one more often
// than a coin, by two standard errors of a coin thrown once a pair, √n/2 pairs each.
func (m *Measure) reversed() bool {
	n, right := float64(m.HyperCovered), m.Directed/100*float64(m.Hyper)
	return right < float64(n/2)-math.Sqrt(n)
}

// rankDifferences are Tables S18 and S19: the pairs whose rank by the first row of CMD is
// most below, and most above, that by D_Hend.
func (h *Result) rankDifferences() (up, down *render.Table) {
	s := h.accuracySet()
	henderson, cmd := h.Measures[h.Rows[0].Key].Sets[s], h.Measures[h.Rows[1].Key].Sets[s]
	// Uncovered pairs, the lowest of each, have no rank; CMD covers no pair that D_Hend does not.
	var index []int
	for i, covered := range cmd.covered() {
		if covered {
			index = append(index, i)
		}
	}
	ranks := func(m *Measure) []float64 {
		x := make([]float64, len(index))
		for at, i := range index {
			x[at] = -m.Scores[i]
		}
		return score.Ranks(x)
	}
	byHenderson, byCMD := ranks(henderson), ranks(cmd)
	name := func(i int) string { return h.Pairs[i].A + "/" + h.Pairs[i].B }
	order := make([]int, len(index))
	where := map[string]int{}
	for at, i := range index {
		order[at] = at
		where[name(i)] = at
	}
	difference := func(at int) float64 { return byCMD[at] - byHenderson[at] }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(difference(b), difference(a)) })
	better := func(at int) string {
		switch {
		case difference(at) == 0:
			return "equal"
		case (difference(at) > 0) == h.Pairs[index[at]].True:
			return "Henderson"
		}
		return "CMD"
	}
	table := func(id, which string, first []int) *render.Table {
		t := present.Table(h.profile, id, "pair",
			fmt.Sprintf("%s: pairs that CMD ranks much %s than %s", h.Sets[s].Name, which, hendersonKey),
			fmt.Sprintf("Ranks of the %d pairs with a score, 1 for the surest hypernym, by %s and %s.",
				len(index), h.Rows[1].Label, hendersonKey))
		t.Plain("", 0, "gold", "CMD_rank", "Henderson_rank", "better_method", "rank_difference")
		t.Notes = append(t.Notes, h.hendersonNotes()...)
		add := func(block, key string, at int) {
			pair := h.Pairs[index[at]]
			t.Add(block, key, pair.A+" → "+pair.B, render.Cell{Text: strings.ToUpper(fmt.Sprint(pair.True))},
				render.Number(byCMD[at]), render.Number(byHenderson[at]), render.Cell{Text: better(at)},
				render.Number(difference(at)))
		}
		won, shown := 0, map[string]bool{}
		for _, at := range first {
			if better(at) == "CMD" {
				won++
			}
			if pair := name(index[at]); !shown[pair] {
				shown[pair] = true
				add("by our vectors", "ours/"+pair, at)
			}
		}
		t.Notes = append(t.Notes, fmt.Sprintf("By our vectors CMD is better on %d of %d.", won, len(first)))
		if paper, e := published.Load(id); e == nil && h.profile.Hypernymy.Published {
			agree := 0
			for _, printed := range paper.Rows {
				const block = "the pairs that the paper shows"
				at, ok := where[printed.Key]
				if !ok {
					t.Add(block, printed.Key, strings.ReplaceAll(printed.Key, "/", " → "),
						render.Texts("out of vocabulary", "", "", "", "")...)
					continue
				}
				add(block, printed.Key, at)
				value, ok := published.Value(id, printed.Key, "rank_difference")
				if ok && (value > 0) == (difference(at) > 0) {
					agree++
				}
			}
			t.Notes = append(t.Notes, fmt.Sprintf("Of the paper's %d pairs, %d differ in the same direction here.",
				len(paper.Rows), agree))
		}
		return t
	}
	n := min(shownRankDifferences, len(order))
	up = table(rankUpTable, "lower", order[:n])
	slices.Reverse(order)
	return up, table(rankDownTable, "higher", order[:n])
}
