package method

import (
	"context"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// Barycenter is minus the distance of the texts' histograms, each the weighted Wasserstein barycenter of those of its
// words (CoMB): see ot.BarycenterProblem. λ blurs it.
type Barycenter struct{ Histograms }

// Version is raised when the numbers change.
func (Barycenter) Version() int { return 2 }

// Needs implements Method.
func (m Barycenter) Needs() Needs {
	return m.barycenterNeeds(Barycenter{m.combination()})
}

func (m Barycenter) counts(name string) bool { return m.Histograms.counts(name) || inBarycenters(name) }

// Combiner implements Combining.
func (m Barycenter) Combiner(_ context.Context, s Source) (sentence.Combiner, error) {
	return m.barycenters(s, m.Needs().Combined, m.like()), nil
}

func (m Barycenter) like() sentence.Barycenter { return sentence.Barycenter{} }

// Scorer implements Method.
func (m Barycenter) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	return m.scorer(ctx, s, pairs, m)
}

// barycenterNeeds adds to what comparing needs what it takes to combine histograms as a method does.
func (h Histograms) barycenterNeeds(combined Method) Needs {
	n := h.Needs()
	n.Combined, n.Engine = combined, true
	if h.Geometry == Shuffled && !h.costCounts() {
		n.Streams = append(n.Streams, ShuffledStream)
	}
	return n
}

// inBarycenters tells whether barycenters depend on a setting, however they are compared.
func inBarycenters(name string) bool { return has[Cost](name) || has[Transport](name) }

// combination has of the settings only those that combined histograms depend on, so that methods with and without a mix
// share them.
func (h Histograms) combination() Histograms {
	h.Compared, h.Mixed, h.Removal = Compared{ByTransport}, Mixed{PointWeights: Uniform, PointA: 1}, Removal{}
	return h
}

// barycenters combines by barycenters like b, which are kept as those of a method.
func (h Histograms) barycenters(s Source, kept Method, b sentence.Barycenter) sentence.Combiner {
	return combiner(func(ctx context.Context, all []sentence.Sentence) (ot.Histograms, error) {
		combine := func(ctx context.Context, progress func(done, total int64)) (ot.Histograms, error) {
			b, err := h.barycenter(ctx, s, b)
			if err != nil {
				return ot.Histograms{}, err
			}
			b.Progress = progress
			return b.Combine(ctx, all)
		}
		return s.Combined(ctx, kept, all, combine)
	})
}

// Barycenters returns what combines the words of sentences by the barycenters of a method, for those who count or time
// its iterations: nothing is kept. A method without barycenters is a *SettingError.
func Barycenters(ctx context.Context, m Method, s Source) (sentence.Barycenter, error) {
	h, _ := GroupOf[Histograms](m)
	b, ok := m.(interface{ like() sentence.Barycenter })
	if !ok {
		return sentence.Barycenter{}, wrong("method", quote(KindOf(m).ID)+", expected one of barycenters")
	}
	return h.barycenter(ctx, s, b.like())
}

// barycenter fills in what a barycenter is computed from.
func (h Histograms) barycenter(ctx context.Context, s Source, b sentence.Barycenter) (sentence.Barycenter, error) {
	var err error
	b.Weighting, b.Engine = h.Weighting.Sentence(), s.Engine()
	_, b.Settings = s.Solver(h.Transport)
	if b.Probability, err = s.Probability(ctx, h.Weighting.Marginal()); err != nil {
		return b, err
	}
	if b.Estimates, err = s.Estimates(ctx, h.Estimates, h.Bins()); err != nil {
		return b, err
	}
	b.Cost, err = s.CostMatrix(ctx, h.Cost, h.Bins(), h.Reg)
	return b, err
}
