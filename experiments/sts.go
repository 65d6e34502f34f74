package experiments

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/score"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/dataset"
	"contextmover/experiments/profile"
	"contextmover/experiments/store"
)

// draws is the number of bootstrap samples behind every interval.
const draws = 1000

// A Measure is the outcome of one row on one set of sentence pairs, or the average
// over several.
type Measure struct {
	// Pearson is 100 times the correlation of scores and gold, Low and High its
	// 95 % bootstrap interval over pairs.
	Pearson, Low, High float64
	// Pairs and Covered count the pairs, and those with a known word on both sides.
	Pairs, Covered int
	// Draws holds the correlation of each bootstrap sample; sample d is the same
	// pairs for every row, so that rows can be compared draw by draw.
	Draws []float64 `json:"-"`
}

// STS is the outcome of the sentence-similarity experiment.
type STS struct {
	Rows   []profile.Row // every setting resolved, chosen ones included
	Groups []profile.Group
	// Measures[r][g][s] is row r on set s of group g.
	Measures [][][]Measure
	// Tried holds what was searched on the validation group, best first per row.
	Tried []Candidate
	// Unfinished names the rows of a tuning whose search the budget ended.
	Unfinished []string
}

// RunSTS scores all rows of the profile on all its sets of sentence pairs
// (section 4.1 of the paper). Rows that ask for it get their settings from a search
// on the validation group first; the test groups are never looked at there.
func (w *Workspace) RunSTS(ctx context.Context) (*STS, error) {
	result := &STS{Groups: w.Profile.STS.Groups}
	for _, row := range w.Profile.STS.Rows {
		if row.Select {
			chosen, tried, err := w.selectRow(ctx, row, time.Time{})
			if err != nil {
				return nil, fmt.Errorf("choosing the settings of row %q: %w", row.ID, err)
			}
			row = chosen
			result.Tried = append(result.Tried, tried...)
		}
		result.Rows = append(result.Rows, row)
	}
	var err error
	result.Measures, err = w.measureRows(ctx, result.Rows)
	return result, err
}

// measureRows measures rows on all sets, as [row][group][set].
func (w *Workspace) measureRows(ctx context.Context, rows []profile.Row) ([][][]Measure, error) {
	// Rows that share estimates follow one another, so that these are made once.
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return compareEstimates(w.rowEstimates(rows[a]), w.rowEstimates(rows[b]))
	})
	all := make([][][]Measure, len(rows))
	for _, r := range order {
		row := rows[r]
		for _, group := range w.Profile.STS.Groups {
			var measures []Measure
			for _, set := range group.Sets {
				m, err := w.measure(ctx, row, set)
				if err != nil {
					return nil, fmt.Errorf("row %q on %s %s: %w", row.ID, group.Name, set.Name, err)
				}
				measures = append(measures, m)
			}
			all[r] = append(all[r], measures)
		}
	}
	return all, nil
}

// Average returns the plain mean over the sets of a group, which is the paper's year
// average, and the mean weighted by the number of pairs.
func Average(sets []Measure) (plain Measure, weighted float64) {
	plain.Draws = make([]float64, draws)
	for _, m := range sets {
		plain.Pearson += m.Pearson / float64(len(sets))
		weighted += m.Pearson * float64(m.Pairs)
		plain.Pairs += m.Pairs
		plain.Covered += m.Covered
		for d := range m.Draws {
			plain.Draws[d] += m.Draws[d] / float64(len(sets))
		}
	}
	plain.Low, plain.High = score.Interval(plain.Draws)
	return plain, weighted / float64(plain.Pairs)
}

// sentencePairs is a set of pairs as word ids, in SentEval's order.
type sentencePairs struct {
	pairs []sentence.Pair
	gold  []float64
}

func (w *Workspace) pairs(ctx context.Context, set profile.Set) (*sentencePairs, error) {
	path, err := w.File(ctx, set.File)
	if err != nil {
		return nil, err
	}
	lines, err := dataset.ReadPairs(path)
	if err != nil {
		return nil, err
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	tokensA, tokensB := make([]int, len(lines)), make([]int, len(lines))
	pairs, gold := make([]sentence.Pair, len(lines)), make([]float64, len(lines))
	for i, line := range lines {
		if !line.HasGold {
			return nil, &dataset.FormatError{File: path, Line: line.Line, Problem: "no gold score; the experiment needs three fields a line: score, sentence, sentence"}
		}
		a, b := corpus.Tokenise(line.A), corpus.Tokenise(line.B)
		tokensA[i], tokensB[i] = len(a), len(b)
		pairs[i], gold[i] = sentence.Pair{A: known(v, a), B: known(v, b)}, line.Gold
	}
	s := new(sentencePairs)
	for _, i := range sentence.SentEvalOrder(tokensA, tokensB, gold) {
		s.pairs, s.gold = append(s.pairs, pairs[i]), append(s.gold, gold[i])
	}
	return s, nil
}

func known(v *corpus.Vocabulary, tokens []string) sentence.Sentence {
	var s sentence.Sentence
	for _, t := range tokens {
		if id, ok := v.ID(t); ok {
			s = append(s, id)
		}
	}
	return s
}

// combinerParams is what a sentence's combined histogram depends on, beside the text
// and the words' estimates.
type combinerParams struct {
	Method     string             `json:"method"`
	Version    int                `json:"version,omitempty"` // to be raised when the method's numbers change
	Weighting  sentence.Weighting `json:"weighting"`
	Estimates  estimateParams     `json:"estimates"`
	Ground     *groundParams      `json:"ground,omitempty"`
	Iterations int                `json:"iterations,omitempty"`
	Tolerance  float64            `json:"tolerance,omitempty"`
	Engine     string             `json:"engine,omitempty"`
}

// scoreParams is what the scores of a row depend on, beside the text and the vectors.
type scoreParams struct {
	// Combiner, Ground, Iterations and Engine are for methods of transport only.
	Combiner   *combinerParams    `json:"combiner,omitempty"`
	Ground     *groundParams      `json:"ground,omitempty"`
	Iterations int                `json:"iterations,omitempty"`
	Engine     string             `json:"engine,omitempty"`
	Mix        float64            `json:"mix"`
	Points     sentence.Weighting `json:"points"`
	RemovePC   bool               `json:"remove_pc"`
	PCBatch    int                `json:"pc_batch"`
}

func (w *Workspace) rowClusters(row profile.Row) clusterParams {
	p := clusterParams{K: row.Clusters, Spherical: row.Spherical, Seed: seed(w.Profile.Seed, "clusters")}
	if row.Vectors != profile.SVD {
		p.Kind = row.Vectors
	}
	return p
}

func (w *Workspace) rowEstimates(row profile.Row) estimateParams {
	return estimateParams{row.Smoothing, row.Shift, row.Normalisation, row.Beta, w.rowClusters(row)}
}

func (w *Workspace) rowGround(row profile.Row) groundParams {
	return groundParams{row.Metric, row.CostNormalisation, row.Clip, row.Reg, w.rowClusters(row)}
}

func (w *Workspace) scoreParams(row profile.Row) scoreParams {
	p := scoreParams{Mix: row.Mix, RemovePC: row.RemovePC, PCBatch: row.PCBatch}
	if row.IsAverage() {
		p.Points = weighting(row.Weights, row.A)
		return p
	}
	if row.Mix > 0 {
		p.Points = weighting(row.PointWeights, row.PointA)
	}
	g := w.rowGround(row)
	p.Ground, p.Iterations, p.Engine = &g, row.Iterations, w.Engine.Name()
	p.Combiner = &combinerParams{Method: row.Method, Weighting: weighting(row.Weights, row.A), Estimates: w.rowEstimates(row)}
	if row.Method != profile.Euclidean {
		p.Combiner.Ground, p.Combiner.Iterations = &g, row.Iterations
		p.Combiner.Tolerance, p.Combiner.Engine = row.Tolerance, w.Engine.Name()
	}
	if row.Method == profile.Barycenter {
		p.Combiner.Version = 2
	}
	return p
}

// scoreInputs returns the keys of what the scores of a row on a set are made from.
func (w *Workspace) scoreInputs(row profile.Row, set profile.Set) ([]store.Key, error) {
	file, err := w.fileKey(set.File)
	if err != nil {
		return nil, err
	}
	vectors, err := w.vectorsStage(row.Vectors)
	if err != nil || row.IsAverage() {
		return []store.Key{file, vectors.Key()}, err
	}
	clusters, err := w.clustersStage(w.rowClusters(row))
	return []store.Key{file, vectors.Key(), clusters.Key()}, err
}

// method returns the method of a row for one set.
func (w *Workspace) method(ctx context.Context, row profile.Row, set profile.Set) (sentence.Method, error) {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	vectors, err := w.VectorsOf(ctx, row.Vectors)
	if err != nil {
		return nil, err
	}
	p := w.scoreParams(row)
	points := sentence.Points{Vectors: vectors.Data, Dim: vectors.Dim, Probability: v.Probability(), Weighting: p.Points}
	if row.IsAverage() {
		return sentence.VectorAverage{
			Vectors: points.Vectors, Dim: points.Dim, Probability: points.Probability, Weighting: points.Weighting,
			RemovePC: p.RemovePC, PCBatch: p.PCBatch,
		}, nil
	}
	g, err := w.Ground(ctx, *p.Ground)
	if err != nil {
		return nil, err
	}
	combiner, err := w.combiner(ctx, *p.Combiner, set, points.Probability)
	if err != nil {
		return nil, err
	}
	return sentence.Transport{
		Combiner: combiner, Ground: g, Engine: w.Engine,
		Settings: ot.Settings{Reg: row.Reg, MaxIter: row.Iterations},
		Mix:      p.Mix, Points: points, RemovePC: p.RemovePC, PCBatch: p.PCBatch,
	}, nil
}

func (w *Workspace) combiner(ctx context.Context, p combinerParams, set profile.Set, probability []float64) (sentence.Combiner, error) {
	if p.Method == profile.Euclidean {
		e, err := w.Estimates(ctx, p.Estimates)
		return sentence.HistogramAverage{Estimates: e, Weighting: p.Weighting, Probability: probability}, err
	}
	file, err := w.fileKey(set.File)
	if err != nil {
		return nil, err
	}
	vectors, err := w.vectorsStage(p.Estimates.Clusters.vectors())
	if err != nil {
		return nil, err
	}
	clusters, err := w.clustersStage(p.Estimates.Clusters)
	if err != nil {
		return nil, err
	}
	stage := store.Stage{Name: "barycenters", Version: 2, Params: p, Inputs: []store.Key{file, vectors.Key(), clusters.Key()}}
	return storedCombiner{w.Store, stage, func(ctx context.Context, sentences []sentence.Sentence) (ot.Histograms, error) {
		e, err := w.Estimates(ctx, p.Estimates)
		if err != nil {
			return ot.Histograms{}, err
		}
		g, err := w.Ground(ctx, *p.Ground)
		if err != nil {
			return ot.Histograms{}, err
		}
		progress, finish := w.step(fmt.Sprintf("%s barycenters, %s, K=%d", p.Method, set.Name, e.K))
		defer finish()
		return sentence.Barycenter{
			Estimates: e, Weighting: p.Weighting, Probability: probability,
			Cost: g.Cost, Engine: w.Engine,
			Debiased: p.Method == profile.Debiased, UnweightedStart: p.Method == profile.UnweightedStart,
			Settings: ot.Settings{Reg: p.Ground.Reg, MaxIter: p.Iterations, Tol: p.Tolerance},
			Progress: progress,
		}.Combine(ctx, sentences)
	}}, nil
}

// storedCombiner keeps combined histograms in the store: barycenters take longer than
// all else, and rows with and without a mix share them. The stage must determine the
// sentences.
type storedCombiner struct {
	store   *store.Store
	stage   store.Stage
	combine func(ctx context.Context, sentences []sentence.Sentence) (ot.Histograms, error)
}

// Combine implements sentence.Combiner.
func (c storedCombiner) Combine(ctx context.Context, sentences []sentence.Sentence) (ot.Histograms, error) {
	dir, err := c.store.Get(ctx, c.stage, func(ctx context.Context, dir string) error {
		h, err := c.combine(ctx, sentences)
		if err != nil {
			return err
		}
		return npy.Write(filepath.Join(dir, "histograms.npy"), []int{h.Len(), h.K}, h.Data)
	})
	if err != nil {
		return ot.Histograms{}, err
	}
	shape, data, err := npy.Read[float32](filepath.Join(dir, "histograms.npy"))
	if err != nil {
		return ot.Histograms{}, err
	}
	if len(shape) != 2 || shape[0] != len(sentences) {
		return ot.Histograms{}, fmt.Errorf("%s: histograms of shape %v for %d sentences", dir, shape, len(sentences))
	}
	return ot.Histograms{K: shape[1], Data: data}, nil
}

// score scores a set with the settings of a row.
func (w *Workspace) score(ctx context.Context, row profile.Row, set profile.Set) (sentence.Scores, *sentencePairs, error) {
	pairs, err := w.pairs(ctx, set)
	if err != nil {
		return sentence.Scores{}, nil, err
	}
	m, err := w.method(ctx, row, set)
	if err != nil {
		return sentence.Scores{}, nil, err
	}
	s, err := m.Score(ctx, pairs.pairs)
	return s, pairs, err
}

// scoresStage is the stage of the scores of a row on a set; sampling is the seed of its
// bootstrap.
func (w *Workspace) scoresStage(row profile.Row, set profile.Set) (stage store.Stage, sampling uint64, err error) {
	inputs, err := w.scoreInputs(row, set)
	sampling = seed(w.Profile.Seed, "bootstrap "+set.File)
	return store.Stage{Name: "sts-scores", Version: 2, Inputs: inputs, Params: struct {
		Score scoreParams `json:"score"`
		Draws int         `json:"draws"`
		Seed  uint64      `json:"seed"`
	}{w.scoreParams(row), draws, sampling}}, sampling, err
}

// measure returns the outcome of a row on a set, from the store if it is there.
func (w *Workspace) measure(ctx context.Context, row profile.Row, set profile.Set) (Measure, error) {
	stage, sampling, err := w.scoresStage(row, set)
	if err != nil {
		return Measure{}, err
	}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		scores, pairs, err := w.score(ctx, row, set)
		if err != nil {
			return err
		}
		m := Measure{Pairs: len(pairs.pairs)}
		for _, c := range scores.Covered {
			if c {
				m.Covered++
			}
		}
		r, err := score.Pearson(scores.Value, pairs.gold)
		if err != nil {
			return err
		}
		m.Pearson = 100 * r
		x, y := make([]float64, m.Pairs), make([]float64, m.Pairs)
		m.Draws = score.Draws(m.Pairs, draws, sampling, func(sample []int) float64 {
			for i, s := range sample {
				x[i], y[i] = scores.Value[s], pairs.gold[s]
			}
			r, err := score.Pearson(x, y)
			if err != nil {
				return math.NaN() // a constant sample
			}
			return 100 * r
		})
		m.Low, m.High = score.Interval(m.Draws)
		if err := npy.Write(filepath.Join(dir, "scores.npy"), []int{m.Pairs}, scores.Value); err != nil {
			return err
		}
		if err := npy.Write(filepath.Join(dir, "draws.npy"), []int{draws}, m.Draws); err != nil {
			return err
		}
		return writeJSON(filepath.Join(dir, "measure.json"), m)
	})
	if err != nil {
		return Measure{}, err
	}
	var m Measure
	if err := readJSON(filepath.Join(dir, "measure.json"), &m); err != nil {
		return m, err
	}
	_, m.Draws, err = npy.Read[float64](filepath.Join(dir, "draws.npy"))
	return m, err
}

// weighting is that of a row; "inverse" is the inverse marginal.
func weighting(name string, a float64) sentence.Weighting {
	switch name {
	case "uniform":
		return sentence.Weighting{}
	case "inverse":
		return sentence.Weighting{Scheme: sentence.InverseMarginal, A: a}
	case "sif":
		return sentence.Weighting{Scheme: sentence.SIF, A: a}
	}
	panic("experiments: weighting " + name) // the profile checks names
}

func compareEstimates(a, b estimateParams) int {
	return cmp.Or(
		cmp.Compare(a.Clusters.Kind, b.Clusters.Kind),
		cmp.Compare(a.Clusters.K, b.Clusters.K),
		cmp.Compare(strconv.FormatBool(a.Clusters.Spherical), strconv.FormatBool(b.Clusters.Spherical)),
		cmp.Compare(a.Smoothing, b.Smoothing),
		cmp.Compare(a.Shift, b.Shift),
		cmp.Compare(a.Normalisation, b.Normalisation),
		cmp.Compare(a.Beta, b.Beta),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
