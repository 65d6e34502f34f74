package knn

import (
	"context"

	"contextmover/cmdlib/ot"
)

// Histograms returns the neighbours of each query by transport between rows over one cost, with an engine and its
// settings, and the number of problems that were solved. The cost must be symmetric: each two documents are solved
// once. All are, as bounds rule out few of documents that are spread over all bins. A row of zeros is a document
// without words. p.Pairs is not read, and a query must not stand twice.
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

	pairs := *p
	pairs.Pairs = nil
	for q, query := range s.Queries {
		for _, i := range s.Among {
			// The other way round it stands below a query before.
			before, ok := at[i]
			again := ok && before < q && among[query]
			if i != query && !again && !allZero(p.Rows.Row(query)) && !allZero(p.Rows.Row(i)) {
				pairs.Pairs = append(pairs.Pairs, ot.Pair{Source: int32(query), Target: int32(i)})
			}
		}
	}
	results, err := ot.Distances(ctx, e, &pairs)
	if err != nil {
		return nil, 0, err
	}

	all = make([][]Neighbour, len(s.Queries))
	for n, r := range results {
		x, y := int(pairs.Pairs[n].Source), int(pairs.Pairs[n].Target)
		all[at[x]] = append(all[at[x]], Neighbour{y, r.Cost})
		if q, ok := at[y]; ok && among[x] {
			all[q] = append(all[q], Neighbour{x, r.Cost})
		}
	}
	for q, list := range all {
		all[q] = first(list, s.K)
	}
	return all, int64(len(results)), nil
}
