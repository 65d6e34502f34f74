package method

import (
	"context"
	"math"
	"slices"

	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// Threshold lowers ground costs M to min(M, τ), where τ is the quantile q = Quantile of the costs between different
// bins [Pele and Werman 2009, Fast and robust earth mover's distances]. So all bins that are far are equally far. q =
// 1 changes nothing.
type Threshold struct {
	Quantile float64 `toml:"quantile" default:"0.5" range:"0..1" grid:"y" sign:"τ at" help:"costs are at most it"`
}

// thresholdedAverage is Average with thresholded costs.
type thresholdedAverage struct {
	Average
	Threshold
}

// thresholdedBarycenter is Barycenter with thresholded costs, of barycenters and of distances.
type thresholdedBarycenter struct {
	Barycenter
	Threshold
}

// Validate implements Method.
func (m thresholdedAverage) Validate() error { return checkThresholded(m, m.Average.Histograms) }

func (m thresholdedAverage) counts(name string) bool {
	return m.Average.counts(name) && (name != "quantile" || m.costCounts())
}

// Validate implements Method.
func (m thresholdedBarycenter) Validate() error { return checkThresholded(m, m.Barycenter.Histograms) }

// Needs implements Method.
func (m thresholdedBarycenter) Needs() Needs {
	n := m.Barycenter.Needs()
	n.Combined = thresholdedBarycenter{Barycenter{m.combination()}, m.Threshold}
	return n
}

// Combiner implements Combining.
func (m thresholdedBarycenter) Combiner(_ context.Context, s Source) (sentence.Combiner, error) {
	return m.combiner(thresholded{s, m.Threshold}, m.Needs().Combined, m.like()), nil
}

// checkThresholded refuses a mix, whose points are no bins.
func checkThresholded(m any, h Histograms) error {
	if err := check(m); err != nil {
		return err
	}
	if h.Mix > 0 {
		return wrong("mix", "above 0, but costs to points are not thresholded: expected 0")
	}
	return h.Validate()
}

// thresholded is a source whose ground costs are thresholded.
type thresholded struct {
	Source
	threshold Threshold
}

// Ground implements Source.
func (t thresholded) Ground(ctx context.Context, c Cost, b Bins, reg float64) (*ground.Ground, error) {
	g, err := t.Source.Ground(ctx, c, b, reg)
	if err != nil {
		return nil, err
	}
	other := *g
	other.Cost = t.threshold.Lower(g.Cost)
	return &other, nil
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
