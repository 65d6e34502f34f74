package method

import (
	"context"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// barycenters compare the texts' histograms, each the weighted Wasserstein barycenter of those of its words (CoMB), of
// the kind V: see ot.BarycenterProblem.
type barycenters[V variant] struct{ Histograms }

// A variant is a kind of barycenter.
type variant interface{ like() sentence.Barycenter }

type (
	blurred    struct{}
	debiased   struct{}
	unweighted struct{}
)

func (blurred) like() sentence.Barycenter    { return sentence.Barycenter{} }
func (debiased) like() sentence.Barycenter   { return sentence.Barycenter{Debiased: true} }
func (unweighted) like() sentence.Barycenter { return sentence.Barycenter{UnweightedStart: true} }

type (
	// Barycenter is minus the distance of barycenters. λ blurs them.
	Barycenter = barycenters[blurred]
	// Debiased is Barycenter without the blur of λ [Janati, Cuturi, Gramfort 2020, Debiased Sinkhorn barycenters].
	Debiased = barycenters[debiased]
	// unweightedStart is Barycenter as the paper's released code computes it, which for unequal weights is none: its
	// iterations start without the weights. The call is line 165 of wasserstein.py in
	// github.com/sidak/context-mover-distance-and-barycenters, commit 9c269816, which comments on "the paper's code"
	// cite by file and line.
	unweightedStart = barycenters[unweighted]
)

func (barycenters[V]) like() sentence.Barycenter {
	var v V
	return v.like()
}

// blurred tells whether the barycenters are Barycenter's, which alone can be accelerated.
func (m barycenters[V]) blurred() bool {
	_, ok := any(m).(Barycenter)
	return ok
}

// Version is raised when the numbers change.
func (m barycenters[V]) Version() int {
	if m.blurred() {
		return 2
	}
	return 0
}

// Needs implements Method.
func (m barycenters[V]) Needs() Needs {
	h := m.combination()
	h.Accelerate = h.Accelerate && m.blurred()
	n := m.Histograms.Needs()
	n.Combined, n.Engine = barycenters[V]{h}, true
	if m.Geometry == Shuffled && !m.costCounts() {
		n.Streams = append(n.Streams, ShuffledStream)
	}
	return n
}

func (m barycenters[V]) counts(name string) bool {
	return m.Histograms.counts(name) || inBarycenters(name) && (name != "accelerate" || m.blurred())
}

// Combiner implements Combining.
func (m barycenters[V]) Combiner(_ context.Context, s Source) (sentence.Combiner, error) {
	return m.combiner(s, m.Needs().Combined, m.like()), nil
}

// inBarycenters tells whether barycenters depend on a setting, however they are compared.
func inBarycenters(name string) bool { return has[Cost](name) || has[Transport](name) }

// combination has of the settings only those that combined histograms depend on, so that methods with and without a mix
// share them.
func (h Histograms) combination() Histograms {
	h.Compared, h.Mixed, h.Removal = Compared{ByTransport}, Mixed{PointWeights: Uniform, PointA: 1}, Removal{}
	return h
}

// combiner combines by barycenters like b, which are kept as those of a method.
func (h Histograms) combiner(s Source, kept Method, b sentence.Barycenter) sentence.Combiner {
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
	g, err := s.Ground(ctx, h.Cost, h.Bins(), h.Reg)
	if err == nil {
		b.Cost = g.Cost
	}
	return b, err
}
