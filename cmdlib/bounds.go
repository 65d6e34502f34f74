package cmdlib

import (
	"cmp"
	"context"
	"math"
	"slices"

	"contextmover/cmdlib/internal/relaxation"
	"contextmover/cmdlib/ot"
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
	// within is a distance beyond which nothing is looked for, and nothing at all any more once n words are nearer than
	// it; 0 for none.
	within float64

	rows, columns *relaxation.Relaxation
	largest       float64 // cost
	ids           []int32
	bounds        []float64 // of ids; exact (both sides) where refined
	refined       []bool
	order         []int32 // positions in ids by ascending first bound
	slack         float64
	nearest       []candidate
	solved        int
}

// leastSlack covers float32 rounding and the marginal errors of problems that converge.
const leastSlack = 1e-3

// candidate is a word and its distance.
type candidate struct {
	id       int32
	distance float64
}

// run returns the nearest words, nearest first, equally near ones in the order of the
// vocabulary.
func (s *search) run(ctx context.Context) error {
	var err error
	if s.rows, s.columns, err = s.relaxed.Of(ctx, s.Cost); err != nil {
		return err
	}
	for _, c := range s.Cost.Data {
		s.largest = max(s.largest, float64(c))
	}
	s.slack = leastSlack
	enough, _ := s.limit()
	n := len(s.ids)
	s.bounds, s.refined, s.order = make([]float64, n), make([]bool, n), make([]int32, n)
	err = parallel.Blocks(ctx, n, 256, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			s.bounds[i] = s.rows.Bound(s.query, s.Row(s.ids[i]), enough)
			s.order[i] = int32(i)
		}
		return nil
	})
	if err != nil {
		return err
	}
	first := slices.Clone(s.bounds)
	slices.SortFunc(s.order, func(a, b int32) int { return cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(a, b)) })
	// Batches grow, so that few problems are solved before the distances of the first
	// tell how many are needed, and engines still get many at once.
	for size := max(4*s.n, 128); ; size = min(2*size, 4096) {
		batch, err := s.next(ctx, size)
		if err != nil || len(batch) == 0 {
			return err
		}
		if err := s.solveAll(ctx, batch); err != nil {
			return err
		}
		if len(s.nearest) == s.n && s.nearest[s.n-1].distance < s.within {
			return nil
		}
	}
}

// limit is what a bound must exceed to rule a word out, and whether there is one yet.
func (s *search) limit() (float64, bool) {
	limit := math.Inf(1)
	if s.within > 0 {
		limit = s.within
	}
	if len(s.nearest) >= s.n {
		limit = min(limit, s.nearest[s.n-1].distance)
	}
	return limit + float64(s.slack*s.largest), !math.IsInf(limit, 1)
}

// next returns the positions of at most size words that are neither solved nor ruled out.
func (s *search) next(ctx context.Context, size int) ([]int32, error) {
	limit, limited := s.limit()
	var batch []int32
	rest := s.order[:0]
	for at, i := range s.order {
		if len(batch) == size || limited && !s.refined[i] && s.bounds[i] > limit {
			rest = append(rest, s.order[at:]...)
			break
		}
		if !s.refined[i] && limited {
			s.bounds[i] = max(s.bounds[i], s.columns.Bound(s.Row(s.ids[i]), s.query, math.Inf(1)))
			s.refined[i] = true
		}
		if limited && s.bounds[i] > limit {
			rest = append(rest, i)
			continue
		}
		batch = append(batch, i)
	}
	s.order = rest
	return batch, ctx.Err()
}

// solveAll solves the problems of a batch.
func (s *search) solveAll(ctx context.Context, batch []int32) error {
	k := s.Cost.K
	p := &ot.Problem{Settings: s.Settings.Transport, Cost: s.Cost, Rows: ot.Histograms{K: k, Data: slices.Clone(s.query)}}
	for i, at := range batch {
		p.Rows.Data = append(p.Rows.Data, s.Row(s.ids[at])...)
		p.Pairs = append(p.Pairs, ot.Pair{Source: 0, Target: int32(i + 1)})
	}
	err := s.engine.Distances(ctx, p, func(first int, results []ot.Result) error {
		for i, r := range results {
			s.nearest = append(s.nearest, candidate{s.ids[batch[first+i]], r.Cost})
			s.slack = max(s.slack, 4*r.MarginalError)
		}
		return nil
	})
	slices.SortFunc(s.nearest, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.id, b.id))
	})
	s.nearest = s.nearest[:min(s.n, len(s.nearest))]
	s.solved += len(batch)
	return err
}
