// Package nearest finds the nearest of many candidates by branch and bound. Lower bounds of all distances are known,
// so only few distances are computed.
package nearest

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Candidate is something by its position, which orders those that are equally far. Value is a lower bound of its
// distance, or once it is found the distance. Extra is what else who searches knows of it.
type Candidate[T any] struct {
	Position int64
	Value    float64
	Extra    T
}

func order[T any](a, b Candidate[T]) int {
	return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Position, b.Position))
}

// Search is what is looked for. Nearest are the N nearest so far, nearest first.
type Search[T any] struct {
	N       int
	Nearest []Candidate[T]
	// Limit returns what a bound must exceed to rule a candidate out, of the N-th distance so far, +Inf while there
	// are fewer: that distance and what rounding and solvers may miss.
	Limit func(nth float64) float64
	// Refine raises the bounds of candidates. What is beyond the limit need not be raised further.
	Refine func(ctx context.Context, list []Candidate[T], limit float64) error
	// Solve returns those of the candidates whose distance was computed, with it; others are ruled out.
	Solve func(ctx context.Context, list []Candidate[T]) ([]Candidate[T], error)
	// Merge, if it is not nil, tells whether two that are found and equally far are one, and makes the first that one.
	Merge func(first, next *Candidate[T]) bool
	// First is the number of candidates that are refined at once at first, and Most that which it doubles up to. The
	// result does not depend on them, but how much is refined and solved in vain.
	First, Most int
}

// firstSolved is the number of candidates that are solved at once at first, of those that are refined at once; then
// twice as many.
const firstSolved = 128

// Bound returns the limit that there is now.
func (s *Search[T]) Bound() float64 {
	nth := math.Inf(1)
	if len(s.Nearest) >= s.N {
		nth = s.Nearest[s.N-1].Value
	}
	return s.Limit(nth)
}

// Run looks through further candidates, and sorts the list. Candidates are taken by their bounds, the smallest first,
// until they are all ruled out. Errors are those of Refine and Solve, and ctx's.
func (s *Search[T]) Run(ctx context.Context, list []Candidate[T]) error {
	slices.SortFunc(list, order)
	for size := s.First; len(list) > 0; size = min(2*size, s.Most) {
		limit := s.Bound()
		if err := ctx.Err(); err != nil || list[0].Value > limit {
			return err
		}
		some := list[:min(size, len(list))]
		list = list[len(some):]
		if err := s.Refine(ctx, some, limit); err != nil {
			return err
		}
		slices.SortFunc(some, order)
		for batch := firstSolved; len(some) > 0; batch *= 2 {
			limit, n := s.Bound(), 0
			for n < min(batch, len(some)) && some[n].Value <= limit {
				n++
			}
			if n == 0 {
				break
			}
			solved, err := s.Solve(ctx, some[:n])
			if err != nil {
				return err
			}
			s.Nearest = append(s.Nearest, solved...)
			slices.SortFunc(s.Nearest, order)
			s.merge()
			s.Nearest = s.Nearest[:min(s.N, len(s.Nearest))]
			some = some[n:]
		}
	}
	return nil
}

// merge makes one of those that Merge says are one.
func (s *Search[T]) merge() {
	if s.Merge == nil {
		return
	}
	kept := s.Nearest[:0]
next:
	for _, c := range s.Nearest {
		for i := len(kept) - 1; i >= 0 && kept[i].Value == c.Value; i-- {
			if s.Merge(&kept[i], &c) {
				continue next
			}
		}
		kept = append(kept, c)
	}
	s.Nearest = kept
}
