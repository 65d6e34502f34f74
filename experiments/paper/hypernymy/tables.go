package hypernymy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"contextmover/experiments/harness/dataset"
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
	every := func(profile.HypernymySet) bool { return true }
	blocks := h.blocks(h.Baselines)
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
		tables = append(tables, h.rankDifferences()...)
	}
	tables = append(tables,
		h.table(topTable, "Hypernymy: average precision of the first hundred", blocks,
			h.columns(every, func(m *Measure) render.Cell { return render.Number(m.Top) }),
			"AP@100 × 100: the average precision of the 100 pairs with the greatest scores."),
		h.directionality(h.columns(every, (*Measure).directed)))
	repeated := func(s profile.HypernymySet) bool { return h.Repeats[slices.Index(h.Sets, s)] > 0 }
	if slices.ContainsFunc(h.Sets, repeated) {
		tables = append(tables, h.table(distinctTable, "Hypernymy: average precision of distinct pairs", blocks,
			h.columns(repeated, func(m *Measure) render.Cell { return render.Cell{Value: m.Distinct} }),
			"AP@all × 100 where each pair of terms counts once, true if it is anywhere. "+
				"HypEval's files, which all other tables score as they are, repeat pairs of these sets; "+unknownTable+
				" counts them."))
	}
	if len(h.chosenRows()) > 0 {
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

// A choice tells which sets take part.
type choice = func(set profile.HypernymySet) bool

// columns are those of the sets that are chosen, in their order.
func (h *Result) columns(chosen choice, cell func(m *Measure) render.Cell) (all []column) {
	for s, set := range h.Sets {
		if chosen(set) {
			all = append(all, h.on(s, set.Name, cell))
		}
	}
	return all
}

// A block of rows of a table, with what notes say of them.
type block struct {
	title string
	rows  []Row
	notes []string
}

// blocks are the rows of CMD, chosen ones, others' systems and baselines.
func (h *Result) blocks(baselines []Row) []block {
	systems, diagnostic := block{"systems of others", h.systemRows(), nil}, block{"diagnostic", h.Transposed, nil}
	for _, s := range h.Systems {
		if !slices.Contains(systems.notes, s.note) {
			systems.notes = append(systems.notes, s.note)
		}
	}
	if len(h.Transposed) > 0 {
		diagnostic.notes = []string{transposedNote}
	}
	return []block{
		{rows: h.Rows}, {title: "chosen on " + h.validation(), rows: h.chosenRows()}, systems, diagnostic,
		{"baselines", baselines, []string{baselineNote}},
	}
}

// table has blocks of rows and, last, what was only printed. The paper's columns are in its order, before all others.
func (h *Result) table(id, title string, blocks []block, columns []column, notes ...string) *render.Table {
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
	ours := map[string]bool{}
	for _, b := range blocks {
		t.Notes = append(t.Notes, b.notes...)
		for _, row := range b.rows {
			out := t.Add(b.title, keyIn(id, row.Key), row.Label)
			for _, c := range columns {
				out.Cells = append(out.Cells, c.cell(row))
			}
			ours[out.Key] = true
		}
	}
	if !printed {
		return t
	}
	for _, row := range paper.Rows {
		if !ours[row.Key] {
			present.PrintedOnly(t, row, row.Key, make([]render.Cell, len(columns)))
		}
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
func (h *Result) averageGain(row Row, chosen choice) score.Estimate {
	var all []score.Estimate
	for s, set := range h.Sets {
		if chosen(set) {
			all = append(all, h.Measures[row.Key].Sets[s].AP.Minus(h.Measures[hendersonKey].Sets[s].AP))
		}
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
	columns := h.columns(func(s profile.HypernymySet) bool { return s.Validation }, (*Measure).precision)
	for i := range columns {
		columns[i].Name += validationColumn
	}
	columns = append(columns, h.columns(
		func(s profile.HypernymySet) bool { return s.Main && !s.Validation }, (*Measure).precision)...)
	notes := []string{apNote, intervalNote}
	if h.Pairs != nil {
		s := h.accuracySet()
		columns = append(columns, h.on(s, h.Sets[s].Name+accuracyColumn, (*Measure).heldOut))
		notes = append(notes, accuracyNote)
	}
	return h.table(mainTable, "Hypernymy detection", h.blocks(h.Baselines), columns, notes...)
}

// gains are the columns of sets, of their average gains on D_Hend, and of these but for the set without, where it is
// one of them.
func (h *Result) gains(chosen choice, without, name string) []column {
	gain := func(name string, chosen choice) column {
		return column{render.Column{Name: name, Digits: 1}, func(row Row) render.Cell {
			if row.Key == hendersonKey {
				return render.Cell{Text: "–"}
			}
			return pipeline.Cell(h.averageGain(row, chosen))
		}}
	}
	columns := append(h.columns(chosen, (*Measure).precision), gain(gainColumn, chosen))
	if slices.ContainsFunc(h.Sets, func(s profile.HypernymySet) bool { return chosen(s) && s.Name == without }) {
		columns = append(columns,
			gain(name, func(s profile.HypernymySet) bool { return chosen(s) && s.Name != without }))
	}
	return columns
}

const gainNote = gainColumn + ": mean difference to " + hendersonKey + " over the sets."

// full is Table S12: all sets but the one for validation, and the average gain.
func (h *Result) full() *render.Table {
	const without = "without " + largestGain
	tests := func(s profile.HypernymySet) bool { return !s.Validation }
	columns, notes := h.gains(tests, largestGain, without), []string{apNote, intervalNote, gainNote}
	if columns[len(columns)-1].Name == without {
		notes = append(notes,
			without+": the same over the others; most of the printed average is the gain on that set.")
	}
	t := h.table(fullTable, "Hypernymy detection on all sets", h.blocks(h.Baselines), columns, notes...)
	// Which baselines gain more than a row of CMD: an average gain on D_Hend alone says little.
	for _, row := range slices.Concat(h.Rows[1:], h.CMD.Chosen) {
		own := h.averageGain(row, tests).Mean()
		var better []string
		for _, b := range slices.Concat(h.Baselines, h.systemRows()) {
			if g := h.averageGain(b, tests).Mean(); g > own {
				better = append(better, fmt.Sprintf("%s (%+.1f)", b.Label, g))
			}
		}
		what := strings.Join(better, ", ") + " gain more"
		switch len(better) {
		case 0:
			what = "no baseline gains more"
		case 1:
			what = better[0] + " gains more"
		}
		t.Notes = append(t.Notes, fmt.Sprintf("%s gains %+.1f on average; %s.", row.Label, own, what))
	}
	return t
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
	return h.table(gridTable,
		fmt.Sprintf("Hypernymy detection by associations, K = %d", h.profile.Hypernymy.Grid.Clusters),
		[]block{{rows: append(h.Rows[:1:1], h.Grid...)}},
		h.gains(func(s profile.HypernymySet) bool { return s.Grid }, largestLoss,
			fmt.Sprintf(gainWithoutColumn, largestLoss)), apNote, intervalNote, gainNote)
}

var accuracyNote = fmt.Sprintf("accuracy: per cent of the pairs with a score; threshold by %g %% of them, the mean "+
	"over %d random draws of its accuracy on the others. The paper states no rule for the "+
	"threshold.", 100*heldOutShare, heldOutDraws)

// accuracy is Table S16.
func (h *Result) accuracy() *render.Table {
	const half = "half called true"
	s := h.accuracySet()
	return h.table(accuracyTable, h.Sets[s].Name+": accuracy", h.blocks(h.Baselines), []column{
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
	return h.table(hyperLexTable, "Graded pairs (HyperLex): Spearman", h.blocks(baselines), []column{
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
	t := h.table(directionalityTable, "Hypernymy: directionality", h.blocks(h.Baselines), columns, "Per cent of the "+
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

// A rankedPair has its ranks, 1 for the surest hypernym, by D_Hend and by the first row of CMD.
type rankedPair struct {
	dataset.HypernymPair
	henderson, cmd float64
}

func (p rankedPair) difference() float64 { return p.cmd - p.henderson }

// better is the method that ranks a true pair higher, or a false one lower.
func (p rankedPair) better() string {
	switch {
	case p.difference() == 0:
		return "equal"
	case (p.difference() > 0) == p.True:
		return "Henderson"
	}
	return "CMD"
}

// rankDifferences are Tables S18 and S19: the pairs whose rank by the first row of CMD is
// most below, and most above, that by D_Hend.
func (h *Result) rankDifferences() []*render.Table {
	s := h.accuracySet()
	henderson, cmd := h.Measures[h.Rows[0].Key].Sets[s], h.Measures[h.Rows[1].Key].Sets[s]
	// Uncovered pairs, the lowest of each, have no rank; CMD covers no pair that D_Hend does not.
	var pairs []rankedPair
	var x, y []float64
	for i, covered := range cmd.covered() {
		if covered {
			pairs = append(pairs, rankedPair{HypernymPair: h.Pairs[i]})
			x, y = append(x, -henderson.Scores[i]), append(y, -cmd.Scores[i])
		}
	}
	x, y = score.Ranks(x), score.Ranks(y)
	where := map[string]rankedPair{}
	for i := range pairs {
		pairs[i].henderson, pairs[i].cmd = x[i], y[i]
		where[pairs[i].A+"/"+pairs[i].B] = pairs[i]
	}
	slices.SortStableFunc(pairs, func(a, b rankedPair) int { return cmp.Compare(b.difference(), a.difference()) })
	table := func(id, which string) *render.Table {
		t := present.Table(h.profile, id, "pair",
			fmt.Sprintf("%s: pairs that CMD ranks much %s than %s", h.Sets[s].Name, which, hendersonKey),
			fmt.Sprintf("Ranks of the %d pairs with a score, 1 for the surest hypernym, by %s and %s.",
				len(pairs), h.Rows[1].Label, hendersonKey))
		t.Plain("", 0, "gold", "CMD_rank", "Henderson_rank", "better_method", "rank_difference")
		t.Notes = append(t.Notes, h.hendersonNotes()...)
		add := func(block, key string, p rankedPair) {
			t.Add(block, key, p.A+" → "+p.B, render.Cell{Text: strings.ToUpper(fmt.Sprint(p.True))},
				render.Number(p.cmd), render.Number(p.henderson), render.Cell{Text: p.better()},
				render.Number(p.difference()))
		}
		won, shown := 0, map[string]bool{}
		first := pairs[:min(shownRankDifferences, len(pairs))]
		for _, p := range first {
			if p.better() == "CMD" {
				won++
			}
			if key := "ours/" + p.A + "/" + p.B; !shown[key] {
				shown[key] = true
				add("by our vectors", key, p)
			}
		}
		t.Notes = append(t.Notes, fmt.Sprintf("By our vectors CMD is better on %d of %d.", won, len(first)))
		paper, err := published.Load(id)
		if err != nil || !h.profile.Hypernymy.Published {
			return t
		}
		agree := 0
		for _, printed := range paper.Rows {
			const block = "the pairs that the paper shows"
			p, ok := where[printed.Key]
			if !ok {
				t.Add(block, printed.Key, strings.ReplaceAll(printed.Key, "/", " → "),
					render.Texts("out of vocabulary", "", "", "", "")...)
				continue
			}
			add(block, printed.Key, p)
			value, ok := published.Value(id, printed.Key, "rank_difference")
			if ok && (value > 0) == (p.difference() > 0) {
				agree++
			}
		}
		t.Notes = append(t.Notes, fmt.Sprintf("Of the paper's %d pairs, %d differ in the same direction here.",
			len(paper.Rows), agree))
		return t
	}
	up := table(rankUpTable, "lower")
	slices.Reverse(pairs)
	return []*render.Table{up, table(rankDownTable, "higher")}
}
