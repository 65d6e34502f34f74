package cmdlib

import (
	"context"
	"math"
	"slices"

	"contextmover/cmdlib/ot"
	"contextmover/internal/nearest"
	"contextmover/internal/parallel"
)

// search finds the words nearest to a histogram, solving problems only for words that
// a lower bound does not rule out.
//
// Bounds hold for plans that meet both histograms. The plan T behind a reported distance
// meets that of the query, but misses the word's by its marginal error ε (the L1
// distance of its column sums from the histogram), which is small after enough
// iterations. Mending T, which takes ε/2 of the mass to other columns, costs at most
// ε/2·max C; so the optimal cost is at most that much above what is reported, and
//
//	distance ≥ B − ε/2·max C                                                   (2)
//
// also for the regularised distance, which is the cost of a plan and not below the
// optimal cost. A word is ruled out if its bound exceeds the n-th smallest distance by
// slack·max C, where slack is at least least and four times the largest ε of all problems
// solved. The result is that of solving all problems if no word that is ruled out
// would have ε/2 > slack.
type search struct {
	*Space
	query []float32
	n     int
	// within is a distance beyond which nothing is looked for, and nothing at all any more once n words are nearer
	// than it; 0 for none.
	within float64

	ids     []int32
	nearest []found
	solved  int
}

// leastSlack covers float32 rounding and the marginal errors of problems that converge.
const leastSlack = 1e-3

// found is a word by its id, with its bound or distance.
type found = nearest.Candidate[struct{ refined, solved bool }]

// run returns the nearest words, nearest first, equally near ones in the order of the
// vocabulary.
func (s *search) run(ctx context.Context) error {
	if _, err := s.estimates(); err != nil {
		return err
	}
	rows, columns := s.relaxed()
	largest, slack := 0.0, leastSlack
	for _, c := range s.Cost.Data {
		largest = max(largest, float64(c))
	}
	// Batches grow, so that few problems are solved before the distances of the first
	// tell how many are needed, and engines still get many at once.
	run := &nearest.Search[struct{ refined, solved bool }]{N: s.n, First: max(4*s.n, 128), Most: 4096}
	run.Limit = func(nth float64) float64 {
		if s.within > 0 && nth < s.within {
			return math.Inf(-1)
		}
		if s.within > 0 {
			nth = s.within
		}
		return nth + float64(slack*largest)
	}
	run.Refine = func(ctx context.Context, list []found, limit float64) error {
		if math.IsInf(limit, 1) {
			return nil
		}
		return parallel.Blocks(ctx, len(list), 32, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				if c := &list[i]; c.Value <= limit && !c.Extra.refined {
					c.Value = max(c.Value, columns.Bound(s.row(int32(c.Position)), s.query, math.Inf(1)))
					c.Extra.refined = true
				}
			}
			return nil
		})
	}
	run.Solve = func(ctx context.Context, list []found) ([]found, error) {
		k := s.Cost.K
		h := ot.Histograms{K: k, Data: slices.Clone(s.query)}
		pairs := make([]ot.Pair, len(list))
		for i, c := range list {
			h.Data = append(h.Data, s.row(int32(c.Position))...)
			pairs[i] = ot.Pair{Source: 0, Target: int32(i + 1)}
		}
		results, err := s.transport(ctx, h, pairs)
		for i, r := range results {
			list[i].Value, list[i].Extra.solved = r.Cost, true
			slack = max(slack, 4*r.MarginalError)
		}
		s.solved += len(results)
		return list, err
	}
	list := make([]found, len(s.ids))
	enough := run.Bound()
	err := parallel.Blocks(ctx, len(list), 256, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			list[i] = found{Position: int64(s.ids[i]), Value: rows.Bound(s.query, s.row(s.ids[i]), enough)}
		}
		return nil
	})
	if err != nil {
		return err
	}
	// More slack brings back words that were ruled out with less.
	for before := 0.0; before < slack; {
		before = slack
		if err := run.Run(ctx, list); err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(c found) bool { return c.Extra.solved })
	}
	s.nearest = run.Nearest
	return nil
}
