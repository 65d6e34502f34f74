package pipeline

import (
	"contextmover/cmdlib/method"
	"contextmover/cmdlib/sentence"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/dataset"
	"contextmover/experiments/profile"
	"contextmover/experiments/store"
)

// ScoreParams is what the scores of a method depend on, beside the text and the vectors: its settings, in the order and
// under the names that stores have them in. What is no setting of the groups that these name is in Settings.
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
	PointMarginal method.Marginal    `json:"point_marginal,omitempty"`
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
	Settings      map[string]any     `json:"settings,omitempty"`
}

// combinerParams is what a sentence's combined histogram depends on, beside the text
// and the words' estimates.
type combinerParams struct {
	Method      string             `json:"method"`
	Version     int                `json:"version,omitempty"`
	Weighting   sentence.Weighting `json:"weighting"`
	Marginal    method.Marginal    `json:"marginal,omitempty"`
	Estimates   EstimateParams     `json:"estimates"`
	Ground      *GroundParams      `json:"ground,omitempty"`
	Iterations  int                `json:"iterations,omitempty"`
	Tolerance   float64            `json:"tolerance,omitempty"`
	Accelerated bool               `json:"accelerated,omitempty"`
	Engine      string             `json:"engine,omitempty"`
	Settings    map[string]any     `json:"settings,omitempty"`
}

// rotatorParams is what a row takes from its cosines.
type rotatorParams struct {
	Weight float64            `json:"weight"`
	Points sentence.Weighting `json:"points"`
}

// setWordsParams is what the vectors of a set's words depend on, beside the vectors that they are put together of.
type setWordsParams struct {
	Own    string  `json:"own"`
	Seed   uint64  `json:"seed"`
	Beside string  `json:"beside,omitempty"`
	Scale  float64 `json:"scale,omitempty"`
}

// wordsParams is what transport between words depends on.
type wordsParams struct {
	Method           string  `json:"method"`
	method.Transport         // with the tolerance of distances
	Engine           string  `json:"engine,omitempty"`
	Gamma            float64 `json:"gamma,omitempty"`
	Documents        int     `json:"documents,omitempty"`
	Length           int     `json:"length,omitempty"`
	Seed             uint64  `json:"seed,omitempty"`
}

// batchInKeys is the batch of components in the keys of methods that remove none.
const batchInKeys = 64

// ScoreParams returns what the scores of a row depend on.
func (w *Workspace) ScoreParams(row profile.Row) ScoreParams {
	m, needs := row.Method, row.Method.Needs()
	p := ScoreParams{
		Points: method.Weighting{}.Of(), PCBatch: batchInKeys, Grams: needs.NGrams, Settings: otherSettings(m),
	}
	removal, removes := method.Of[method.Removal](m)
	if removes {
		p.RemovePC, p.PCBatch = removal.RemovePC, removal.PCBatch
	}
	if needs.Histograms {
		w.histogramParams(&p, m, needs)
		return p
	}
	if weighting, ok := method.Of[method.Weighting](m); ok {
		p.Points, p.PointMarginal = weighting.Of(), weighting.Marginal()
	}
	if scaled, ok := method.Of[method.Scaled](m); ok {
		p.Unit = scaled.Unit
	}
	if shares, _ := method.Of[method.Shares](m); removal.RemovePC && shares.Components > 1 {
		p.Components = shares.Components
	}
	if own, _ := method.Of[method.OwnWords](m); own.Any() {
		p.Sets = &setWordsParams{Own: own.Own, Seed: Seed(w.Profile.Seed, "vectors of their own")}
		if own.Beside != "" {
			p.Sets.Beside, p.Sets.Scale = profile.KindName(own.Beside), own.BesideScale
		}
	}
	if rotated, _ := method.Of[method.Rotated](m); rotated.Rotator > 0 {
		weighting := method.Weighting{Weights: row.Weighting().Weights, A: rotated.RotatorA}
		p.Rotator = &rotatorParams{rotated.Rotator, weighting.Of()}
	}
	if !removes && len(needs.Vectors) > 0 {
		p.Words = w.wordsParams(m)
	}
	return p
}

func (w *Workspace) wordsParams(m method.Method) *wordsParams {
	p := &wordsParams{Method: method.KindOf(m).ID}
	if t, ok := method.Of[method.Transport](m); ok {
		p.Transport, p.Engine = t, w.Engine.Name()
		p.Tolerance = t.Distances().Tol
	}
	if f, ok := method.Of[method.Features](m); ok {
		p.Gamma, p.Documents, p.Length = f.Gamma, f.Documents, f.Length
		p.Seed = Seed(w.Profile.Seed, "random documents")
	}
	return p
}

// histogramParams sets what the scores of a method that compares histograms depend on.
func (w *Workspace) histogramParams(p *ScoreParams, m method.Method, needs method.Needs) {
	h, _ := method.Of[method.Histograms](m)
	p.Mix = h.Mix
	if h.Mix > 0 {
		p.Points, p.PointMarginal = h.Mixed.Weighting().Of(), h.Mixed.Weighting().Marginal()
	}
	combined := m
	if needs.Combined != nil {
		combined = needs.Combined
	}
	p.Combiner = w.combinerParams(combined)
	if h.Compare == method.ByTransport || h.Compare == "" {
		g, s := w.GroundParams(h.Cost, h.Bins(), h.Reg), h.Transport.Distances()
		p.Ground, p.Iterations, p.Tolerance = &g, s.MaxIter, s.Tol
		p.Accelerated, p.Engine = s.Accelerate, w.Engine.Name()
		return
	}
	switch p.Compare = h.Compare; h.Compare {
	case method.MaximumMeanDiscrepancy:
		h.Clip = 0
		g := w.GroundParams(h.Cost, h.Bins(), h.Reg)
		p.Ground = &g
	case method.SlicedWasserstein:
		p.Directions, p.Seed = method.Directions, Seed(w.Profile.Seed, "sliced wasserstein")
	}
}

// combinerParams returns what combined histograms depend on. The cost and how transport is solved count where these are
// kept, which means that it takes transport to make them.
func (w *Workspace) combinerParams(m method.Method) *combinerParams {
	h, _ := method.Of[method.Histograms](m)
	p := &combinerParams{
		Method: method.KindOf(m).ID, Weighting: h.Weighting.Of(), Marginal: h.Weighting.Marginal(),
		Estimates: w.EstimateParams(h.Estimates, h.Bins()), Settings: otherSettings(m),
	}
	if m.Needs().Combined == nil {
		return p
	}
	g, s := w.GroundParams(h.Cost, h.Bins(), h.Reg), h.Transport.Barycenters()
	p.Ground, p.Iterations, p.Tolerance, p.Accelerated, p.Engine = &g, s.MaxIter, s.Tol, s.Accelerate, w.Engine.Name()
	if v, ok := m.(interface{ Version() int }); ok {
		p.Version = v.Version()
	}
	return p
}

// otherSettings returns the settings of a method that are in none of
// the groups that ScoreParams knows, with its kind; nil if it has none.
func otherSettings(m method.Method) map[string]any {
	fields := method.Others(m)
	if len(fields) == 0 {
		return nil
	}
	other := map[string]any{"method": method.KindOf(m).ID}
	for _, f := range fields {
		other[f.Name] = f.In(m).Interface()
	}
	return other
}

// ScoreInputs are what the scores of a row on a set are made from.
func (w *Workspace) ScoreInputs(row profile.Row, set profile.Set) []store.Input {
	needs := row.Method.Needs()
	inputs := w.inputs(needs, set)
	if needs.Learned != nil {
		inputs = append(inputs, w.learnedCostsNode(needs.Learned, set, nil))
	}
	return inputs
}

// inputs are what a method with such needs is computed from on a set.
func (w *Workspace) inputs(needs method.Needs, set profile.Set) []store.Input {
	return append(w.setInputs(set), w.needed(needs)...)
}

// needed are what a method with such needs is computed from on any set.
func (w *Workspace) needed(needs method.Needs) (inputs []store.Input) {
	if needs.Learned != nil {
		inputs = append(inputs, w.fileInputs(w.validationFiles()...)...)
	}
	for _, file := range needs.Files {
		inputs = append(inputs, w.encoderInputs(file)...)
	}
	for _, kind := range needs.Vectors {
		inputs = append(inputs, w.VectorsNode(kind))
	}
	if needs.Histograms {
		inputs = append(inputs, w.estimateInputs(w.ClusterParams(needs.Bins))...)
	}
	for _, m := range needs.Marginals {
		inputs = append(inputs, w.MarginalInputs(m)...)
	}
	return inputs
}

// encoderInputs are the files that scores of another program are in.
func (w *Workspace) encoderInputs(file string) (inputs []store.Input) {
	for _, name := range dataset.EncoderFiles(file) {
		inputs = append(inputs, w.dataInput(name))
	}
	return inputs
}

// estimateInputs are what estimates over clusters of vectors are made from, beside the vectors: the clusters, and the
// counts, which the vectors' key tells unless they are trained on the text itself or read from a file.
func (w *Workspace) estimateInputs(p ClusterParams) []store.Input {
	inputs := []store.Input{w.ClustersNode(p)}
	if kind := p.vectors(); kind == profile.Sent2vec || w.vectorFile(kind) != "" {
		inputs = append(inputs, w.CountsNode())
	}
	return inputs
}

// RowShared are what rows share in memory, as store.Node has it.
func (w *Workspace) RowShared(row profile.Row) []store.Input {
	if !row.HasHistograms() {
		return nil
	}
	return w.Shared(w.RowEstimates(row))
}

// ClusterParams returns the parameters of a method's clusters.
func (w *Workspace) ClusterParams(b method.Bins) ClusterParams {
	p := ClusterParams{K: b.Clusters, Spherical: b.Spherical, Seed: Seed(w.Profile.Seed, "clusters")}
	if b.Kind != profile.SVD {
		p.Kind = b.Kind
	}
	return p
}

// EstimateParams returns the parameters of a method's estimates.
func (w *Workspace) EstimateParams(e method.Estimates, b method.Bins) EstimateParams {
	return EstimateParams{
		sppmi.Params{Smoothing: e.Smoothing, Shift: e.Shift},
		Histograms{Normalisation: e.Normalisation, Beta: e.Beta}, w.ClusterParams(b),
	}
}

// GroundParams returns the parameters of a method's ground cost.
func (w *Workspace) GroundParams(c method.Cost, b method.Bins, reg float64) GroundParams {
	return w.WithGeometry(GroundParams{Params: c.Params(reg), Clusters: w.ClusterParams(b)}, c.Geometry)
}

// WithGeometry returns a ground cost's parameters with a geometry as
// profiles name it; what is shuffled is so by the workspace's seed.
func (w *Workspace) WithGeometry(g GroundParams, geometry string) GroundParams {
	g.Geometry, g.Seed = "", 0
	switch geometry {
	case method.Discrete:
		g.Geometry = geometry
	case method.Shuffled:
		g.Geometry, g.Seed = geometry, Seed(w.Profile.Seed, "shuffled centroids")
	}
	return g
}

// RowClusters returns the parameters of a row's clusters.
func (w *Workspace) RowClusters(row profile.Row) ClusterParams {
	return w.ClusterParams(row.Histograms().Bins())
}

// RowEstimates returns the parameters of a row's estimates.
func (w *Workspace) RowEstimates(row profile.Row) EstimateParams {
	h := row.Histograms()
	return w.EstimateParams(h.Estimates, h.Bins())
}

// RowGround returns the parameters of a row's ground cost.
func (w *Workspace) RowGround(row profile.Row) GroundParams {
	h := row.Histograms()
	return w.GroundParams(h.Cost, h.Bins(), h.Reg)
}

// TrainingKeys returns the keys of what training makes for a row: counts, vectors, and for transport clusters.
func (w *Workspace) TrainingKeys(row profile.Row) ([]store.Key, error) {
	needs := row.Method.Needs()
	var inputs []store.Input
	for _, kind := range needs.Vectors {
		inputs = append(inputs, w.VectorsNode(kind))
	}
	if row.Vectors() != profile.Sent2vec || needs.Histograms {
		inputs = append(inputs, w.CountsNode())
	}
	if needs.Histograms {
		inputs = append(inputs, w.ClustersNode(w.ClusterParams(needs.Bins)))
	}
	return store.Keys(inputs...)
}
