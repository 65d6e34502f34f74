package knn

import (
	"context"

	"contextmover/cmdlib/ot"
)

// mostPairs are solved at once, which bounds memory.
const mostPairs = 1 << 18

// Histograms returns the neighbours of each query by transport between rows over one cost, with an engine and its
// settings, and the number of problems that were solved. The cost must be symmetric: each two documents are solved
// once. All are, as bounds rule out few of documents that are spread over all bins. A row of zeros is a document
// without words. p.Pairs is not read, and a query must not
// stand twice.
//
// An error is about indices, K or the problem, or ctx's.
func (s Search) Histograms(ctx context.Context, e ot.Engine, p *ot.Problem) (all [][]Neighbour, solved int64,
	err error) {
	if err := s.check(p.Rows.Len()); err != nil {
		return nil, 0, err
	}
	at, among := map[int]int{}, map[int]bool{}
	for q, i := range s.Queries {
		at[i] = q
	}
	for _, i := range s.Among {
		among[i] = true
	}
	all = make([][]Neighbour, len(s.Queries))
	add := func(query, index int, distance float64) {
		q, ok := at[query]
		if !ok || !among[index] {
			return
		}
		if all[q] = append(all[q], Neighbour{index, distance}); len(all[q]) >= 8*s.K {
			all[q] = first(all[q], s.K)
		}
	}
	part := *p
	part.Pairs = nil
	solve := func() error {
		solved += int64(len(part.Pairs))
		err := e.Distances(ctx, &part, func(from int, results []ot.Result) error {
			for i, r := range results {
				x, y := int(part.Pairs[from+i].Source), int(part.Pairs[from+i].Target)
				add(x, y, r.Cost)
				add(y, x, r.Cost)
			}
			return nil
		})
		part.Pairs = part.Pairs[:0]
		return err
	}
	for q, query := range s.Queries {
		if allZero(p.Rows.Row(query)) {
			continue
		}
		for _, i := range s.Among {
			// The other way round it was solved for a query before.
			if before, ok := at[i]; i == query || ok && before < q && among[query] || allZero(p.Rows.Row(i)) {
				continue
			}
			part.Pairs = append(part.Pairs, ot.Pair{Source: int32(query), Target: int32(i)})
		}
		if len(part.Pairs) >= mostPairs {
			if err := solve(); err != nil {
				return nil, 0, err
			}
		}
	}
	if err := solve(); err != nil {
		return nil, 0, err
	}
	for q, list := range all {
		all[q] = first(list, s.K)
	}
	return all, solved, nil
}
