package experiments

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"

	"contextmover/cmdlib/embedding/entailment"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
	profile "contextmover/experiments/profiles"
	"contextmover/experiments/store"
)

// The methods of a row of the hypernymy experiment: what tells how surely the second of two
// terms is a hypernym of the first.
const (
	chanceMethod     = "chance"     // nothing: all pairs are equal
	frequencyMethod  = "frequency"  // ln of the second's count over the first's
	cosineMethod     = "cosine"     // of the word vectors
	weedsMethod      = "weeds"      // weedsPrec of the associations
	invCLMethod      = "invcl"      // invCL of the associations
	slqsMethod       = "slqs"       // SLQS of the contexts' entropies
	untrainedMethod  = "untrained"  // Henderson's operator between word vectors, "unk dup"
	entailmentMethod = "entailment" // Henderson's operator between entailment vectors (D_Hend)
	cmdMethod        = "cmd"        // CMD with the cost that this operator makes
)

// A HypernymyRow is a row of the tables: a method with its settings.
type HypernymyRow struct {
	// Key names the row, as in the paper's tables where it is one of theirs.
	Key, Label string
	Method     string
	CMD        *cmdParams // of cmdMethod
}

// cmdParams is what CMD between words depends on, beside the counts and the vectors.
type cmdParams struct {
	Estimates  estimateParams `json:"estimates"`
	Ground     groundParams   `json:"ground"`
	Iterations int            `json:"iterations"`
	Tolerance  float64        `json:"tolerance"`
	Engine     string         `json:"engine"`
}

// Estimated is a number with the 95 % bootstrap interval over the pairs behind it.
type Estimated struct {
	Value, Low, High float64
	// Draws are the numbers of the bootstrap samples, which are the same pairs for rows that
	// score the same.
	Draws []float64 `json:"-"`
}

func estimated(value float64, draws []float64) Estimated {
	low, high := score.Interval(draws)
	return Estimated{value, low, high, draws}
}

// write keeps the draws as <dir>/<name>.npy, and read gets them back.
func (e *Estimated) write(dir, name string) error {
	return npy.Write(filepath.Join(dir, name+".npy"), []int{len(e.Draws)}, e.Draws)
}

func (e *Estimated) read(dir, name string) (err error) {
	_, e.Draws, err = npy.Read[float64](filepath.Join(dir, name+".npy"))
	return err
}

// A HypernymyMeasure is the outcome of one row on one set, in per cent.
type HypernymyMeasure struct {
	// Pairs counts the pairs and Positive the true ones; Covered those that could be
	// scored. The others share one score below all, as in HypEval.
	Pairs, Positive, Covered int
	// AP is the average precision over all pairs, Top that of the first hundred.
	AP  Estimated
	Top float64
	// Directed is the share of the Hyper pairs with the relation "hyper" whose score is
	// greater than that of the pair the other way round; pairs without a score are wrong.
	Directed float64
	Hyper    int
	// HeldOut and Half are accuracies on the covered pairs, for the profile's set for
	// accuracies only: by the threshold of 2 % of them on the others, the mean of 1000 draws;
	// and with half of them called true.
	HeldOut, Half *Estimated
	// Scores has the score of each pair of the set.
	Scores []float64 `json:"-"`
}

// A GradedMeasure is the outcome of one row on the graded pairs (HyperLex).
type GradedMeasure struct {
	// All and Nouns are Spearman's correlations of the covered pairs.
	All, Nouns     Estimated
	Pairs, Covered int
}

// Hypernymy is the outcome of the hypernymy experiment.
type Hypernymy struct {
	Sets []profile.HypernymySet
	// Rows are D_Hend and CMD; Grid is CMD by the settings of its associations; Baselines
	// are ours.
	Rows, Grid, Baselines []HypernymyRow
	// Chosen is CMD with the settings that score best on the first set for validation, or
	// empty; Tried are all that were tried there, best first.
	Chosen []HypernymyRow
	Tried  []HypernymyTrial
	// Measures[key][s] is the row with the key on set s; nil where it is not scored there.
	Measures map[string][]*HypernymyMeasure
	// Graded[key] is the row on the graded pairs; nil if there are none.
	Graded map[string]*GradedMeasure
	// Unknown[s] counts the pairs of set s with a term that is not in the vocabulary.
	Unknown []int
	// Pairs has the pairs of the set for accuracies, nil if there is none; KnownTrue counts
	// the true ones of two known words.
	Pairs     []dataset.HypernymPair
	KnownTrue int
}

// RunHypernymy scores all rows on all sets of pairs of terms (section 5.2 of the paper).
// Terms of several words are looked up as they are, and so are nearly always unknown.
func (w *Workspace) RunHypernymy(ctx context.Context) (*Hypernymy, error) {
	p := w.Profile.Hypernymy
	h := &Hypernymy{
		Sets: p.Sets, Rows: w.hypernymyRows(), Grid: w.hypernymyGrid(), Baselines: hypernymyBaselines(),
		Measures: map[string][]*HypernymyMeasure{}, Graded: map[string]*GradedMeasure{}, Unknown: make([]int, len(p.Sets)),
	}
	for s, set := range p.Sets {
		pairs, terms, err := w.hypernymPairs(ctx, set)
		if err != nil {
			return nil, err
		}
		if set.Name == p.Accuracy {
			h.Pairs = pairs
		}
		for i, t := range terms {
			if t.unknown() {
				h.Unknown[s]++
			} else if pairs[i].True && set.Name == p.Accuracy {
				h.KnownTrue++
			}
		}
	}
	var err error
	if h.Chosen, h.Tried, err = w.chooseHypernymy(ctx); err != nil {
		return nil, err
	}
	// The grid comes last, by associations: of these, big as they are, few are kept.
	for _, row := range slices.Concat(h.Baselines, h.Rows, h.Chosen, h.Grid) {
		grid := slices.ContainsFunc(h.Grid, func(r HypernymyRow) bool { return r.Key == row.Key })
		measures := make([]*HypernymyMeasure, len(p.Sets))
		for s, set := range p.Sets {
			if grid && !set.Grid {
				continue
			}
			m, err := w.measureHypernymy(ctx, row, set)
			if err != nil {
				return nil, fmt.Errorf("row %q on %s: %w", row.Key, set.Name, err)
			}
			measures[s] = m
		}
		h.Measures[row.Key] = measures
		if p.HyperLex != "" && !grid {
			m, err := w.measureGraded(ctx, row, p.HyperLex)
			if err != nil {
				return nil, fmt.Errorf("row %q on the graded pairs: %w", row.Key, err)
			}
			h.Graded[row.Key] = m
		}
	}
	return h, nil
}

// A HypernymyTrial is a row and its average precision on the set for validation.
type HypernymyTrial struct {
	Row HypernymyRow
	AP  Estimated
}

const chosenKey = "chosen"

// chooseHypernymy returns CMD with the best of the profile's settings, the earlier of
// equals, and all that were tried. Only the set for validation is read.
func (w *Workspace) chooseHypernymy(ctx context.Context) (chosen []HypernymyRow, tried []HypernymyTrial, err error) {
	s := w.Profile.Hypernymy.Select
	i := slices.IndexFunc(w.Profile.Hypernymy.Sets, func(s profile.HypernymySet) bool { return s.Validation })
	if len(s.Clusters) == 0 || i < 0 {
		return nil, nil, nil
	}
	set := w.Profile.Hypernymy.Sets[i]
	for _, smoothing := range s.Smoothing {
		for _, shift := range s.Shift {
			for _, k := range s.Clusters {
				name := fmt.Sprintf("CMD K=%d + D_Hend, α %g, s %g", k, smoothing, shift)
				row := HypernymyRow{name, name, cmdMethod, w.cmdParams(k, smoothing, shift)}
				m, err := w.measureHypernymy(ctx, row, set)
				if err != nil {
					return nil, nil, fmt.Errorf("row %q on %s: %w", row.Key, set.Name, err)
				}
				tried = append(tried, HypernymyTrial{row, m.AP})
			}
		}
	}
	slices.SortStableFunc(tried, func(a, b HypernymyTrial) int { return cmp.Compare(b.AP.Value, a.AP.Value) })
	best := tried[0].Row
	best.Key = chosenKey
	return []HypernymyRow{best}, tried, nil
}

func hypernymyBaselines() []HypernymyRow {
	return []HypernymyRow{
		{Key: "chance", Label: "chance", Method: chanceMethod},
		{Key: "frequency", Label: "log frequency difference", Method: frequencyMethod},
		{Key: "cosine", Label: "cosine", Method: cosineMethod},
		{Key: "weedsPrec", Label: "weedsPrec", Method: weedsMethod},
		{Key: "invCL", Label: "invCL", Method: invCLMethod},
		{Key: "SLQS", Label: "SLQS", Method: slqsMethod},
		{Key: "untrained", Label: "D_Hend, untrained (unk dup)", Method: untrainedMethod},
	}
}

const hendersonKey = "D_Hend"

func (w *Workspace) hypernymyRows() []HypernymyRow {
	p := w.Profile.Hypernymy.CMD
	rows := []HypernymyRow{{Key: hendersonKey, Label: hendersonKey, Method: entailmentMethod}}
	for _, k := range p.Clusters {
		name := fmt.Sprintf("CMD K=%d + D_Hend", k)
		rows = append(rows, HypernymyRow{name, name, cmdMethod, w.cmdParams(k, p.Smoothing, p.Shift)})
	}
	return rows
}

func (w *Workspace) hypernymyGrid() []HypernymyRow {
	g := w.Profile.Hypernymy.Grid
	var rows []HypernymyRow
	for _, smoothing := range g.Smoothing {
		for _, shift := range g.Shift {
			rows = append(rows, HypernymyRow{
				fmt.Sprintf("CMD + D_Hend/%g/%g/%d", smoothing, shift, g.Clusters),
				fmt.Sprintf("CMD + D_Hend, α %g, s %g", smoothing, shift),
				cmdMethod, w.cmdParams(g.Clusters, smoothing, shift),
			})
		}
	}
	return rows
}

func (w *Workspace) cmdParams(k int, smoothing, shift float64) *cmdParams {
	p := w.Profile.Hypernymy.CMD
	clusters := clusterParams{K: k, Seed: seed(w.Profile.Seed, "clusters"), Kind: profile.Entailment}
	return &cmdParams{
		Estimates:  estimateParams{smoothing, shift, p.Normalisation, p.Beta, clusters},
		Ground:     groundParams{string(ground.Entailment), p.CostNormalisation, 0, p.Reg, clusters},
		Iterations: p.Iterations, Tolerance: p.Tolerance, Engine: w.Engine.Name(),
	}
}

// A termPair are two words of the vocabulary; −1 for a term that is not one.
type termPair struct{ narrow, wide int32 }

func (t termPair) unknown() bool { return t.narrow < 0 || t.wide < 0 }

func (t termPair) reversed() termPair { return termPair{t.wide, t.narrow} }

// terms looks up the terms of a file's pairs; an error if there is none to score.
func (w *Workspace) terms(ctx context.Context, path string, n int, pair func(i int) (a, b string, line int)) ([]termPair, error) {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	terms, known := make([]termPair, n), 0
	for i := range terms {
		a, b, _ := pair(i)
		terms[i] = termPair{-1, -1}
		if id, ok := v.ID(a); ok {
			terms[i].narrow = id
		}
		if id, ok := v.ID(b); ok {
			terms[i].wide = id
		}
		if !terms[i].unknown() {
			known++
		}
	}
	if known == 0 {
		a, b, line := pair(0)
		return nil, &dataset.FormatError{File: path, Line: line, Problem: fmt.Sprintf("none of the %d pairs from here on has two words of the vocabulary, not %q and %q either: is the file of the corpus's language and lower-cased?", n, a, b)}
	}
	return terms, nil
}

func (w *Workspace) hypernymPairs(ctx context.Context, set profile.HypernymySet) ([]dataset.HypernymPair, []termPair, error) {
	path, err := w.File(ctx, set.File)
	if err != nil {
		return nil, nil, err
	}
	pairs, err := dataset.ReadHypernymy(path)
	if err != nil {
		return nil, nil, err
	}
	if !slices.ContainsFunc(pairs, func(p dataset.HypernymPair) bool { return p.True }) {
		return nil, nil, &dataset.FormatError{File: path, Problem: "no pair is True, so there is nothing to find"}
	}
	terms, err := w.terms(ctx, path, len(pairs), func(i int) (a, b string, line int) { return pairs[i].A, pairs[i].B, pairs[i].Line })
	return pairs, terms, err
}

func (w *Workspace) gradedPairs(ctx context.Context, file string) ([]dataset.WordPair, []termPair, error) {
	path, err := w.File(ctx, file)
	if err != nil {
		return nil, nil, err
	}
	pairs, err := dataset.ReadHyperLex(path)
	if err != nil {
		return nil, nil, err
	}
	terms, err := w.terms(ctx, path, len(pairs), func(i int) (a, b string, line int) { return pairs[i].A, pairs[i].B, pairs[i].Line })
	return pairs, terms, err
}

// hypernymyStage is the stage of what a row makes of a file.
func (w *Workspace) hypernymyStage(name string, row HypernymyRow, file string, measured any) (store.Stage, error) {
	stage := store.Stage{Name: name, Version: 2, Params: struct {
		Method    string                      `json:"method"`
		CMD       *cmdParams                  `json:"cmd,omitempty"`
		Baselines *profile.HypernymyBaselines `json:"baselines,omitempty"`
		Measured  any                         `json:"measured"`
	}{row.Method, row.CMD, w.baselineParams(row), measured}}
	key, err := w.fileKey(file)
	if err != nil {
		return stage, err
	}
	counts, err := w.countsStage()
	if err != nil {
		return stage, err
	}
	stage.Inputs = []store.Key{key, counts.Key()}
	switch row.Method {
	case cosineMethod, untrainedMethod:
		vectors, err := w.vectorsStage(profile.SVD)
		stage.Inputs = append(stage.Inputs, vectors.Key())
		return stage, err
	case entailmentMethod:
		vectors, err := w.vectorsStage(profile.Entailment)
		stage.Inputs = append(stage.Inputs, vectors.Key())
		return stage, err
	case cmdMethod:
		clusters, err := w.clustersStage(row.CMD.Ground.Clusters)
		stage.Inputs = append(stage.Inputs, clusters.Key())
		return stage, err
	}
	return stage, nil
}

// baselineParams are the settings of the baselines, for those that depend on them.
func (w *Workspace) baselineParams(row HypernymyRow) *profile.HypernymyBaselines {
	p := w.Profile.Hypernymy.Baselines
	switch row.Method {
	case weedsMethod, invCLMethod:
		return &profile.HypernymyBaselines{Smoothing: p.Smoothing, Shift: p.Shift}
	case slqsMethod:
		return &profile.HypernymyBaselines{Smoothing: p.Smoothing, Shift: p.Shift, Contexts: p.Contexts}
	case untrainedMethod:
		return &profile.HypernymyBaselines{Scale: p.Scale}
	}
	return nil
}

// scoreTerms scores pairs by a row's method, a greater score for a likelier hypernym. Those
// that cannot be scored are not covered and get 0.
func (w *Workspace) scoreTerms(ctx context.Context, row HypernymyRow, what string, pairs []termPair) (scores []float64, covered []bool, err error) {
	scores, covered = make([]float64, len(pairs)), make([]bool, len(pairs))
	for i, p := range pairs {
		covered[i] = !p.unknown()
	}
	if row.Method == entailmentMethod {
		v, err := w.VectorsOf(ctx, profile.Entailment)
		if err != nil {
			return nil, nil, err
		}
		for i, p := range pairs {
			covered[i] = covered[i] && !zero(v.Row(int(p.narrow))) && !zero(v.Row(int(p.wide)))
		}
	}
	switch row.Method {
	case chanceMethod:
		covered = slices.Repeat([]bool{true}, len(pairs)) // nothing needs to be known
	case cmdMethod:
		err = w.scoreCMD(ctx, *row.CMD, what, pairs, scores, covered)
	default:
		var value func(p termPair) float64
		if value, err = w.pairwise(ctx, row.Method, pairs); err != nil {
			break
		}
		for i, p := range pairs {
			if covered[i] {
				scores[i] = value(p)
			}
		}
	}
	if err != nil {
		return nil, nil, err
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

// scoreCMD writes −CMD from each pair's narrow to its wide term, those of distinct pairs
// computed once. A word without associations has no estimate: its pairs are not covered.
func (w *Workspace) scoreCMD(ctx context.Context, p cmdParams, what string, pairs []termPair, scores []float64, covered []bool) error {
	problem, at, err := w.cmdProblem(ctx, p, pairs, covered)
	if err != nil || len(problem.Pairs) == 0 {
		return err
	}
	progress, finish := w.step(fmt.Sprintf("CMD, %s, %d distinct pairs, K=%d", what, len(problem.Pairs), problem.Cost.K))
	defer finish()
	costs := make([]float64, 0, len(problem.Pairs))
	err = w.Engine.Distances(ctx, problem, func(first int, results []ot.Result) error {
		for _, r := range results {
			costs = append(costs, r.Cost)
		}
		if progress != nil {
			progress(int64(len(costs)), int64(len(problem.Pairs)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range pairs {
		if covered[i] {
			scores[i] = -costs[at[i]]
		}
	}
	return nil
}

// cmdProblem states the distinct covered pairs as transport problems, from the narrow
// term's histogram to the wide one's; at[i] is the problem of pair i. Pairs with a
// word that has no histogram lose their mark as covered.
func (w *Workspace) cmdProblem(ctx context.Context, p cmdParams, pairs []termPair, covered []bool) (problem *ot.Problem, at []int, err error) {
	e, err := w.Estimates(ctx, p.Estimates)
	if err != nil {
		return nil, nil, err
	}
	g, err := w.Ground(ctx, p.Ground)
	if err != nil {
		return nil, nil, err
	}
	problem = &ot.Problem{
		Settings: ot.Settings{Reg: p.Ground.Reg, MaxIter: p.Iterations, Tol: p.Tolerance},
		Cost:     g.Cost, Rows: ot.Histograms{K: e.K},
	}
	rows := map[int32]int32{}
	row := func(word int32) int32 {
		r, ok := rows[word]
		if !ok {
			r = int32(len(rows))
			rows[word] = r
			problem.Rows.Data = append(problem.Rows.Data, e.Row(int(word))...)
		}
		return r
	}
	distinct := map[termPair]int{}
	at = make([]int, len(pairs))
	for i, t := range pairs {
		if covered[i] = covered[i] && e.Known[t.narrow] && e.Known[t.wide]; !covered[i] {
			continue
		}
		n, ok := distinct[t]
		if !ok {
			n = len(distinct)
			distinct[t] = n
			problem.Pairs = append(problem.Pairs, ot.Pair{Source: row(t.narrow), Target: row(t.wide)})
		}
		at[i] = n
	}
	return problem, at, nil
}

const hyperRelation = "hyper"

// The protocol of HeldOutAccuracy, and how many draws of it a bootstrap sample gets.
const (
	heldOutShare = 0.02
	heldOutDraws = 1000
	heldOutInner = 10
)

// topPairs is k of AP@k.
const topPairs = 100

// measureHypernymy returns the outcome of a row on a set, from the store if it is there.
func (w *Workspace) measureHypernymy(ctx context.Context, row HypernymyRow, set profile.HypernymySet) (*HypernymyMeasure, error) {
	sampling := seed(w.Profile.Seed, "bootstrap "+set.File)
	accuracy := set.Name == w.Profile.Hypernymy.Accuracy
	stage, err := w.hypernymyStage("hypernymy-scores", row, set.File, struct {
		Draws    int    `json:"draws"`
		Seed     uint64 `json:"seed"`
		Accuracy bool   `json:"accuracy"`
	}{draws, sampling, accuracy})
	if err != nil {
		return nil, err
	}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		pairs, terms, err := w.hypernymPairs(ctx, set)
		if err != nil {
			return err
		}
		// Forward pairs first, then the hyponyms' and hypernyms' the other way round.
		all := slices.Clone(terms)
		var hyper []int
		for i, p := range pairs {
			if p.Relation == hyperRelation {
				hyper = append(hyper, i)
				all = append(all, terms[i].reversed())
			}
		}
		scores, covered, err := w.scoreTerms(ctx, row, set.Name, all)
		if err != nil {
			return err
		}
		m := &HypernymyMeasure{Pairs: len(pairs), Hyper: len(hyper)}
		right := 0
		for r, i := range hyper {
			if covered[i] && scores[i] > scores[len(pairs)+r] {
				right++
			}
		}
		if m.Hyper > 0 {
			m.Directed = 100 * float64(right) / float64(m.Hyper)
		}
		scores, covered = scores[:len(pairs)], covered[:len(pairs)]
		if known := countTrue(covered); accuracy && known < 2 {
			return &dataset.FormatError{File: set.File, Problem: fmt.Sprintf("%d of %d pairs can be scored, expected at least 2 to find a threshold for accuracies", known, len(pairs))}
		}
		belowAll(scores, covered)
		if err := m.measure(pairs, scores, covered, sampling, accuracy); err != nil {
			return err
		}
		if err := npy.Write(filepath.Join(dir, "scores.npy"), []int{m.Pairs}, scores); err != nil {
			return err
		}
		if err := m.AP.write(dir, "draws"); err != nil {
			return err
		}
		if accuracy {
			if err := m.HeldOut.write(dir, "held-out"); err != nil {
				return err
			}
		}
		return writeJSON(filepath.Join(dir, "measure.json"), m)
	})
	if err != nil {
		return nil, err
	}
	m := new(HypernymyMeasure)
	if err := readJSON(filepath.Join(dir, "measure.json"), m); err != nil {
		return nil, err
	}
	if _, m.Scores, err = npy.Read[float64](filepath.Join(dir, "scores.npy")); err != nil {
		return nil, err
	}
	if accuracy {
		if err := m.HeldOut.read(dir, "held-out"); err != nil {
			return nil, err
		}
	}
	return m, m.AP.read(dir, "draws")
}

func countTrue(marks []bool) int {
	n := 0
	for _, m := range marks {
		if m {
			n++
		}
	}
	return n
}

// measure fills in what depends on the scores of the pairs.
func (m *HypernymyMeasure) measure(pairs []dataset.HypernymPair, scores []float64, covered []bool, sampling uint64, accuracy bool) error {
	labels := make([]bool, len(pairs))
	var coveredLabels []bool
	var coveredScores []float64
	for i, p := range pairs {
		labels[i] = p.True
		if p.True {
			m.Positive++
		}
		if covered[i] {
			m.Covered++
			coveredLabels, coveredScores = append(coveredLabels, p.True), append(coveredScores, scores[i])
		}
	}
	ap, err := score.AveragePrecision(labels, scores)
	if err != nil {
		return err
	}
	top, err := score.AveragePrecisionAt(topPairs, labels, scores)
	if err != nil {
		return err
	}
	m.Top = 100 * top
	ranking, err := score.NewRanking(labels, scores)
	if err != nil {
		return err
	}
	m.AP = estimated(100*ap, score.Draws(m.Pairs, draws, sampling, func(sample []int) float64 { return 100 * ranking.AveragePrecision(sample) }))
	if !accuracy {
		return nil
	}
	ranking, err = score.NewRanking(coveredLabels, coveredScores)
	if err != nil {
		return err
	}
	heldOut, half := 100*mean(ranking.HeldOutAccuracy(heldOutShare, heldOutDraws, sampling)), 100*ranking.HalfAccuracy()
	samples := make([]*score.Ranking, 0, draws)
	y, x := make([]bool, m.Covered), make([]float64, m.Covered)
	score.Draws(m.Covered, draws, sampling, func(sample []int) float64 {
		for i, s := range sample {
			y[i], x[i] = coveredLabels[s], coveredScores[s]
		}
		r, e := score.NewRanking(y, x)
		if e != nil {
			err = e
		}
		samples = append(samples, r)
		return 0
	})
	if err != nil {
		return err
	}
	heldOutDrawn, halfDrawn := make([]float64, draws), make([]float64, draws)
	for d, r := range samples {
		heldOutDrawn[d] = 100 * mean(r.HeldOutAccuracy(heldOutShare, heldOutInner, sampling+uint64(d)))
		halfDrawn[d] = 100 * r.HalfAccuracy()
	}
	a, b := estimated(heldOut, heldOutDrawn), estimated(half, halfDrawn)
	m.HeldOut, m.Half = &a, &b
	return nil
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// measureGraded returns the outcome of a row on the graded pairs, from the store if it is
// there. Pairs that cannot be scored are dropped.
func (w *Workspace) measureGraded(ctx context.Context, row HypernymyRow, file string) (*GradedMeasure, error) {
	if row.Method == chanceMethod {
		return nil, nil // a constant has no correlation
	}
	sampling := seed(w.Profile.Seed, "bootstrap "+file)
	stage, err := w.hypernymyStage("hyperlex-scores", row, file, struct {
		Draws int    `json:"draws"`
		Seed  uint64 `json:"seed"`
	}{draws, sampling})
	if err != nil {
		return nil, err
	}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		pairs, terms, err := w.gradedPairs(ctx, file)
		if err != nil {
			return err
		}
		scores, covered, err := w.scoreTerms(ctx, row, "graded pairs", terms)
		if err != nil {
			return err
		}
		var value, gold, nounValue, nounGold []float64
		for i, p := range pairs {
			if !covered[i] {
				continue
			}
			value, gold = append(value, scores[i]), append(gold, p.Score)
			if p.POS == "n" {
				nounValue, nounGold = append(nounValue, scores[i]), append(nounGold, p.Score)
			}
		}
		m := GradedMeasure{Pairs: len(pairs), Covered: len(value)}
		if m.All, err = correlation(value, gold, sampling); err != nil {
			return err
		}
		if m.Nouns, err = correlation(nounValue, nounGold, sampling); err != nil {
			return err
		}
		if err := npy.Write(filepath.Join(dir, "scores.npy"), []int{m.Pairs}, scores); err != nil {
			return err
		}
		if err := m.All.write(dir, "draws"); err != nil {
			return err
		}
		return writeJSON(filepath.Join(dir, "measure.json"), m)
	})
	if err != nil {
		return nil, err
	}
	m := new(GradedMeasure)
	if err := readJSON(filepath.Join(dir, "measure.json"), m); err != nil {
		return nil, err
	}
	return m, m.All.read(dir, "draws")
}

func correlation(value, gold []float64, sampling uint64) (Estimated, error) {
	rho, err := score.Spearman(value, gold)
	if err != nil {
		return Estimated{}, err
	}
	x, y := make([]float64, len(value)), make([]float64, len(value))
	return estimated(rho, score.Draws(len(value), draws, sampling, func(sample []int) float64 {
		for i, s := range sample {
			x[i], y[i] = value[s], gold[s]
		}
		r, err := score.Spearman(x, y)
		if err != nil {
			return math.NaN() // a constant sample
		}
		return r
	})), nil
}

func (w *Workspace) entailmentParams() entailment.Params {
	v := w.Profile.Hypernymy.Vectors
	return entailment.Params{
		Dim: v.Dim, Passes: v.Passes, Samples: v.Samples, Negatives: v.Negatives, Noise: v.Noise,
		Subsample: v.Subsample, Rate: v.Rate, Prior: v.Prior, Bias: v.Bias,
		Seed: seed(w.Profile.Seed, "entailment"),
	}
}

// entailmentStage is the stage of the entailment vectors.
func (w *Workspace) entailmentStage() (store.Stage, error) {
	counts, err := w.countsStage()
	if err != nil {
		return store.Stage{}, err
	}
	start, err := w.vectorsStage(profile.SVD)
	return store.Stage{Name: "entailment", Version: 1, Inputs: []store.Key{counts.Key(), start.Key()}, Params: struct {
		Scale      float64           `json:"scale"`
		Entailment entailment.Params `json:"entailment"`
	}{w.Profile.Hypernymy.Vectors.Scale, w.entailmentParams()}}, err
}

// trainEntailment returns entailment vectors and leaves the loss of each pass in dir.
// Training starts from Henderson's untrained ones of the first singular vectors.
func (w *Workspace) trainEntailment(ctx context.Context, dir string) ([]float32, error) {
	p := w.entailmentParams()
	vectors, err := w.Vectors(ctx)
	if err != nil {
		return nil, err
	}
	half := p.Dim / 2
	if vectors.Dim < half {
		return nil, fmt.Errorf("entailment vectors of %d dimensions start from %d of the SVD vectors, but these have %d: lower hypernymy.vectors.dim", p.Dim, half, vectors.Dim)
	}
	first := make([]float32, 0, vectors.Len()*half)
	for i := range vectors.Len() {
		first = append(first, vectors.Row(i)[:half]...)
	}
	counts, err := w.Counts(ctx)
	if err != nil {
		return nil, err
	}
	progress, finish := w.step(fmt.Sprintf("entailment vectors, %d dimensions, %.3g M samples", p.Dim, float64(p.Samples)/1e6))
	defer finish()
	start := entailment.UnknownDuplicated(first, half, w.Profile.Hypernymy.Vectors.Scale)
	r, err := entailment.Train(ctx, counts, start, p, func(at entailment.Progress) {
		if progress != nil {
			progress(at.Done, at.Total)
		}
	})
	if err != nil {
		return nil, err
	}
	slog.Info("trained", "passes", p.Passes, "loss_of_first", fmt.Sprintf("%.4f", r.Loss[0]), "of_last", fmt.Sprintf("%.4f", r.Loss[len(r.Loss)-1]))
	return r.Vectors, npy.Write(filepath.Join(dir, "loss.npy"), []int{len(r.Loss)}, r.Loss)
}
