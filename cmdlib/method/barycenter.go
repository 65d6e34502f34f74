package method

import (
	"context"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// Barycenter is minus the distance of the texts' histograms, each the weighted Wasserstein barycenter of those of its words
// (CoMB): see ot.BarycenterProblem. λ blurs it.
type Barycenter struct{ Histograms }

// Scorer implements Method.
func (m Barycenter) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	kept := Barycenter{m.combination()}
	return m.scorer(ctx, s, s.Known(pairs), m.barycenters(s, kept, sentence.Barycenter{}))
}

// combination has of the settings only those that combined histograms depend on, so that methods with and without a mix
// share them.
func (h Histograms) combination() Histograms {
	h.Compared, h.Mixed, h.Removal = Compared{ByTransport}, Mixed{PointWeights: Uniform, PointA: 1}, Removal{}
	return h
}

// barycenters combines by barycenters like b, which are kept as those of a method.
func (h Histograms) barycenters(s Source, kept Method, b sentence.Barycenter) sentence.Combiner {
	return combiner(func(ctx context.Context, all []sentence.Sentence) (ot.Histograms, error) {
		return s.Combined(ctx, kept, all, func(ctx context.Context, progress func(done, total int64)) (ot.Histograms, error) {
			var err error
			b.Weighting, b.Engine, b.Progress = h.Weighting.Of(), s.Engine(), progress
			_, b.Settings = s.Solver(h.Transport)
			if b.Probability, err = s.Probability(ctx, h.Weighting.Marginal()); err != nil {
				return ot.Histograms{}, err
			}
			if b.Estimates, err = s.Estimates(ctx, h.Estimates, h.Bins()); err != nil {
				return ot.Histograms{}, err
			}
			g, err := s.Ground(ctx, h.Cost, h.Bins(), h.Reg)
			if err != nil {
				return ot.Histograms{}, err
			}
			b.Cost = g.Cost
			return b.Combine(ctx, all)
		})
	})
}
