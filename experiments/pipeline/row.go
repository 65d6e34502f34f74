package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/dataset"
	"contextmover/experiments/profile"
	"contextmover/experiments/store"
)

// combinerParams is what a sentence's combined histogram depends on, beside the text
// and the words' estimates.
type combinerParams struct {
	Method      string             `json:"method"`
	Version     int                `json:"version,omitempty"` // to be raised when the method's numbers change
	Weighting   sentence.Weighting `json:"weighting"`
	Marginal    marginal           `json:"marginal,omitempty"`
	Estimates   EstimateParams     `json:"estimates"`
	Ground      *GroundParams      `json:"ground,omitempty"`
	Iterations  int                `json:"iterations,omitempty"`
	Tolerance   float64            `json:"tolerance,omitempty"`
	Accelerated bool               `json:"accelerated,omitempty"`
	Engine      string             `json:"engine,omitempty"`
}

// ScoreParams is what the scores of a row depend on, beside the text and the vectors.
type ScoreParams struct {
	// Combiner, Ground, Iterations, Tolerance and Engine are for methods of transport only.
	Combiner      *combinerParams    `json:"combiner,omitempty"`
	Ground        *GroundParams      `json:"ground,omitempty"`
	Iterations    int                `json:"iterations,omitempty"`
	Tolerance     float64            `json:"tolerance,omitempty"`
	Accelerated   bool               `json:"accelerated,omitempty"`
	Engine        string             `json:"engine,omitempty"`
	Mix           float64            `json:"mix"`
	Points        sentence.Weighting `json:"points"`
	PointMarginal marginal           `json:"point_marginal,omitempty"`
	Grams         bool               `json:"grams,omitempty"` // of n-grams too, where the vectors have such
	RemovePC      bool               `json:"remove_pc"`
	PCBatch       int                `json:"pc_batch"`
	Unit          bool               `json:"unit,omitempty"`
	Components    int                `json:"components,omitempty"` // where RemovePC removes more than one
	Sets          *setWordsParams    `json:"sets,omitempty"`       // where vectors are put together for a set's words
	Rotator       *rotatorParams     `json:"rotator,omitempty"`
	Words         *wordsParams       `json:"words,omitempty"`   // for methods that move words
	Compare       string             `json:"compare,omitempty"` // "" for transport
	Directions    int                `json:"directions,omitempty"`
	Seed          uint64             `json:"seed,omitempty"`
}

// rotatorParams is what a row takes from its cosines.
type rotatorParams struct {
	Weight float64            `json:"weight"`
	Points sentence.Weighting `json:"points"`
}

// directions is how many profile.SlicedWasserstein takes.
const directions = 128

// wordsParams is what transport between words depends on.
type wordsParams struct {
	Method      string  `json:"method"`
	Reg         float64 `json:"reg,omitempty"`
	Iterations  int     `json:"iterations,omitempty"`
	Tolerance   float64 `json:"tolerance,omitempty"`
	Accelerated bool    `json:"accelerated,omitempty"`
	Engine      string  `json:"engine,omitempty"`
	Gamma       float64 `json:"gamma,omitempty"`
	Documents   int     `json:"documents,omitempty"`
	Length      int     `json:"length,omitempty"`
	Seed        uint64  `json:"seed,omitempty"`
}

func (w *Workspace) wordsParams(row profile.Row) *wordsParams {
	p := &wordsParams{Method: row.Method}
	switch row.Method {
	case profile.RegularWMD:
		p.Reg, p.Iterations, p.Tolerance, p.Accelerated, p.Engine = row.Reg, row.Iterations, marginalTolerance(row), row.Accelerate, w.Engine.Name()
	case profile.WME:
		p.Gamma, p.Documents, p.Length, p.Seed = row.Gamma, row.Documents, row.Length, Seed(w.Profile.Seed, "random documents")
	}
	return p
}

// wordsMethod returns the method that moves words, for one set.
func (w *Workspace) wordsMethod(p *wordsParams, points sentence.Points, row profile.Row, set profile.Set) (sentence.Method, error) {
	if p.Method == profile.WME {
		stage, err := w.wordCostsStage(row, set)
		if err != nil {
			return nil, err
		}
		return sentence.WordMoverFeatures{
			Points: points, Documents: p.Documents, Length: p.Length, Gamma: p.Gamma, Seed: p.Seed,
			Kept: func(ctx context.Context, costs func(ctx context.Context) ([]float64, error)) (all []float64, err error) {
				err = w.Store.Keep(ctx, stage, []store.Part{store.Array("costs.npy", &all)}, func(ctx context.Context) (err error) {
					all, err = costs(ctx)
					return err
				})
				return all, err
			},
		}, nil
	}
	m := sentence.WordMover{Points: points, Rotator: p.Method == profile.WRD}
	if p.Method == profile.RegularWMD {
		m.Engine, m.Settings = w.Engine, ot.Settings{Reg: p.Reg, MaxIter: p.Iterations, Tol: p.Tolerance, Accelerate: p.Accelerated}
	}
	return m, nil
}

// wordCostsStage is the stage of the costs from a set's sentences to random documents.
func (w *Workspace) wordCostsStage(row profile.Row, set profile.Set) (store.Stage, error) {
	inputs, err := w.ScoreInputs(row, set)
	row.Gamma = 0 // all γ share the costs
	return store.Stage{Name: "word-mover-costs", Version: 1, Params: w.ScoreParams(row), Inputs: inputs}, err
}

// marginalTolerance ends a distance before its last iteration where the marginals of the plan agree to it: what is
// missing then costs at most this part of the largest cost.
func marginalTolerance(row profile.Row) float64 {
	if row.Accelerate {
		return 1e-3
	}
	return 1e-5
}

// RowClusters returns the parameters of a row's clusters.
func (w *Workspace) RowClusters(row profile.Row) ClusterParams {
	p := ClusterParams{K: row.Clusters, Spherical: row.Spherical, Seed: Seed(w.Profile.Seed, "clusters")}
	if row.Vectors != profile.SVD {
		p.Kind = row.Vectors
	}
	return p
}

// RowEstimates returns the parameters of a row's estimates.
func (w *Workspace) RowEstimates(row profile.Row) EstimateParams {
	return EstimateParams{row.Smoothing, row.Shift, row.Normalisation, row.Beta, w.RowClusters(row)}
}

// RowGround returns the parameters of a row's ground cost.
func (w *Workspace) RowGround(row profile.Row) GroundParams {
	g := GroundParams{Metric: row.Metric, Normalisation: row.CostNormalisation, Clip: row.Clip, Reg: row.Reg, Clusters: w.RowClusters(row)}
	return w.WithGeometry(g, row.Geometry)
}

// WithGeometry returns a ground cost's parameters with a geometry as profiles name it; what is shuffled is so by the workspace's seed.
func (w *Workspace) WithGeometry(g GroundParams, geometry string) GroundParams {
	g.Geometry, g.Seed = "", 0
	switch geometry {
	case profile.Flat:
		g.Geometry = geometry
	case profile.Shuffled:
		g.Geometry, g.Seed = geometry, Seed(w.Profile.Seed, "shuffled centroids")
	}
	return g
}

// ScoreParams returns what the scores of a row depend on.
func (w *Workspace) ScoreParams(row profile.Row) ScoreParams {
	// Points are named where there are none too, as in the keys of stores.
	p := ScoreParams{Mix: row.Mix, Points: Weighting(profile.Uniform, 0), RemovePC: row.RemovePC, PCBatch: row.PCBatch, Unit: row.Unit}
	if row.Method == profile.Encoder {
		return p
	}
	if row.HasVectorsAlone() {
		if row.MovesWords() {
			p.Words = w.wordsParams(row)
		}
		p.Points, p.PointMarginal, p.Grams = Weighting(row.Weights, row.A), MarginalOf(row.Weights), row.Method == profile.Sent2vec
		if row.RemovePC && row.Components > 1 {
			p.Components = row.Components
		}
		if row.HasWordsOfSets() {
			p.Sets = w.setWordsParams(row)
		}
		if row.Rotator > 0 {
			p.Rotator = &rotatorParams{row.Rotator, Weighting(row.Weights, row.RotatorA)}
		}
		return p
	}
	if row.Mix > 0 {
		p.Points, p.PointMarginal = Weighting(row.PointWeights, row.PointA), MarginalOf(row.PointWeights)
	}
	g := w.RowGround(row)
	p.Ground, p.Iterations, p.Tolerance, p.Accelerated, p.Engine = &g, row.Iterations, marginalTolerance(row), row.Accelerate, w.Engine.Name()
	p.Combiner = &combinerParams{Method: row.Method, Weighting: Weighting(row.Weights, row.A), Marginal: MarginalOf(row.Weights), Estimates: w.RowEstimates(row)}
	if row.Method != profile.Euclidean {
		p.Combiner.Ground, p.Combiner.Iterations = &g, row.Iterations
		p.Combiner.Tolerance, p.Combiner.Engine = row.Tolerance, w.Engine.Name()
	}
	if row.Method == profile.Barycenter {
		// Over-relaxed ones have changed once more often than plain ones.
		p.Combiner.Version, p.Combiner.Accelerated = map[bool]int{false: 2, true: 3}[row.Accelerate], row.Accelerate
	}
	if row.Compare != "" && row.Compare != profile.ByTransport {
		p.Compare = row.Compare
		p.Ground, p.Iterations, p.Tolerance, p.Accelerated, p.Engine = nil, 0, 0, false, ""
		switch row.Compare {
		case profile.MaximumMeanDiscrepancy:
			kernel := g
			kernel.Clip = 0
			p.Ground = &kernel
		case profile.SlicedWasserstein:
			p.Directions, p.Seed = directions, Seed(w.Profile.Seed, "sliced wasserstein")
		}
	}
	return p
}

// ScoreInputs returns the keys of what the scores of a row on a set are made from.
func (w *Workspace) ScoreInputs(row profile.Row, set profile.Set) ([]store.Key, error) {
	inputs, err := w.setKeys(set)
	if err != nil {
		return nil, err
	}
	if row.Method == profile.Encoder {
		for _, name := range dataset.EncoderFiles(row.File) {
			key, err := w.checksum(name)
			if err != nil {
				return nil, err
			}
			inputs = append(inputs, key)
		}
		return inputs, nil
	}
	vectors, err := w.VectorsStage(row.Vectors)
	if err != nil {
		return nil, err
	}
	inputs = append(inputs, vectors.Key())
	if row.Beside != "" {
		beside, err := w.VectorsStage(row.Beside)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, beside.Key())
	}
	used := []string{row.Weights}
	if !row.HasVectorsAlone() {
		estimates, err := w.estimateInputs(w.RowClusters(row))
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, estimates...)
		if row.Mix > 0 {
			used = append(used, row.PointWeights)
		}
	}
	for _, weights := range used {
		keys, err := w.MarginalInputs(MarginalOf(weights))
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, keys...)
	}
	return inputs, nil
}

// estimateInputs returns the keys of what estimates over clusters of vectors are made from, beside the vectors' own: the clusters', and the
// counts', which the vectors' key tells unless they are trained on the text itself or read from a file.
func (w *Workspace) estimateInputs(p ClusterParams) ([]store.Key, error) {
	vectors, err := w.VectorsStage(p.vectors())
	if err != nil {
		return nil, err
	}
	clusters, err := w.ClustersStage(p)
	if err != nil {
		return nil, err
	}
	counts, err := w.CountsStage()
	if err != nil {
		return nil, err
	}
	inputs := []store.Key{clusters.Key()}
	if !slices.Contains(vectors.Inputs, counts.Key()) {
		inputs = append(inputs, counts.Key())
	}
	return inputs, nil
}

// Method returns the method of a row for one set.
func (w *Workspace) Method(ctx context.Context, row profile.Row, set profile.Set) (sentence.Method, error) {
	p := w.ScoreParams(row)
	points, vectors, err := w.points(ctx, p, row, set)
	if err != nil {
		return nil, err
	}
	if p.Words != nil {
		return w.wordsMethod(p.Words, points, row, set)
	}
	if row.IsAverage() {
		average := sentence.VectorAverage{Vectors: points.Vectors, Dim: points.Dim, Probability: points.Probability, Weighting: points.Weighting, PCBatch: p.PCBatch}
		if p.RemovePC {
			average.Components = max(1, p.Components)
		}
		if p.Grams {
			if average.Vectors, average.Terms, err = w.withGrams(ctx, row, vectors); average.Terms != nil {
				average.Probability = nil // words alone have one
			}
		}
		if p.Rotator == nil || err != nil {
			return average, err
		}
		points.Weighting = p.Rotator.Points
		return sentence.Sum{{Weight: 1, Method: average}, {Weight: p.Rotator.Weight, Method: sentence.WordMover{Points: points, Rotator: true}}}, nil
	}
	combiner, err := w.combiner(ctx, *p.Combiner, set)
	if err != nil {
		return nil, err
	}
	if p.Compare != "" {
		between, err := w.between(ctx, p, row)
		return sentence.Overlap{Combiner: combiner, Between: between}, err
	}
	g, err := w.Ground(ctx, *p.Ground)
	if err != nil {
		return nil, err
	}
	return sentence.Transport{
		Combiner: combiner, Ground: g, Engine: w.Engine,
		Settings: ot.Settings{Reg: row.Reg, MaxIter: row.Iterations, Tol: p.Tolerance, Accelerate: p.Accelerated},
		Mix:      p.Mix, Points: points, RemovePC: p.RemovePC, PCBatch: p.PCBatch,
	}, nil
}

// between is how a row compares histograms without transport.
func (w *Workspace) between(ctx context.Context, p ScoreParams, row profile.Row) (sentence.Between, error) {
	switch p.Compare {
	case profile.MaximumMeanDiscrepancy:
		g, err := w.Ground(ctx, *p.Ground)
		if err != nil {
			return nil, err
		}
		return sentence.MaximumMeanDiscrepancy(g.Cost), nil
	case profile.SlicedWasserstein:
		clusters, err := w.Clusters(ctx, w.RowClusters(row))
		if err != nil {
			return nil, err
		}
		k := row.Clusters
		return sentence.SlicedWasserstein(clusters.Centroids, k, len(clusters.Centroids)/k, p.Directions, p.Seed), nil
	}
	return sentence.Divergence(p.Compare).Between, nil
}

func (w *Workspace) combiner(ctx context.Context, p combinerParams, set profile.Set) (sentence.Combiner, error) {
	probability, err := w.Probability(ctx, p.Marginal)
	if err != nil {
		return nil, err
	}
	if p.Method == profile.Euclidean {
		e, err := w.Estimates(ctx, p.Estimates)
		return sentence.HistogramAverage{Estimates: e, Weighting: p.Weighting, Probability: probability}, err
	}
	stage, err := w.combinedStage(p, set)
	if err != nil {
		return nil, err
	}
	return storedCombiner{w.Store, stage, func(ctx context.Context, sentences []sentence.Sentence) (ot.Histograms, error) {
		e, err := w.Estimates(ctx, p.Estimates)
		if err != nil {
			return ot.Histograms{}, err
		}
		g, err := w.Ground(ctx, *p.Ground)
		if err != nil {
			return ot.Histograms{}, err
		}
		progress, finish := w.Step(fmt.Sprintf("%s barycenters, %s, K=%d", p.Method, set.Name, e.K))
		defer finish()
		return sentence.Barycenter{
			Estimates: e, Weighting: p.Weighting, Probability: probability,
			Cost: g.Cost, Engine: w.Engine,
			Debiased: p.Method == profile.Debiased, UnweightedStart: p.Method == profile.UnweightedStart,
			Settings: ot.Settings{Reg: p.Ground.Reg, MaxIter: p.Iterations, Tol: p.Tolerance, Accelerate: p.Accelerated},
			Progress: progress,
		}.Combine(ctx, sentences)
	}}, nil
}

// combinedStage is the stage of the combined histograms of a set's sentences.
func (w *Workspace) combinedStage(p combinerParams, set profile.Set) (store.Stage, error) {
	inputs, err := w.setKeys(set)
	if err != nil {
		return store.Stage{}, err
	}
	vectors, err := w.VectorsStage(p.Estimates.Clusters.vectors())
	if err != nil {
		return store.Stage{}, err
	}
	estimates, err := w.estimateInputs(p.Estimates.Clusters)
	if err != nil {
		return store.Stage{}, err
	}
	weights, err := w.MarginalInputs(p.Marginal)
	inputs = slices.Concat(inputs, []store.Key{vectors.Key()}, estimates, weights)
	return store.Stage{Name: "barycenters", Version: 2, Params: p, Inputs: inputs}, err
}

// Unstored returns a method as Method does, that computes everything anew: for those who time it.
func Unstored(m sentence.Method) sentence.Method {
	if f, ok := m.(sentence.WordMoverFeatures); ok {
		f.Kept = nil
		return f
	}
	if t, ok := m.(sentence.Transport); ok {
		if c, ok := t.Combiner.(storedCombiner); ok {
			t.Combiner = uncachedCombiner(c.combine)
			return t
		}
	}
	return m
}

type uncachedCombiner func(ctx context.Context, sentences []sentence.Sentence) (ot.Histograms, error)

// Combine implements sentence.Combiner.
func (c uncachedCombiner) Combine(ctx context.Context, sentences []sentence.Sentence) (ot.Histograms, error) {
	return c(ctx, sentences)
}

// RowStages returns the stages that train what a row is of: counts, vectors, and for transport clusters.
func (w *Workspace) RowStages(row profile.Row) ([]store.Stage, error) {
	counts, err := w.CountsStage()
	if err != nil {
		return nil, err
	}
	vectors, err := w.VectorsStage(row.Vectors)
	if err != nil {
		return nil, err
	}
	stages := []store.Stage{vectors}
	if row.Beside != "" {
		beside, err := w.VectorsStage(row.Beside)
		if err != nil {
			return nil, err
		}
		stages = append(stages, beside)
	}
	if row.Vectors != profile.Sent2vec || !row.HasVectorsAlone() {
		stages = append(stages, counts)
	}
	if !row.HasVectorsAlone() {
		clusters, err := w.ClustersStage(w.RowClusters(row))
		if err != nil {
			return nil, err
		}
		stages = append(stages, clusters)
	}
	return stages, nil
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
	var h ot.Histograms
	err := c.store.Keep(ctx, c.stage, []store.Part{store.Matrix("histograms.npy", &h.K, &h.Data)}, func(ctx context.Context) (err error) {
		h, err = c.combine(ctx, sentences)
		return err
	})
	if err == nil && h.Len() != len(sentences) {
		err = fmt.Errorf("the store has %d histograms for %d sentences", h.Len(), len(sentences))
	}
	return h, err
}

// CompareEstimates orders estimates such that those that share what takes longest follow one another: associations, which
// no vectors change, then clusters.
func CompareEstimates(a, b EstimateParams) int {
	return cmp.Or(
		cmp.Compare(a.Smoothing, b.Smoothing),
		cmp.Compare(a.Shift, b.Shift),
		cmp.Compare(a.Clusters.Kind, b.Clusters.Kind),
		cmp.Compare(a.Clusters.K, b.Clusters.K),
		cmp.Compare(strconv.FormatBool(a.Clusters.Spherical), strconv.FormatBool(b.Clusters.Spherical)),
		cmp.Compare(a.Normalisation, b.Normalisation),
		cmp.Compare(a.Beta, b.Beta),
	)
}

// Try scores the settings of each of the rows by validate, and returns those of row r, best first, the
// earlier of equals, as tried[r]. Settings of all rows that share estimates are scored one after the other,
// so that these are made once.
func (w *Workspace) Try(rows []profile.Row, settings func(row profile.Row) []profile.Row, validate func(setting profile.Row) (float64, error)) (tried [][]Candidate, err error) {
	var all []Candidate
	for _, row := range rows {
		for _, s := range settings(row) {
			all = append(all, Candidate{For: row.ID, Row: s})
		}
	}
	slices.SortStableFunc(all, func(a, b Candidate) int {
		return CompareEstimates(w.RowEstimates(a.Row), w.RowEstimates(b.Row))
	})
	for i := range all {
		c := &all[i]
		if c.Validation, err = validate(c.Row); err != nil {
			return nil, fmt.Errorf("choosing the settings of row %q: %w", c.For, err)
		}
		slog.Debug("tried", "row", c.For, "setting", i+1, "of", len(all), "validation", c.Validation)
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(b.Validation, a.Validation) })
	for _, row := range rows {
		own := slices.DeleteFunc(slices.Clone(all), func(c Candidate) bool { return c.For != row.ID })
		slog.Info("chosen", "row", row.ID, "tried", len(own), "validation", fmt.Sprintf("%.1f", own[0].Validation))
		tried = append(tried, own)
	}
	return tried, nil
}

// Candidate is one setting tried on the validation group.
type Candidate struct {
	For string // the row it was tried for
	Row profile.Row
	// Validation is the plain mean over the sets of the validation group.
	Validation float64
}

// Weighting is that of weights as a profile names them, marginalOf what their p(w) is.
func Weighting(weights string, a float64) sentence.Weighting {
	switch weights {
	case profile.Uniform:
		return sentence.Weighting{Scheme: sentence.Uniform}
	case profile.Inverse:
		return sentence.Weighting{Scheme: sentence.InverseMarginal, A: a}
	case profile.SIFCorpus, profile.SIFList, profile.SIFRaw:
		return sentence.Weighting{Scheme: sentence.SIF, A: a}
	}
	panic("experiments: weighting " + weights) // the profile checks names
}
