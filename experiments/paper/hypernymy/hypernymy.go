package hypernymy

import (
	"context"
	"fmt"
	"math"
	"slices"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
)

// Files lists the files of pairs of terms.
func Files(p *profile.Profile) (files []string) {
	for _, s := range p.Hypernymy.Sets {
		files = append(files, s.File)
	}
	if p.Hypernymy.HyperLex != "" {
		files = append(files, p.Hypernymy.HyperLex)
	}
	return files
}

// IDs lists the tables and figures that Run may make for a profile.
func IDs(*profile.Profile) []string {
	return []string{
		mainTable, fullTable, unknownTable, gridTable, accuracyTable, hyperLexTable, rankUpTable, rankDownTable,
		topTable, directionalityTable, distinctTable, searchTable, present.SeedsID + "hypernymy",
	}
}

// Run makes the section's tables and quantities.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	result, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	tables := append(result.Tables(), result.seeds()...)
	return &pipeline.Output{Tables: tables, Quantities: result.quantities()}, nil
}

// A Row is a row of the tables: a method, and what it is called there.
type Row struct {
	// Key names the row, as in the paper's tables where it is one of theirs.
	Key, Label string
	Method     Method
}

// A Measure is the outcome of one row on one set, in per cent. The draws behind its intervals are
// by clusters of terms (score.Pairs), and weigh the pairs in the same way for all rows.
type Measure struct {
	// Pairs counts the pairs and Positive the true ones; Covered those that could be
	// scored. The others share one score below all, as in HypEval.
	Pairs, Positive, Covered int
	// AP is the average precision over all pairs, Top that of the first hundred.
	AP  score.Estimate
	Top float64
	// Directed is the share of the Hyper pairs with the relation "hyper" whose score is
	// greater than that of the pair the other way round; a tie counts half, and a pair without
	// a score is wrong. HyperCovered of the pairs have one: a coin gets half of these.
	Directed            float64
	Hyper, HyperCovered int
	// HeldOut and Half are accuracies on the covered pairs, for the profile's set for
	// accuracies only: by the threshold of 2 % of them on the others, the mean of 1000 draws;
	// and with half of them called true.
	HeldOut, Half *score.Estimate
	// Scores has the score of each pair of the set.
	Scores []float64 `json:"-"`
	// Distinct is the AP, in per cent, without the pairs that stand in the set before, nil where none do.
	Distinct *float64 `json:"-"`
}

// A GradedMeasure is the outcome of one row on the graded pairs (HyperLex).
type GradedMeasure struct {
	// All and Nouns are Spearman's correlations of the covered pairs.
	All, Nouns     score.Estimate
	Pairs, Covered int
	scores         []float64
}

// Measured is the outcome of a row on all sets, nil where it is not scored,
// and on the graded pairs, nil where there are none.
type Measured struct {
	Sets   []*Measure
	Graded *GradedMeasure
}

// estimates are those of all that is scored.
func (m Measured) estimates() (all []*score.Estimate) {
	for _, s := range m.Sets {
		if s != nil {
			all = append(all, s.estimates()...)
		}
	}
	if m.Graded != nil {
		all = append(all, m.Graded.estimates()...)
	}
	return all
}

// Result is the outcome of the hypernymy experiment.
type Result struct {
	profile *profile.Profile
	Sets    []profile.HypernymySet
	// Rows are D_Hend and CMD; Grid is CMD by the settings of its associations; Baselines
	// are ours.
	Rows, Grid, Baselines []Row
	// CMD is the search for its settings, Systems those of others, trained on the same counts.
	CMD     Searched
	Systems []Searched
	// Transposed is the first row of CMD with the cost transposed, which finds what that row
	// finds where it points the wrong way.
	Transposed []Row
	// Measures has what rows score, by their keys.
	Measures map[string]Measured
	// Unknown[s] counts the pairs of set s with a term that is not in the vocabulary.
	Unknown []int
	// Repeats[s] counts the pairs of set s that stand in it before.
	Repeats []int
	// Pairs has the pairs of the set for accuracies, nil if there is none; KnownTrue counts
	// the true ones of two known words.
	Pairs     []dataset.HypernymPair
	KnownTrue int
}

// Compute scores all rows on all sets of pairs of terms (section 5.2 of the paper).
// Terms of several words are looked up as they are, and so are nearly always unknown.
func Compute(ctx context.Context, w *pipeline.Workspace) (*Result, error) {
	w = w.OnTerms()
	p := w.Profile.Hypernymy
	h := &Result{
		profile: w.Profile, Sets: p.Sets, Rows: paperRows(w), Grid: gridRows(w), Baselines: baselineRows(w),
		CMD: Searched{grid: selectRows(w)}, Systems: systems(w), Transposed: transposedRow(w),
		Measures: map[string]Measured{}, Unknown: make([]int, len(p.Sets)), Repeats: make([]int, len(p.Sets)),
	}
	all := make([][]dataset.HypernymPair, len(p.Sets))
	for s, set := range p.Sets {
		pairs, terms, err := ReadPairs(ctx, w, set)
		if err != nil {
			return nil, err
		}
		if set.Name == p.Accuracy {
			h.Pairs = pairs
		}
		first, _ := distinct(pairs)
		all[s], h.Repeats[s] = pairs, len(pairs)-len(first)
		for i, t := range terms {
			if t.unknown() {
				h.Unknown[s]++
			} else if pairs[i].True && set.Name == p.Accuracy {
				h.KnownTrue++
			}
		}
	}
	err := h.CMD.search(ctx, w)
	for s := 0; s < len(h.Systems) && err == nil; s++ {
		err = h.Systems[s].search(ctx, w)
	}
	if err != nil {
		return nil, err
	}
	if err := h.score(ctx, w, h.measured()); err != nil {
		return nil, err
	}
	for key, measures := range h.Measures {
		for s, m := range measures.Sets {
			if m != nil && h.Repeats[s] > 0 {
				if m.Distinct, err = distinctAP(all[s], m.Scores); err != nil {
					return nil, fmt.Errorf("row %q on %s: %w", key, p.Sets[s].Name, err)
				}
			}
		}
	}
	return h, nil
}

// score measures rows on all sets and on the graded pairs, those
// of the grid on the grid's sets alone, and with further seeds.
func (h *Result) score(ctx context.Context, w *pipeline.Workspace, rows []Row) error {
	all, err := h.measureAll(ctx, w, rows)
	if err != nil {
		return err
	}
	for r, row := range rows {
		h.Measures[row.Key] = all[r]
	}
	random := slices.DeleteFunc(slices.Clone(rows), func(row Row) bool { return !row.Method.in(w).random })
	return w.ForSeeds(w.Profile.Seeds.Hypernymy, func(further *pipeline.Workspace) error {
		again, err := h.measureAll(ctx, further, random)
		if err != nil {
			return err
		}
		for r, row := range random {
			values := again[r].estimates()
			for i, e := range h.Measures[row.Key].estimates() {
				e.AddSeed(values[i].Value)
			}
		}
		return nil
	})
}

// measured lists all rows.
func (h *Result) measured() []Row {
	n := len(h.CMD.Chosen)
	chosen := h.chosenRows()
	return slices.Concat(h.Baselines, h.Rows, h.Transposed, chosen[:n], h.systemRows(), chosen[n:], h.Grid)
}

func (h *Result) inGrid(row Row) bool {
	return slices.ContainsFunc(h.Grid, func(r Row) bool { return r.Key == row.Key })
}

// measureAll measures rows on all sets and the graded pairs, those of the grid on the grid's sets only.
func (h *Result) measureAll(ctx context.Context, w *pipeline.Workspace, rows []Row) ([]Measured, error) {
	p := w.Profile.Hypernymy
	var nodes []store.Node[outcome]
	var places []func(o outcome)
	all := make([]Measured, len(rows))
	for r, row := range rows {
		all[r].Sets = make([]*Measure, len(p.Sets))
		for s, set := range p.Sets {
			if h.inGrid(row) && !set.Grid {
				continue
			}
			nodes = append(nodes, setNode(w, row, set))
			places = append(places, func(o outcome) { all[r].Sets[s] = o.(*Measure) })
		}
		if p.HyperLex != "" && !h.inGrid(row) && row.Key != chanceKey { // a constant has no correlation
			nodes = append(nodes, gradedNode(w, row, p.HyperLex))
			places = append(places, func(o outcome) { all[r].Graded = o.(*GradedMeasure) })
		}
	}
	outcomes, err := store.All(ctx, w.Store, nodes)
	if err != nil {
		return nil, err
	}
	for i, o := range outcomes {
		places[i](o.own())
	}
	return all, nil
}

// distinct returns the index of each pair that does not stand in the list before, by its terms in their order, and
// whether it is true anywhere.
func distinct(pairs []dataset.HypernymPair) (first []int, isTrue []bool) {
	place := map[[2]string]int{}
	for i, p := range pairs {
		terms := [2]string{p.A, p.B}
		if _, ok := place[terms]; !ok {
			place[terms] = len(first)
			first, isTrue = append(first, i), append(isTrue, false)
		}
		if p.True {
			isTrue[place[terms]] = true
		}
	}
	return first, isTrue
}

// distinctAP is the average precision of distinct pairs, in per cent.
func distinctAP(pairs []dataset.HypernymPair, scores []float64) (*float64, error) {
	first, isTrue := distinct(pairs)
	values := make([]float64, len(first))
	for at, i := range first {
		values[at] = scores[i]
	}
	ap, err := score.AveragePrecision(isTrue, values)
	ap *= 100
	return &ap, err
}

const chosenKey, chanceKey = "chosen", "chance"

// selectRows are CMD with the settings that one of its rows is chosen from.
func selectRows(w *pipeline.Workspace) (grid []Row) {
	p := w.Profile.Hypernymy
	if len(p.Select) == 0 {
		return nil
	}
	for _, m := range p.Select.Vary(NewCMD(w, p.CMD.Clusters[0], p.CMD.Smoothing, p.CMD.Shift).Average) {
		cmd := m.(method.Average)
		name := fmt.Sprintf("CMD K=%d + D_Hend, α %g, s %g", cmd.Clusters, cmd.Smoothing, cmd.Shift)
		grid = append(grid, Row{name, name, CMD{Average: cmd}})
	}
	return grid
}

func baselineRows(w *pipeline.Workspace) []Row {
	p := w.Profile.Hypernymy.Baselines
	rows := []Row{
		{chanceKey, chanceKey, baseline(chance)},
		{"frequency", "log frequency difference", baseline(frequency)},
		{"cosine", "cosine", baseline(cosine)},
		{"weedsPrec", "weedsPrec", overlapping("weeds", p, shared.weedsPrec)},
		{"invCL", "invCL", overlapping("invcl", p, shared.invCL)},
		{"SLQS", "SLQS", slqs(p)},
	}
	if w.Profile.Corpus.Kind == profile.KindAuthors { // who give neither singular vectors nor, it may be, counts
		rows = slices.DeleteFunc(rows, func(r Row) bool { return r.Key == "cosine" || r.Key == "SLQS" })
	}
	return rows
}

const hendersonKey = "D_Hend"

// paperRows are D_Hend and CMD.
func paperRows(w *pipeline.Workspace) []Row {
	p := w.Profile.Hypernymy.CMD
	rows := []Row{{hendersonKey, hendersonKey, baseline(henderson)}}
	for _, k := range p.Clusters {
		name := fmt.Sprintf("CMD K=%d + D_Hend", k)
		rows = append(rows, Row{name, name, NewCMD(w, k, p.Smoothing, p.Shift)})
	}
	return rows
}

// transposedRow is the first row of CMD with the cost transposed.
func transposedRow(w *pipeline.Workspace) []Row {
	rows := paperRows(w)
	if len(rows) == 1 {
		return nil
	}
	cmd := rows[1].Method.(CMD)
	cmd.Transposed = true
	return []Row{{"transposed", rows[1].Label + ", cost transposed", cmd}}
}

func gridRows(w *pipeline.Workspace) (rows []Row) {
	g := w.Profile.Hypernymy.Grid
	for _, smoothing := range g.Smoothing {
		for _, shift := range g.Shift {
			rows = append(rows, Row{
				fmt.Sprintf("CMD + D_Hend/%g/%g/%d", smoothing, shift, g.Clusters),
				fmt.Sprintf("CMD + D_Hend, α %g, s %g", smoothing, shift),
				NewCMD(w, g.Clusters, smoothing, shift),
			})
		}
	}
	return rows
}

// A TermPair are two words of the vocabulary; −1 for a term that is not one.
type TermPair struct{ Narrow, Wide int32 }

func (t TermPair) unknown() bool { return t.Narrow < 0 || t.Wide < 0 }

func (t TermPair) reversed() TermPair { return TermPair{t.Wide, t.Narrow} }

func termsOf(p dataset.HypernymPair) (a, b string, line int)   { return p.A, p.B, p.Line }
func gradedTermsOf(p dataset.WordPair) (a, b string, line int) { return p.A, p.B, p.Line }

// clustersOf are clusters of pairs by their terms.
func clustersOf[P any](pairs []P, terms func(P) (a, b string, line int)) *score.Pairs {
	first, second := make([]string, len(pairs)), make([]string, len(pairs))
	for i, p := range pairs {
		first[i], second[i], _ = terms(p)
	}
	return score.NewPairs(first, second)
}

// read reads pairs and looks up their terms; an error if there is none to score.
func read[P any](
	ctx context.Context, w *pipeline.Workspace, file string, parse func(path string) ([]P, error),
	terms func(P) (a, b string, line int),
) ([]P, []TermPair, error) {
	path, err := w.File(ctx, file)
	if err != nil {
		return nil, nil, err
	}
	pairs, err := parse(path)
	if err != nil {
		return nil, nil, err
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, nil, err
	}
	id := func(word string) int32 {
		if id, ok := v.ID(word); ok {
			return id
		}
		return -1
	}
	all, known := make([]TermPair, len(pairs)), false
	for i, p := range pairs {
		a, b, _ := terms(p)
		all[i] = TermPair{id(a), id(b)}
		known = known || !all[i].unknown()
	}
	if !known {
		a, b, line := terms(pairs[0])
		return nil, nil, &dataset.FormatError{File: path, Line: line, Problem: fmt.Sprintf("none of the %d pairs from "+
			"here on has two words of the vocabulary, not %q and %q either: is the file of the corpus's language and "+
			"lower-cased?", len(pairs), a, b)}
	}
	return pairs, all, nil
}

// ReadPairs reads a set of pairs of terms and looks them up in the vocabulary. A set without
// a true pair, or without a pair of known words, is a *dataset.FormatError.
func ReadPairs(
	ctx context.Context, w *pipeline.Workspace, set profile.HypernymySet,
) ([]dataset.HypernymPair, []TermPair, error) {
	return read(ctx, w, set.File, func(path string) ([]dataset.HypernymPair, error) {
		pairs, err := dataset.ReadHypernymy(path)
		if err == nil && !slices.Contains(labelsOf(pairs), true) {
			err = &dataset.FormatError{File: path, Problem: "no pair is True, so there is nothing to find"}
		}
		return pairs, err
	}, termsOf)
}

// scoreTerms scores pairs by a row's method, a greater score for a likelier hypernym. Those
// that cannot be scored are not covered and get 0.
func scoreTerms(
	ctx context.Context, w *pipeline.Workspace, row Row, what string, pairs []TermPair,
) (scores []float64, covered []bool, err error) {
	score, err := row.Method.in(w).by(ctx, what, pairs)
	if err != nil {
		return nil, nil, err
	}
	scores, covered = make([]float64, len(pairs)), make([]bool, len(pairs))
	for i, p := range pairs {
		scores[i], covered[i] = score(p)
	}
	if !slices.Contains(covered, true) {
		return nil, nil, fmt.Errorf("%s: none of %d pairs can be scored", what, len(pairs))
	}
	return scores, covered, nil
}

// belowAll gives the pairs that are not covered HypEval's score: the least of the others,
// less 1.
func belowAll(scores []float64, covered []bool) {
	least := math.Inf(1)
	for i, s := range scores {
		if covered[i] {
			least = min(least, s)
		}
	}
	for i := range scores {
		if !covered[i] {
			scores[i] = least - 1
		}
	}
}
