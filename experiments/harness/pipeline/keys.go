package pipeline

import (
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// MethodParams is what scores or combined histograms by a method depend on, next to their inputs.
type MethodParams struct {
	method.Identity
	Engine string            `json:"engine,omitempty"` // where transport is solved
	Seeds  map[string]uint64 `json:"seeds,omitempty"`  // of the random streams that it draws from
}

// MethodParams returns those of a method with its settings.
func (w *Workspace) MethodParams(m method.Method) MethodParams {
	needs, p := m.Needs(), MethodParams{Identity: method.IdentityOf(m)}
	if needs.Engine {
		p.Engine = w.Engine.Name()
	}
	if len(needs.Streams) > 0 {
		p.Seeds = map[string]uint64{}
	}
	for _, stream := range needs.Streams {
		p.Seeds[stream] = w.Seed(stream)
	}
	return p
}

// Inputs are what scores, or combined histograms, by a method on a set are made from.
func (w *Workspace) Inputs(m method.Method, set profile.Set) []store.Input {
	needs, inputs := m.Needs(), w.setInputs(set)
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

// estimateInputs are what estimates over clusters of vectors are made from, in addition to the vectors: the
// clusters, and the counts, which the vectors' key tells unless they are trained on the text itself or read from a
// file.
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

// GroundParams returns the parameters of a method's ground cost. What is shuffled is so by the workspace's seed.
func (w *Workspace) GroundParams(c method.Cost, b method.Bins, reg float64) GroundParams {
	g := GroundParams{Params: c.Params(reg), Clusters: w.ClusterParams(b)}
	switch c.Geometry {
	case method.Shuffled:
		g.Seed = w.Seed(method.ShuffledStream)
		fallthrough
	case method.Discrete:
		g.Geometry = c.Geometry
	}
	return g
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
