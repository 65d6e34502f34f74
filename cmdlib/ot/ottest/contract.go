package ottest

import (
	"context"
	"errors"
	"math"
	"reflect"
	"runtime"
	"slices"

	"contextmover/cmdlib/ot"
)

// independent checks that results depend on nothing but their own problem, bit for bit: neither on the number of
// processors that solve all n, nor on others. solve solves problems lo … hi−1.
func independent[R any](s *suite, n, step int, solve func(lo, hi int) []R) {
	s.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	want := solve(0, n)
	for _, processors := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(processors)
		s.check(reflect.DeepEqual(solve(0, n), want), "other bits on %d processors", processors)
	}
	for i := 0; i < n; i += step {
		one := solve(i, i+1)
		s.check(reflect.DeepEqual(one, want[i:i+1]), "problem %d is %+v alone, %+v in the batch", i, one, want[i])
	}
}

// batchDistances are independent, accelerated or not.
func (s *suite) batchDistances() {
	const n = 14 * 14
	number := 0
	for p := range s.problems(14, []int{7, 18}, []float64{0.3, 0.02}, []int{35}, -1, 0.4) {
		p.Tol, p.Accelerate = 1e-3, number&4 > 0 // with asymmetric costs
		number++
		p.Pairs = append(p.Pairs, p.Pairs[:30]...) // duplicates
		if p.Border != nil {
			p.Border.Between = append(p.Border.Between, p.Border.Between[:30]...)
		}
		all := s.distances(p)
		s.check(slices.Equal(all[:30], all[n:]), "duplicates differ")
		independent(s, len(all), 5, func(lo, hi int) []ot.Result {
			part := *p
			part.Pairs = p.Pairs[lo:hi]
			if p.Border != nil {
				border := *p.Border
				border.Between, part.Border = border.Between[lo:hi], &border
			}
			return s.distances(&part)
		})
	}
}

// batchBarycenters are independent as well.
func (s *suite) batchBarycenters() {
	sizes := make([]int, 150)
	for i := range sizes {
		sizes[i] = 1 + s.rng.IntN(9)
	}
	for _, reg := range []float64{0.3, 0.02} {
		g := s.groups(s.draw(14, 18, reg, 25, false), sizes...)
		g.Tol = 1e-2
		for kind := range 3 {
			g.Accelerate, g.Debiased = kind == 1, kind == 2
			independent(s, len(sizes), 6, func(lo, hi int) []ot.Barycenter {
				part, first, end := *g, g.Offsets[lo], g.Offsets[hi]
				part.Offsets, part.Members, part.Weights = nil, g.Members[first:end], g.Weights[first:end]
				for _, at := range g.Offsets[lo : hi+1] {
					part.Offsets = append(part.Offsets, at-first)
				}
				return s.barycenters(&part)
			})
		}
	}
}

// run solves something and is told of n results from first on.
type run func(ctx context.Context, yield func(first, n int) error) error

func (s *suite) distancesOf(p *ot.Problem) run {
	return func(ctx context.Context, yield func(first, n int) error) error {
		return s.engine.Distances(ctx, p, func(first int, r []ot.Result) error { return yield(first, len(r)) })
	}
}

func (s *suite) barycentersOf(g *ot.BarycenterProblem) run {
	return func(ctx context.Context, yield func(first, n int) error) error {
		return s.engine.Barycenters(ctx, g, func(first int, r []ot.Barycenter) error { return yield(first, len(r)) })
	}
}

func (s *suite) planOf(p *ot.Problem, pair int) run {
	return func(ctx context.Context, _ func(first, n int) error) error {
		_, err := s.engine.Plan(ctx, p, pair)
		return err
	}
}

func (s *suite) divergencesOf(p *ot.Problem) run {
	return func(ctx context.Context, _ func(first, n int) error) error {
		_, err := ot.Divergences(ctx, s.engine, p)
		return err
	}
}

// refusal returns the error of a run that must not come to a call of yield.
func (s *suite) refusal(ctx context.Context, r run) error {
	s.Helper()
	return r(ctx, func(int, int) error {
		s.check(false, "yield was called")
		return nil
	})
}

// many are n pairs and n groups, of which 900 are enough for several calls of yield.
func (s *suite) many(n int) (*ot.Problem, *ot.BarycenterProblem) {
	p := s.draw(40, 4, 0.5, 5, false)
	p.Pairs = p.Pairs[:n]
	return p, s.groups(p, slices.Repeat([]int{1, 2, 3}, 300)[:n]...)
}

// yield: consecutive results in order; an error of yield ends the run, be it of the last results.
func (s *suite) yield() {
	stop := errors.New("stop")
	for _, all := range []int{900, 1} {
		p, g := s.many(all)
		for _, run := range []run{s.distancesOf(p), s.barycentersOf(g)} {
			next := 0
			err := run(s.Context(), func(first, n int) error {
				s.check(first == next && n > 0, "%d results from %d on, want some from %d on", n, first, next)
				next += n
				return nil
			})
			s.ok(err, next, all)
			calls := 0
			err = run(s.Context(), func(int, int) error {
				calls++
				return stop
			})
			s.check(err == stop && calls == 1, "%d calls, error %v; want one call and its error", calls, err)
		}
	}
}

// context: an ended context ends the run with its error.
func (s *suite) context() {
	const all = 900
	p, g := s.many(all)
	ended, cancel := context.WithCancel(s.Context())
	cancel()
	for _, run := range []run{s.distancesOf(p), s.barycentersOf(g), s.planOf(p, 0)} {
		err := s.refusal(ended, run)
		s.check(errors.Is(err, context.Canceled), "error %v, want the context's", err)
	}
	// The first call of yield ends the context. What a device has under way then may still be
	// yielded: one call more.
	for _, run := range []run{s.distancesOf(p), s.barycentersOf(g)} {
		running, cancel := context.WithCancel(s.Context())
		calls, next := 0, 0
		err := run(running, func(first, n int) error {
			calls++
			next = first + n
			cancel()
			return nil
		})
		cancel()
		s.check(errors.Is(err, context.Canceled) || err == nil && next == all,
			"ended within: %v after %d results of %d, want the context's error", err, next, all)
		s.check(calls <= 2, "%d calls of yield after the context has ended", calls-1)
	}
}

// empty batches are solved without a call of yield.
func (s *suite) empty() {
	p, g := s.many(0)
	for _, run := range []run{s.distancesOf(p), s.barycentersOf(g)} {
		s.ok(s.refusal(s.Context(), run), 0, 0)
	}
	s.check(s.engine.Name() != "", "the engine has no name")
}

// fault is what a problem may have, and what the error must say then.
type fault struct {
	want string
	in   func(try func())
}

// with puts each of the values in the place of x for a try.
func with[T any](x *T, values ...T) func(try func()) {
	return func(try func()) {
		before := *x
		for _, *x = range values {
			try()
		}
		*x = before
	}
}

var nan, inf = float32(math.NaN()), float32(math.Inf(1))

// invalidProblems: errors name what is wrong and where.
func (s *suite) invalidProblems() {
	p, _ := s.many(900)
	p.Border = s.border(p, 0.2)
	b, row := p.Border, p.Rows.Row(5)
	cleared := slices.Clone(p.Rows.Data)
	clear(cleared[5*4:][:4])
	faults := []fault{
		{"regularisation", with(&p.Reg, 0, math.NaN(), 1e-12)},
		{"iterations", with(&p.MaxIter, 0)},
		{"tolerance", with(&p.Tol, -1, math.NaN())},
		{"penalty", with(&p.Penalty, -1, math.NaN(), math.Inf(1))},
		{"bins", with(&p.Cost.K, 0)},
		{"entries", with(&p.Cost.Data, p.Cost.Data[1:])},
		{"bin 1 to bin 2", with(&p.Cost.Data[6], nan, -1, inf)},
		{"multiple", with(&p.Rows.Data, p.Rows.Data[1:])},
		{"bins", with(&p.Rows.K, 8)},
		{"bin 3 of row 5", with(&row[3], nan, -0.1, inf)},
		{"row 5", with(&row[0], row[0]+0.01)},
		{"row 5", with(&p.Rows.Data, cleared)},
		{"pair 3", with(&p.Pairs[3].Source, 40)},
		{"pair 3", with(&p.Pairs[3].Target, -1)},
		{"mass", with(&b.Mass, 1, math.NaN())},
		{"border", with(&b.FromPoint, b.FromPoint[1:])},
		{"border", with(&b.ToPoint, nil)},
		{"border", with(&b.Between, b.Between[1:])},
		{"row 5, bin 2", with(&b.FromPoint[5*4+2], nan)},
		{"row 5, bin 2", with(&b.ToPoint[5*4+2], -1)},
		{"pair 7", with(&b.Between[7], inf)},
		{"regularisation", with(&b.Between[7], 1e12)},
	}
	s.refuses(s.distancesOf(p), faults)
	s.refuses(s.planOf(p, 0), faults)
	for _, pair := range []int{-1, len(p.Pairs)} {
		s.check(s.refusal(s.Context(), s.planOf(p, pair)) != nil, "plan of pair %d: no error", pair)
	}
	// Rows that nothing uses may be empty.
	p.Border, p.Rows.Data = nil, cleared
	p.Pairs = slices.DeleteFunc(p.Pairs, func(q ot.Pair) bool { return q.Source == 5 || q.Target == 5 })
	s.distances(p)
}

func (s *suite) invalidBarycenters() {
	_, g := s.many(900)
	shifted, empty, beyond := slices.Clone(g.Offsets), slices.Clone(g.Offsets), slices.Clone(g.Offsets)
	shifted[0], empty[4], beyond[4] = 1, empty[3], len(g.Members)+1
	member, weight := &g.Members[g.Offsets[4]+1], &g.Weights[g.Offsets[4]+1]
	s.refuses(s.barycentersOf(g), []fault{
		{"regularisation", with(&g.Reg, -1)},
		{"iterations", with(&g.MaxIter, -1)},
		{"bin 1 to bin 2", with(&g.Cost.Data[6], nan)},
		{"offsets", with(&g.Offsets, nil, shifted, g.Offsets[:5])},
		{"group 3", with(&g.Offsets, empty, beyond)},
		{"weights", with(&g.Weights, g.Weights[1:])},
		{"member 1 of group 4", with(member, 99, -1)},
		{"member 1 of group 4", with(weight, 0, nan)},
		{"weights of group 4", with(weight, *weight+0.1)},
		{"row", with(&g.Rows.Data, make([]float32, len(g.Rows.Data)))},
		{"one of the two", func(try func()) {
			g.Debiased = true
			with(&g.UnweightedStart, true)(try)
		}},
		{"symmetric", with(&g.Cost.Data[1], g.Cost.Data[1]+1)}, // it is debiased by now
	})
}
