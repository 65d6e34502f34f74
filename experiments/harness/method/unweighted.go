package method

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// unweightedStart is Barycenter as the paper's released code computes it, which for unequal weights is none: its
// iterations start without the weights, see ot.BarycenterProblem. The call is line 165 of wasserstein.py in
// github.com/sidak/context-mover-distance-and-barycenters, commit 9c269816, which comments on "the paper's code"
// cite by file and line.
type unweightedStart struct{ Histograms }

// Needs implements Method.
func (m unweightedStart) Needs() Needs {
	h := m.combination()
	h.Accelerate = false // of no effect here
	return m.barycenterNeeds(unweightedStart{h})
}

func (m unweightedStart) counts(name string) bool {
	return m.Histograms.counts(name) || name != "accelerate" && inBarycenters(name)
}

// Combiner implements Combining.
func (m unweightedStart) Combiner(_ context.Context, s Source) (sentence.Combiner, error) {
	return m.barycenters(s, m.Needs().Combined, m.like()), nil
}

func (m unweightedStart) like() sentence.Barycenter {
	return sentence.Barycenter{UnweightedStart: true}
}

// Scorer implements Method.
func (m unweightedStart) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	return m.scorer(ctx, s, pairs, m)
}
