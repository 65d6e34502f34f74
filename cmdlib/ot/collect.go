package ot

import (
	"context"
	"slices"
)

// Distances solves all pairs of p and returns their results in the order of the pairs.
func Distances(ctx context.Context, engine Engine, p *Problem) ([]Result, error) {
	all := make([]Result, 0, len(p.Pairs))
	err := engine.Distances(ctx, p, func(_ int, results []Result) error {
		all = append(all, results...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// Barycenters solves all groups of p and returns their results in order.
func Barycenters(ctx context.Context, engine Engine, p *BarycenterProblem) ([]Barycenter, error) {
	all := make([]Barycenter, 0, max(0, len(p.Offsets)-1))
	err := engine.Barycenters(ctx, p, func(_ int, results []Barycenter) error {
		for _, r := range results {
			r.Histogram = slices.Clone(r.Histogram)
			all = append(all, r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}
