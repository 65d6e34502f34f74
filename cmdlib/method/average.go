package method

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// Average is minus the distance of the texts' histograms, each the weighted mean of those of its words,
//
//	H(s) = Σ_{w ∈ s} η_w H(w),  Σ η_w = 1
//
// the Euclidean average of the paper.
type Average struct{ Histograms }

// Scorer implements Method.
func (m Average) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	known := s.Known(pairs)
	average := sentence.HistogramAverage{Weighting: m.Weighting.Of()}
	var err error
	if average.Probability, err = s.Probability(ctx, m.Weighting.Marginal()); err != nil {
		return nil, err
	}
	if average.Estimates, err = s.Estimates(ctx, m.Estimates, m.Bins()); err != nil {
		return nil, err
	}
	return m.scorer(ctx, s, known, average)
}
