package experiments

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
	"contextmover/experiments/profile"
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
	// Transposed moves mass at the cost of the way back.
	Transposed bool `json:"transposed,omitempty"`
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
	// greater than that of the pair the other way round; a tie counts half, and a pair without
	// a score is wrong. HyperCovered of the pairs have one: a coin gets half of these.
	Directed            float64
	Hyper, HyperCovered int
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
	// Transposed is the first row of CMD with the cost transposed, which finds what that row
	// finds where it points the wrong way.
	Transposed []HypernymyRow
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
		Sets: p.Sets, Rows: w.hypernymyRows(), Grid: w.hypernymyGrid(), Baselines: hypernymyBaselines(), Transposed: w.transposedRow(),
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
	for _, row := range slices.Concat(h.Baselines, h.Rows, h.Transposed, h.Chosen, h.Grid) {
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

func (w *Workspace) transposedRow() []HypernymyRow {
	p := w.Profile.Hypernymy.CMD
	if len(p.Clusters) == 0 {
		return nil
	}
	cmd := w.cmdParams(p.Clusters[0], p.Smoothing, p.Shift)
	cmd.Transposed = true
	return []HypernymyRow{{"transposed", fmt.Sprintf("CMD K=%d + D_Hend, cost transposed", p.Clusters[0]), cmdMethod, cmd}}
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
	stage := store.Stage{Name: name, Version: 4, Params: struct {
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
	case cosineMethod:
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
	e, err := w.Estimates(ctx, p.Estimates)
	if err != nil {
		return err
	}
	g, err := w.Ground(ctx, p.Ground)
	if err != nil {
		return err
	}
	problem, at := cmdProblem(p, e, g, pairs, covered)
	if len(problem.Pairs) == 0 {
		return nil
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
func cmdProblem(p cmdParams, e *estimate.Estimates, g *ground.Ground, pairs []termPair, covered []bool) (problem *ot.Problem, at []int) {
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
		if p.Transposed { // Σ Tᵢⱼ Mⱼᵢ from a to b is Σ Tⱼᵢ Mⱼᵢ from b to a
			t = t.reversed()
		}
		n, ok := distinct[t]
		if !ok {
			n = len(distinct)
			distinct[t] = n
			problem.Pairs = append(problem.Pairs, ot.Pair{Source: row(t.narrow), Target: row(t.wide)})
		}
		at[i] = n
	}
	return problem, at
}
