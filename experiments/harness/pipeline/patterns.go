package pipeline

import (
	"context"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding/svd"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/hearst"
	"contextmover/experiments/harness/store"
)

// PatternsNode has how often words are examples and kinds in Hearst's patterns: a row for each example.
func (w *Workspace) PatternsNode() store.Node[*corpus.Counts] {
	return known(w, "patterns", store.Node[*corpus.Counts]{
		Name: "patterns", Version: 2, Inputs: []store.Input{w.textInputs(), w.vocabularyNode()},
		Parts:    func(m **corpus.Counts) []store.Part { return matrixParts(*m) },
		Complete: func(_ context.Context, m **corpus.Counts) error { return squared(*m).Validate() },
		Make: func(ctx context.Context) (*corpus.Counts, error) {
			text, err := w.text(ctx)
			if err != nil {
				return nil, err
			}
			v, err := w.Vocabulary(ctx)
			if err != nil {
				return nil, err
			}
			progress, finish := w.Step("Hearst's patterns")
			defer finish()
			return hearst.Count(ctx, text, v, progress)
		},
	})
}

// Patterns returns the counts of PatternsNode.
func (w *Workspace) Patterns(ctx context.Context) (*corpus.Counts, error) {
	return store.Get(ctx, w.Store, w.PatternsNode())
}

// PatternVectors are singular vectors of the associations of examples with kinds: A ≈ U·Σ·Vᵀ.
type PatternVectors struct {
	Dim int
	// Examples is U and Kinds is V·Σ = Aᵀ·U, a row of Dim numbers for each word: dots of the first d columns are those
	// of the rank d.
	Examples, Kinds []float32
}

// PatternVectorsNode has them.
func (w *Workspace) PatternVectorsNode(dim int) store.Node[*PatternVectors] {
	p := svd.Params{Dim: dim, Oversampling: 20, PowerIterations: 3, Seed: w.Profile.Seed}
	return store.Node[*PatternVectors]{
		Name: "pattern-vectors", Version: 1, Inputs: []store.Input{w.PatternsNode()}, Params: []any{p, w.Profile.Seed},
		Parts: func(v **PatternVectors) []store.Part {
			(*v).Dim = dim
			return []store.Part{
				store.Array("examples.npy", &(*v).Examples), store.Array("kinds.npy", &(*v).Kinds),
			}
		},
		Make: func(ctx context.Context) (*PatternVectors, error) {
			a, err := w.PatternAssociations(ctx)
			if err != nil {
				return nil, err
			}
			progress, finish := w.Step("singular vectors of patterns")
			defer finish()
			r, err := svd.Compute(ctx, a, p, progress)
			if err != nil {
				return nil, err
			}
			v := &PatternVectors{Dim: dim, Examples: r.Vectors, Kinds: make([]float32, len(r.Vectors))}
			sums := make([]float64, len(r.Vectors))
			for i := range a.Rows {
				columns, values := a.Row(i)
				for k, c := range columns {
					to := sums[int(c)*dim:][:dim]
					for j, x := range r.Vectors[i*dim:][:dim] {
						to[j] += float64(float64(values[k]) * float64(x))
					}
				}
			}
			for i, x := range sums {
				v.Kinds[i] = float32(x)
			}
			return v, nil
		},
	}
}

// PatternAssociations returns the positive pointwise mutual information of examples and kinds, without smoothing.
func (w *Workspace) PatternAssociations(ctx context.Context) (*sppmi.Matrix, error) {
	counts, err := w.Patterns(ctx)
	if err != nil {
		return nil, err
	}
	return sppmi.Compute(ctx, counts, sppmi.Params{Smoothing: 1, Shift: 1})
}

// PatternEstimatesNode has the histogram of every word over clusters of contexts, in memory. Its contexts are the words
// that patterns have as its kinds and, for both, those that they have as its examples.
func (w *Workspace) PatternEstimatesNode(p EstimateParams, both bool) store.Node[*estimate.Estimates] {
	return store.Node[*estimate.Estimates]{
		Name: "pattern-estimates", Version: 1, Params: []any{p, both},
		Inputs: []store.Input{w.PatternsNode(), w.ClustersNode(p.Clusters)},
		Make: func(ctx context.Context) (*estimate.Estimates, error) {
			counts, err := w.Patterns(ctx)
			if err != nil {
				return nil, err
			}
			if both {
				counts = symmetric(counts)
			}
			m, err := sppmi.Compute(ctx, counts, p.Params)
			if err != nil {
				return nil, err
			}
			clusters, err := w.Clusters(ctx, p.Clusters)
			if err != nil {
				return nil, err
			}
			return histograms(ctx, m, clusters, p)
		},
	}
}

// symmetric returns the sum of a square matrix and its transpose.
func symmetric(m *corpus.Counts) *corpus.Counts {
	counts := map[[2]int32]float64{}
	for i := range m.Rows {
		columns, values := m.Row(i)
		for k, c := range columns {
			counts[[2]int32{int32(i), c}] += values[k]
			counts[[2]int32{c, int32(i)}] += values[k]
		}
	}
	return hearst.Matrix(m.Rows, counts)
}
