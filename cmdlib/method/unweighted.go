package method

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// UnweightedStart is Barycenter as the paper's released code computes it, which for unequal weights is none: its iterations
// start without the weights, see ot.BarycenterProblem.
type UnweightedStart struct{ Histograms }

// Scorer implements Method.
func (m UnweightedStart) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	kept := UnweightedStart{m.combination()}
	return m.scorer(ctx, s, s.Known(pairs), m.barycenters(s, kept, sentence.Barycenter{UnweightedStart: true}))
}
