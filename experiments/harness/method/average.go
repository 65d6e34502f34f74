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

// Combiner implements Combining.
func (m Average) Combiner(ctx context.Context, s Source) (sentence.Combiner, error) {
	average := sentence.HistogramAverage{Weighting: m.Weighting.Sentence()}
	var err error
	if average.Probability, err = s.Probability(ctx, m.Weighting.Marginal()); err != nil {
		return nil, err
	}
	average.Estimates, err = s.Estimates(ctx, m.Estimates, m.Bins())
	return average, err
}
