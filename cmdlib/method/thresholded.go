package method

import (
	"context"
	"math"
	"slices"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// Threshold lowers ground costs M to min(M, τ), where τ is the quantile q = Quantile of the costs between different
// bins [Pele and Werman 2009, Fast and robust earth mover's distances]. So all bins that are far are equally far. q =
// 1 changes nothing.
type Threshold struct {
	Quantile float64 `toml:"quantile" default:"0.5" range:"0..1" grid:"y" sign:"τ at" help:"costs are at most it"`
}

// ThresholdedAverage is Average with thresholded costs.
type ThresholdedAverage struct {
	Average
	Threshold
}

// ThresholdedBarycenter is Barycenter with thresholded costs, of barycenters and of distances.
type ThresholdedBarycenter struct {
	Barycenter
	Threshold
}

// Validate implements Method.
func (m ThresholdedAverage) Validate() error { return checkAltered(m, m.Average.Histograms) }

func (m ThresholdedAverage) counts(name string) bool {
	return m.Average.counts(name) && (name != "quantile" || m.costCounts())
}

// Validate implements Method.
func (m ThresholdedBarycenter) Validate() error { return checkAltered(m, m.Barycenter.Histograms) }

// Needs implements Method.
func (m ThresholdedBarycenter) Needs() Needs {
	n := m.Barycenter.Needs()
	n.Combined = ThresholdedBarycenter{Barycenter{m.combination()}, m.Threshold}
	return n
}

// Combiner implements Combining.
func (m ThresholdedBarycenter) Combiner(_ context.Context, s Source) (sentence.Combiner, error) {
	return m.barycenters(m.thresholded(s), m.Needs().Combined, m.like()), nil
}

// Scorer implements Method.
func (m ThresholdedAverage) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	return m.scorer(ctx, m.thresholded(s), pairs, m)
}

// Scorer implements Method.
func (m ThresholdedBarycenter) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	return m.scorer(ctx, m.thresholded(s), pairs, m)
}

// thresholded is a source whose costs are thresholded.
func (t Threshold) thresholded(s Source) Source {
	return altered{s, func(_ context.Context, _ Cost, _ Bins, _ float64, c ot.Cost) (ot.Cost, error) {
		return t.Lower(c), nil
	}}
}

// Lower returns min(M, τ).
func (t Threshold) Lower(cost ot.Cost) ot.Cost {
	var between []float32
	for i, c := range cost.Data {
		if i/cost.K != i%cost.K {
			between = append(between, c)
		}
	}
	if len(between) == 0 {
		return cost
	}
	slices.Sort(between)
	limit := between[max(0, int(math.Ceil(t.Quantile*float64(len(between))))-1)]
	low := ot.Cost{K: cost.K, Data: slices.Clone(cost.Data)}
	for i, c := range low.Data {
		low.Data[i] = min(c, limit)
	}
	return low
}
