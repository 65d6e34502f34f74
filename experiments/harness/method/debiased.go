package method

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// Debiased is Barycenter without the blur of λ [Janati, Cuturi, Gramfort 2020, Debiased Sinkhorn barycenters].
type Debiased struct{ Histograms }

// Needs implements Method.
func (m Debiased) Needs() Needs {
	h := m.combination()
	h.Accelerate = false // of no effect here
	return m.barycenterNeeds(Debiased{h})
}

func (m Debiased) counts(name string) bool {
	return m.Histograms.counts(name) || name != "accelerate" && inBarycenters(name)
}

// Combiner implements Combining.
func (m Debiased) Combiner(_ context.Context, s Source) (sentence.Combiner, error) {
	return m.barycenters(s, m.Needs().Combined, m.like()), nil
}

func (m Debiased) like() sentence.Barycenter { return sentence.Barycenter{Debiased: true} }

// Scorer implements Method.
func (m Debiased) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	return m.scorer(ctx, s, pairs, m)
}
