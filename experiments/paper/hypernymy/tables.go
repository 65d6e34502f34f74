package hypernymy

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"contextmover/experiments/harness/pipeline"
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
func (h *Result) Tables(p *profile.Profile) ([]*render.Table, error) {
	tables := []*render.Table{h.main(p), h.full(p), h.unknown(p)}
	if len(h.Grid) > 0 {
		tables = append(tables, h.grid(p))
	}
	if h.Pairs != nil {
		tables = append(tables, h.accuracy(p))
	}
	if p.Hypernymy.HyperLex != "" {
		tables = append(tables, h.graded(p))
	}
	if h.Pairs != nil {
		up, down, err := h.rankDifferences(p)
		if err != nil {
			return nil, err
		}
		tables = append(tables, up, down)
	}
	tables = append(tables,
		h.bySet(p, topTable, "average precision of the first hundred",
			"AP@100 × 100: the average precision of the 100 pairs with the greatest scores.",
			func(m *Measure) render.Cell {
				return render.Cell{Value: &m.Top}
			}),
		h.directionality(p))
	if slices.ContainsFunc(h.Repeats, func(n int) bool { return n > 0 }) {
		tables = append(tables, h.distinct(p))
	}
	if len(h.CMD.Tried) > 0 || len(h.chosenRows()) > 0 {
		tables = append(tables, h.search(p))
	}
	if p.Hypernymy.Published {
		for _, t := range tables {
			inPrintedOrder(t)
		}
	}
	return tables, nil
}

// inPrintedOrder puts the paper's columns into its order, before all others.
func inPrintedOrder(t *render.Table) {
	paper, err := published.Load(t.ID)
	if err != nil {
		return // a table of our own
	}
	order := make([]int, len(t.Columns))
	for i := range order {
		order[i] = i
	}
	place := func(i int) int {
		if at := slices.Index(paper.Columns, t.Columns[i].Name); at >= 0 {
			return at
		}
		return len(paper.Columns)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(place(a), place(b)) })
	columns := make([]render.Column, len(order))
	for to, from := range order {
		columns[to] = t.Columns[from]
	}
	t.Columns = columns
	for _, b := range t.Blocks {
		for r := range b.Rows {
			cells := make([]render.Cell, len(order))
			for to, from := range order {
				cells[to] = b.Rows[r].Cells[from]
			}
			b.Rows[r].Cells = cells
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

// printedCell returns the paper's number for a cell, nil where the profile's rows are not
// the paper's.
func printedCell(p *profile.Profile, table, row, column string) *float64 {
	if !p.Hypernymy.Published {
		return nil
	}
	return published.Number(table, row, column)
}

// addBlocks makes the blocks of a table with a cell for each row and column: the
// paper's rows, our baselines and what was only printed.
func (h *Result) addBlocks(
	p *profile.Profile, t *render.Table, rows, baselines []Row, cell func(row Row, column string) render.Cell,
) {
	make := func(title string, rows []Row) {
		block := render.Block{Title: title}
		for _, row := range rows {
			out := render.Row{Key: keyIn(t.ID, row.Key), Label: row.Label}
			for _, c := range t.Columns {
				filled := cell(row, c.Name)
				filled.Printed = printedCell(p, t.ID, keyIn(t.ID, row.Key), c.Name)
				out.Cells = append(out.Cells, filled)
			}
			block.Rows = append(block.Rows, out)
		}
		t.Blocks = append(t.Blocks, block)
	}
	make("", rows)
	t.Notes = append(t.Notes, hendersonNotes(p)...)
	if len(baselines) > 0 {
		if chosen := slices.Concat(h.CMD.Chosen, h.chosenRows()); len(chosen) > 0 {
			make("chosen on "+h.validation(), chosen)
		}
		if len(h.Systems) > 0 {
			rows = slices.Concat(rows, h.systemRows())
			make("systems of others", h.systemRows())
			for _, s := range h.Systems {
				if !slices.Contains(t.Notes, s.note) {
					t.Notes = append(t.Notes, s.note)
				}
			}
		}
		if len(h.Transposed) > 0 {
			make("diagnostic", h.Transposed)
			t.Notes = append(t.Notes, transposedNote)
		}
		make("baselines", baselines)
		t.Notes = append(t.Notes, baselineNote)
	}
	paper, err := published.Load(t.ID)
	if err != nil || !p.Hypernymy.Published {
		return
	}
	block := render.Block{Title: "printed only"}
	for _, row := range paper.Rows {
		if slices.ContainsFunc(rows, func(r Row) bool { return keyIn(t.ID, r.Key) == row.Key }) {
			continue
		}
		out := render.Row{Key: row.Key, Label: row.Label, Origin: render.Origin(row.Origin)}
		if row.Origin == published.Run {
			out.Origin = render.Run
		}
		for _, c := range t.Columns {
			out.Cells = append(out.Cells, render.Cell{Printed: published.Number(t.ID, row.Key, c.Name)})
		}
		block.Rows = append(block.Rows, out)
	}
	if len(block.Rows) > 0 {
		t.Blocks = append(t.Blocks, block)
	}
}

// hendersonNotes says that D_Hend's vectors are untrained, where they are.
func hendersonNotes(p *profile.Profile) []string {
	if v := p.Hypernymy.Vectors; v.File != "" || v.Samples > 0 {
		return nil
	}
	return []string{untrainedNote}
}

func (m *Measure) cell(e score.Estimate, total int) render.Cell {
	c := pipeline.Cell(e)
	c.Coverage = &render.Coverage{Covered: m.Covered, Total: total}
	return c
}

// measure returns the measure of a row on a set.
func (h *Result) measure(row Row, set string) *Measure {
	s := slices.IndexFunc(h.Sets, func(s profile.HypernymySet) bool { return s.Name == set })
	if s < 0 {
		return nil
	}
	return h.Measures[row.Key].Sets[s]
}

// gain is the mean difference to D_Hend over sets, with an interval that is paired: samples and
// seeds are the same for both.
func (h *Result) gain(row Row, sets []string) render.Cell {
	if row.Key == hendersonKey {
		return render.Cell{Text: "–"}
	}
	return pipeline.Cell(h.averageGain(row, sets))
}

func (h *Result) averageGain(row Row, sets []string) score.Estimate {
	var all []score.Estimate
	for _, set := range sets {
		all = append(all, h.measure(row, set).AP.Minus(h.measure(h.Rows[0], set).AP))
	}
	return score.MeanEstimate(all)
}

// validation names the set that settings are chosen on.
func (h *Result) validation() string {
	return h.Sets[slices.IndexFunc(h.Sets, func(s profile.HypernymySet) bool { return s.Validation })].Name
}

// search shows what was tried on the set for validation.
func (h *Result) search(p *profile.Profile) *render.Table {
	t := &render.Table{
		ID: searchTable, Label: "method",
		Title:   fmt.Sprintf("Hypernymy: settings tried on %s, best first (profile %s)", h.validation(), p.Name),
		Columns: []render.Column{{Name: h.validation(), Digits: 1}},
		Notes: []string{"AP@all × 100. The other settings are the paper's, or of the authors of other systems. " +
			"Intervals are over pairs, by clusters of terms."},
	}
	all := slices.Clone(h.CMD.Tried)
	for _, s := range h.Systems {
		all = append(all, s.Tried...)
	}
	slices.SortStableFunc(all, func(a, b pipeline.Trial[Row]) int { return cmp.Compare(b.Value, a.Value) })
	for _, tried := range all {
		t.Add("", render.Row{
			Key: tried.Row.Key, Label: tried.Row.Label, Cells: []render.Cell{pipeline.Cell(tried.Estimate)},
		})
	}
	return t
}

// main is Table 2.
func (h *Result) main(p *profile.Profile) *render.Table {
	t := &render.Table{
		ID: mainTable, Label: "method",
		Title: fmt.Sprintf("Hypernymy detection (profile %s)", p.Name),
		Notes: []string{apNote, intervalNote},
	}
	sets := map[string]string{} // by column
	add := func(column, set string) {
		t.Columns = append(t.Columns, render.Column{Name: column, Digits: 1})
		sets[column] = set
	}
	for _, set := range h.Sets {
		if set.Validation {
			add(set.Name+validationColumn, set.Name)
		}
	}
	for _, set := range h.Sets {
		if set.Main && !set.Validation {
			add(set.Name, set.Name)
		}
	}
	accuracy := p.Hypernymy.Accuracy + accuracyColumn
	if h.Pairs != nil {
		add(accuracy, p.Hypernymy.Accuracy)
		t.Notes = append(t.Notes, accuracyNote)
	}
	h.addBlocks(p, t, h.Rows, h.Baselines, func(row Row, column string) render.Cell {
		m := h.measure(row, sets[column])
		if column == accuracy {
			return m.cell(*m.HeldOut, m.Pairs)
		}
		return m.cell(m.AP, m.Pairs)
	})
	return t
}

// full is Table S12: all sets but the one for validation, and the average gain.
func (h *Result) full(p *profile.Profile) *render.Table {
	t := &render.Table{
		ID: fullTable, Label: "method",
		Title: fmt.Sprintf("Hypernymy detection on all sets (profile %s)", p.Name),
		Notes: []string{apNote, intervalNote, gainColumn + ": mean difference to " + hendersonKey + " over the sets."},
	}
	const withoutColumn = "without " + largestGain
	rule := func(s profile.HypernymySet) bool { return !s.Validation }
	sets := h.withGains(p, t, h.Rows, h.Baselines, gains{rule, largestGain, withoutColumn})
	if len(sets) < len(t.Columns)-1 {
		t.Notes = slices.Insert(t.Notes, 3,
			withoutColumn+": the same over the others; most of the printed average is the gain on that set.")
	}
	t.Notes = append(t.Notes, h.gainNotes(sets)...)
	return t
}

// gainNotes says which baselines gain more on average than each row of CMD, by the numbers of
// the table: an average gain on D_Hend alone says little.
func (h *Result) gainNotes(sets []string) []string {
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

// distinct shows the average precision without repeated pairs, on the sets that have some.
func (h *Result) distinct(p *profile.Profile) *render.Table {
	t := &render.Table{
		ID: distinctTable, Label: "method",
		Title: fmt.Sprintf("Hypernymy: average precision of distinct pairs (profile %s)", p.Name),
		Notes: []string{"AP@all × 100 where each pair of terms counts once, true if it is anywhere. HypEval's files, " +
			"which all other tables score as they are, repeat pairs of these sets; " + unknownTable + " counts them."},
	}
	at := map[string]int{}
	for s, set := range h.Sets {
		if h.Repeats[s] > 0 {
			t.Columns = append(t.Columns, render.Column{Name: set.Name, Digits: 1})
			at[set.Name] = s
		}
	}
	h.addBlocks(p, t, h.Rows, h.Baselines, func(row Row, column string) render.Cell {
		return render.Cell{Value: h.Measures[row.Key].Sets[at[column]].Distinct}
	})
	return t
}

// unknown is Table S13.
func (h *Result) unknown(p *profile.Profile) *render.Table {
	t := &render.Table{
		ID: unknownTable, Label: "set",
		Title: fmt.Sprintf("Hypernymy sets: pairs and pairs out of vocabulary (profile %s)", p.Name),
		Columns: []render.Column{
			{Name: "pairs_N", Unmarked: true}, {Name: "OOV_pairs", Unmarked: true},
			{Name: "OOV, %", Digits: 1, Unmarked: true}, {Name: "True, %", Digits: 1, Unmarked: true},
			{Name: "repeats", Unmarked: true},
		},
		Notes: []string{"A pair is out of vocabulary if either term is; terms of several words are looked up as one " +
			"and nearly always are. True, %: the share of true pairs, which is the AP of chance. repeats: pairs " +
			"that occur earlier in the file."},
	}
	for s, set := range h.Sets {
		m := h.Measures[h.Baselines[0].Key].Sets[s]
		n, unknown := float64(m.Pairs), float64(h.Unknown[s])
		repeats := float64(h.Repeats[s])
		share, positive := 100*unknown/n, 100*float64(m.Positive)/n
		t.Add("", render.Row{Label: set.Name, Cells: []render.Cell{
			{Value: &n, Printed: printedCell(p, t.ID, set.Name, "pairs_N")},
			{Value: &unknown, Printed: printedCell(p, t.ID, set.Name, "OOV_pairs")},
			{Value: &share}, {Value: &positive}, {Value: &repeats},
		}})
	}
	return t
}

// grid is Table S14.
func (h *Result) grid(p *profile.Profile) *render.Table {
	t := &render.Table{
		ID: gridTable, Label: "method",
		Title: fmt.Sprintf("Hypernymy detection by associations, K = %d (profile %s)",
			p.Hypernymy.Grid.Clusters, p.Name),
		Notes: []string{apNote, intervalNote, gainColumn + ": mean difference to " + hendersonKey + " over the sets."},
	}
	h.withGains(p, t, append([]Row{h.Rows[0]}, h.Grid...), nil, gains{
		func(s profile.HypernymySet) bool { return s.Grid }, largestLoss, fmt.Sprintf(gainWithoutColumn, largestLoss),
	})
	return t
}

// gains are the columns of a table with average gains: which sets are averaged, and the name of a
// column without one of them.
type gains struct {
	of            func(profile.HypernymySet) bool
	without, name string
}

// withGains makes the columns of sets and of their average gains, and the blocks, and returns the names of the sets.
func (h *Result) withGains(p *profile.Profile, t *render.Table, rows, baselines []Row, g gains) (sets []string) {
	var without []string
	for _, set := range h.Sets {
		if g.of(set) {
			t.Columns = append(t.Columns, render.Column{Name: set.Name, Digits: 1})
			sets = append(sets, set.Name)
			if set.Name != g.without {
				without = append(without, set.Name)
			}
		}
	}
	t.Columns = append(t.Columns, render.Column{Name: gainColumn, Digits: 1})
	if len(without) < len(sets) {
		t.Columns = append(t.Columns, render.Column{Name: g.name, Digits: 1})
	}
	h.addBlocks(p, t, rows, baselines, func(row Row, column string) render.Cell {
		switch column {
		case gainColumn:
			return h.gain(row, sets)
		case g.name:
			return h.gain(row, without)
		}
		m := h.measure(row, column)
		return m.cell(m.AP, m.Pairs)
	})
	return sets
}

var accuracyNote = fmt.Sprintf("accuracy: per cent of the pairs with a score; threshold by %g %% of them, the mean "+
	"over %d random draws of its accuracy on the others. The paper states no rule for the "+
	"threshold.", 100*heldOutShare, heldOutDraws)

// accuracy is Table S16.
func (h *Result) accuracy(p *profile.Profile) *render.Table {
	const drawn, half = "accuracy_pct", "half called true"
	t := &render.Table{
		ID: accuracyTable, Label: "method",
		Title:   fmt.Sprintf("%s: accuracy (profile %s)", p.Hypernymy.Accuracy, p.Name),
		Columns: []render.Column{{Name: drawn, Digits: 1}, {Name: half, Digits: 1}},
		Notes: []string{
			accuracyNote, intervalNote,
			half + ": the half of the pairs with the greater scores is called true (Henderson's 50 % accuracy).",
		},
	}
	h.addBlocks(p, t, h.Rows, h.Baselines, func(row Row, column string) render.Cell {
		m := h.measure(row, p.Hypernymy.Accuracy)
		if column == half {
			return m.cell(*m.Half, m.Pairs)
		}
		return m.cell(*m.HeldOut, m.Pairs)
	})
	return t
}

// graded is Table S17.
func (h *Result) graded(p *profile.Profile) *render.Table {
	const all, nouns = "spearman", "nouns"
	t := &render.Table{
		ID: hyperLexTable, Label: "method",
		Title:   fmt.Sprintf("Graded pairs (HyperLex): Spearman (profile %s)", p.Name),
		Columns: []render.Column{{Name: all, Digits: 3}, {Name: nouns, Digits: 3}},
		Notes:   []string{"Pairs without a score are dropped; the paper does not say what it does.", intervalNote},
	}
	for _, row := range slices.Concat(h.Rows, h.CMD.Chosen) {
		if m := h.Measures[row.Key].Graded; m != nil && m.All.High < 0 {
			t.Notes = append(t.Notes,
				row.Label+" points the wrong way: the surer a pair is to people, the less sure it is by the row.")
		}
	}
	baselines := slices.DeleteFunc(slices.Clone(h.Baselines), func(r Row) bool {
		return h.Measures[r.Key].Graded == nil
	})
	h.addBlocks(p, t, h.Rows, baselines, func(row Row, column string) render.Cell {
		m := h.Measures[row.Key].Graded
		if column == nouns {
			return pipeline.Cell(m.Nouns)
		}
		c := pipeline.Cell(m.All)
		c.Coverage = &render.Coverage{Covered: m.Covered, Total: m.Pairs}
		return c
	})
	return t
}

// bySet is a table of our own with one number a set.
func (h *Result) bySet(p *profile.Profile, id, title, note string, cell func(m *Measure) render.Cell) *render.Table {
	t := &render.Table{
		ID: id, Label: "method",
		Title: fmt.Sprintf("Hypernymy: %s (profile %s)", title, p.Name),
		Notes: []string{note},
	}
	for _, set := range h.Sets {
		t.Columns = append(t.Columns, render.Column{Name: set.Name, Digits: 1})
	}
	h.addBlocks(p, t, h.Rows, h.Baselines, func(row Row, column string) render.Cell {
		return cell(h.measure(row, column))
	})
	return t
}

// directionality tells which term of a pair a row takes for the wider one.
func (h *Result) directionality(p *profile.Profile) *render.Table {
	t := h.bySet(p, directionalityTable, "directionality", "Per cent of the pairs with the relation hyper whose "+
		"score is greater than that of the pair the other way round. A tie counts half and a pair without a score "+
		"as wrong: guessing gets half of the coverage.",
		func(m *Measure) render.Cell {
			if m.Hyper == 0 {
				return render.Cell{}
			}
			return render.Cell{Value: &m.Directed, Coverage: &render.Coverage{Covered: m.HyperCovered, Total: m.Hyper}}
		})
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
func (h *Result) rankDifferences(p *profile.Profile) (up, down *render.Table, err error) {
	accuracy := p.Hypernymy.Accuracy
	henderson, cmd := h.measure(h.Rows[0], accuracy), h.measure(h.Rows[1], accuracy)
	// Uncovered pairs, the lowest of each, have no rank; CMD covers no pair that D_Hend does not.
	var index []int
	least := slices.Min(cmd.Scores)
	for i, s := range cmd.Scores {
		if cmd.Covered == cmd.Pairs || s > least {
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
	order := make([]int, len(index))
	where := map[string]int{}
	for at, i := range index {
		order[at] = at
		where[h.Pairs[i].A+"/"+h.Pairs[i].B] = at
	}
	difference := func(at int) float64 { return byCMD[at] - byHenderson[at] }
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(difference(b), difference(a)) })
	row := func(id, key string, at int) render.Row {
		pair := h.Pairs[index[at]]
		gold, better := strings.ToUpper(fmt.Sprint(pair.True)), "CMD"
		if (difference(at) > 0) == pair.True {
			better = "Henderson"
		}
		if difference(at) == 0 {
			better = "equal"
		}
		c, d, difference := byCMD[at], byHenderson[at], difference(at)
		return render.Row{Key: key, Label: pair.A + " → " + pair.B, Cells: []render.Cell{
			{Text: gold},
			{Value: &c, Printed: printedCell(p, id, key, "CMD_rank")},
			{Value: &d, Printed: printedCell(p, id, key, "Henderson_rank")},
			{Text: better},
			{Value: &difference, Printed: printedCell(p, id, key, "rank_difference")},
		}}
	}
	table := func(id, which string, first []int) *render.Table {
		t := &render.Table{
			ID: id, Label: "pair",
			Title: fmt.Sprintf("%s: pairs that CMD ranks much %s than %s (profile %s)",
				accuracy, which, hendersonKey, p.Name),
			Columns: []render.Column{
				{Name: "gold", Unmarked: true}, {Name: "CMD_rank", Unmarked: true},
				{Name: "Henderson_rank", Unmarked: true},
				{Name: "better_method", Unmarked: true}, {Name: "rank_difference", Unmarked: true},
			},
			Notes: []string{fmt.Sprintf("Ranks of the %d pairs with a score, 1 for the surest hypernym, by %s and %s.",
				len(index), h.Rows[1].Label, hendersonKey)},
		}
		t.Notes = append(t.Notes, hendersonNotes(p)...)
		ours, better := render.Block{Title: "by our vectors"}, 0
		for _, at := range first {
			r := row(id, fmt.Sprintf("ours/%s/%s", h.Pairs[index[at]].A, h.Pairs[index[at]].B), at)
			if r.Cells[3].Text == "CMD" {
				better++
			}
			if !slices.ContainsFunc(ours.Rows, func(o render.Row) bool { return o.Key == r.Key }) {
				ours.Rows = append(ours.Rows, r)
			}
		}
		t.Blocks = append(t.Blocks, ours)
		t.Notes = append(t.Notes, fmt.Sprintf("By our vectors CMD is better on %d of %d.", better, len(first)))
		if paper, e := published.Load(id); e == nil && p.Hypernymy.Published {
			block := render.Block{Title: "the pairs that the paper shows"}
			agree := 0
			for _, printed := range paper.Rows {
				at, ok := where[printed.Key]
				if !ok {
					cells := make([]render.Cell, len(t.Columns))
					for k, c := range t.Columns {
						if cell := paper.Cell(printed.Key, c.Name); cell != nil && cell.Number {
							cells[k].Printed = &cell.Value
						}
					}
					cells[0].Text = "out of vocabulary"
					block.Rows = append(block.Rows, render.Row{
						Key: printed.Key, Label: strings.ReplaceAll(printed.Key, "/", " → "), Cells: cells,
					})
					continue
				}
				block.Rows = append(block.Rows, row(id, printed.Key, at))
				if value := paper.Cell(printed.Key, "rank_difference"); value != nil &&
					(value.Value > 0) == (difference(at) > 0) {
					agree++
				}
			}
			t.Blocks = append(t.Blocks, block)
			t.Notes = append(t.Notes, fmt.Sprintf("Of the paper's %d pairs, %d differ in the same direction here.",
				len(paper.Rows), agree))
		}
		return t
	}
	n := min(shownRankDifferences, len(order))
	up = table(rankUpTable, "lower", order[:n])
	last := slices.Clone(order[len(order)-n:])
	slices.Reverse(last)
	return up, table(rankDownTable, "higher", last), nil
}
