package knn

import (
	"context"
	"fmt"
	"math"

	"contextmover/cmdlib/internal/nearest"
	"contextmover/cmdlib/internal/relaxation"
	"contextmover/cmdlib/ot"
	"contextmover/internal/parallel"
)

// leastSlack covers rounding and the marginal errors of problems that converge, in units of the largest cost.
const leastSlack = 1e-3

// Histograms returns the neighbours of each query by transport between rows over one cost, with an engine and its
// settings, and the number of problems that had to be solved. Documents are taken by the relaxation of Atasu and
// Mittelholzer [2019], which no plan's cost is below, until those left are all ruled out. A plan that misses its
// marginals by ε costs at most ε/2 of the largest cost less. Four times the largest ε seen is allowed for this. A row
// of zeros is a document without words.
//
// An error is about indices, K or the problem, or ctx's.
func (s Search) Histograms(ctx context.Context, e ot.Engine, p *ot.Problem) (all [][]Neighbour, solved int64,
	err error) {
	if err := s.check(p.Rows.Len()); err != nil {
		return nil, 0, err
	}
	var both relaxation.Both
	rows, columns, err := both.Of(ctx, p.Cost)
	if err != nil {
		return nil, 0, err
	}
	largest := 0.0
	for _, c := range p.Cost.Data {
		largest = max(largest, float64(c))
	}
	all = make([][]Neighbour, len(s.Queries))
	for q, query := range s.Queries {
		from := p.Rows.Row(query)
		if allZero(from) {
			continue
		}
		var list []candidate
		for _, i := range s.Among {
			if i != query && !allZero(p.Rows.Row(i)) {
				list = append(list, candidate{Position: int64(i)})
			}
		}
		err := parallel.Blocks(ctx, len(list), 64, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				list[i].Value = rows.Bound(from, p.Rows.Row(int(list[i].Position)), math.Inf(1))
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
		missed := leastSlack
		run := nearest.Search[struct{}]{
			N: s.K, First: max(2*s.K, 128), Most: 4096,
			Limit: func(nth float64) float64 { return nth + float64(missed*largest) },
			Refine: func(ctx context.Context, some []candidate, limit float64) error {
				return parallel.Blocks(ctx, len(some), 64, func(lo, hi int) error {
					for i := lo; i < hi; i++ {
						c := &some[i]
						c.Value = max(c.Value, columns.Bound(p.Rows.Row(int(c.Position)), from, math.Inf(1)))
					}
					return nil
				})
			},
			Solve: func(ctx context.Context, some []candidate) ([]candidate, error) {
				part := *p
				part.Pairs = make([]ot.Pair, len(some))
				for i, c := range some {
					part.Pairs[i] = ot.Pair{Source: int32(query), Target: int32(c.Position)}
				}
				results, err := ot.Distances(ctx, e, &part)
				if err != nil {
					return nil, fmt.Errorf("knn: document %d: %w", query, err)
				}
				for i, r := range results {
					some[i].Value = r.Cost
					missed = max(missed, 4*r.MarginalError)
				}
				solved += int64(len(results))
				return some, nil
			},
		}
		if err := run.Run(ctx, list); err != nil {
			return nil, 0, err
		}
		for _, c := range run.Nearest {
			all[q] = append(all[q], Neighbour{int(c.Position), c.Value})
		}
	}
	return all, solved, nil
}
