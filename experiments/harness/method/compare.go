package method

import (
	"context"

	"contextmover/experiments/harness/divergence"
)

// How histograms are compared, if not by one of divergence.Divergences.
const (
	ByTransport = "transport"
	// With the places of the bins, and without a plan: divergence.MaximumMeanDiscrepancy of the method's unclipped
	// cost, and divergence.SlicedWasserstein of the centroids.
	MaximumMeanDiscrepancy = "maximum mean discrepancy"
	SlicedWasserstein      = "sliced wasserstein"
)

// Directions is how many directions SlicedWasserstein takes.
const Directions = 128

// Compared says how two histograms are compared.
type Compared struct {
	Compare string `toml:"compare" default:"transport" oneof:"comparisons" help:"how two histograms are compared"`
}

// Comparisons lists the ways to compare histograms.
func Comparisons() []string { return options["comparisons"] }

func comparisons() []string {
	all := []string{ByTransport}
	for _, d := range divergence.Divergences() {
		all = append(all, string(d))
	}
	return append(all, MaximumMeanDiscrepancy, SlicedWasserstein)
}

// between is how histograms are compared without transport.
func (h Histograms) between(ctx context.Context, s Source) (divergence.Between, error) {
	switch h.Compare {
	case MaximumMeanDiscrepancy:
		unclipped := h.Cost
		unclipped.Clip = 0
		g, err := s.Ground(ctx, unclipped, h.Bins(), h.Reg)
		if err != nil {
			return nil, err
		}
		return divergence.MaximumMeanDiscrepancy(g.Cost), nil
	case SlicedWasserstein:
		centroids, err := s.Centroids(ctx, h.Bins())
		if err != nil {
			return nil, err
		}
		dim := len(centroids) / h.Clusters
		return divergence.SlicedWasserstein(centroids, h.Clusters, dim, Directions, s.Seed(slicedStream)), nil
	}
	return divergence.Divergence(h.Compare).Between, nil
}
