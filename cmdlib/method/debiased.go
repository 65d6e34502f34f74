package method

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// Debiased is Barycenter without the blur of λ [Janati, Cuturi, Gramfort 2020, Debiased Sinkhorn barycenters].
type Debiased struct{ Histograms }

// Scorer implements Method.
func (m Debiased) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	kept := Debiased{m.combination()}
	return m.scorer(ctx, s, s.Known(pairs), m.barycenters(s, kept, sentence.Barycenter{Debiased: true}))
}
