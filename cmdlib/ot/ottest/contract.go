package ottest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/ot"
)

// processors calls f with different numbers of processors.
func processors(f func(n int)) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, n := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(n)
		f(n)
	}
}

// batchDistances: a result depends on nothing but its own pair, bit for bit, accelerated or not.
func (s *suite) batchDistances(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	for _, k := range []int{7, 18} {
		for _, reg := range []float64{0.3, 0.02} {
			for i, mass := range []float64{-1, 0.4, -1, 0.4} {
				p := &ot.Problem{
					Settings: ot.Settings{Reg: reg, MaxIter: 35, Tol: 1e-3, Accelerate: i < 2},
					Cost:     cost(rng, k, true), Rows: rows(rng, 14, k), Pairs: allPairs(rng, 14),
				}
				p.Pairs = append(p.Pairs, p.Pairs[:30]...) // duplicates
				if mass >= 0 {
					p.Border = border(rng, p, mass)
					copy(p.Border.Between[14*14:], p.Border.Between)
				}
				want := s.distances(t, p)
				for i := range 30 {
					if want[i] != want[14*14+i] {
						t.Errorf("K=%d λ=%v: pair %d and its duplicate differ: %+v, %+v",
							k, reg, i, want[i], want[14*14+i])
					}
				}
				processors(func(n int) {
					if got := s.distances(t, p); !slices.Equal(got, want) {
						t.Errorf("K=%d λ=%v border=%v: other bits on %d processors", k, reg, mass, n)
					}
				})
				for i := 0; i < len(p.Pairs); i += 5 {
					one := *p
					one.Pairs = p.Pairs[i : i+1]
					if p.Border != nil {
						border := *p.Border
						border.Between = border.Between[i : i+1]
						one.Border = &border
					}
					if got := s.distances(t, &one)[0]; got != want[i] {
						t.Errorf("K=%d λ=%v border=%v: pair %d is %+v alone, %+v in the batch",
							k, reg, mass, i, got, want[i])
					}
				}
			}
		}
	}
}

func (s *suite) batchBarycenters(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	lengths := make([]int, 150)
	for i := range lengths {
		lengths[i] = 1 + rng.IntN(9)
	}
	equal := func(x, y ot.Barycenter) bool {
		return slices.Equal(x.Histogram, y.Histogram) && x.Iterations == y.Iterations && x.Spread == y.Spread &&
			x.Error == y.Error && x.Converged == y.Converged
	}
	const k = 18
	for _, reg := range []float64{0.3, 0.02} {
		for _, kind := range []string{"plain", "accelerated", "debiased"} {
			p := groups(rng, cost(rng, k, false), rows(rng, 14, k), lengths...)
			p.Settings = ot.Settings{Reg: reg, MaxIter: 25, Tol: 1e-2, Accelerate: kind == "accelerated"}
			p.Debiased = kind == "debiased"
			want := s.barycenters(t, p)
			processors(func(n int) {
				if got := s.barycenters(t, p); !slices.EqualFunc(got, want, equal) {
					t.Errorf("λ=%v %s: other bits on %d processors", reg, kind, n)
				}
			})
			for g := 0; g < len(lengths); g += 6 {
				one := *p
				lo, hi := p.Offsets[g], p.Offsets[g+1]
				one.Offsets, one.Members, one.Weights = []int{0, hi - lo}, p.Members[lo:hi], p.Weights[lo:hi]
				if got := s.barycenters(t, &one)[0]; !equal(got, want[g]) {
					t.Errorf("λ=%v %s: group %d is %+v alone, %+v in the batch", reg, kind, g, got, want[g])
				}
			}
		}
	}
}

// many is a problem with enough pairs for several calls of yield.
func many(rng *rand.Rand) *ot.Problem {
	const k = 4
	p := &ot.Problem{
		Settings: ot.Settings{Reg: 0.5, MaxIter: 5}, Cost: cost(rng, k, false), Rows: rows(rng, 40, k),
		Pairs: allPairs(rng, 40),
	}
	return p
}

func manyGroups(rng *rand.Rand) *ot.BarycenterProblem {
	p := many(rng)
	g := groups(rng, p.Cost, p.Rows, slices.Repeat([]int{1, 2, 3}, 300)...)
	g.Settings = p.Settings
	return g
}

// yield: consecutive results in order; an error of yield ends the run.
func (s *suite) yield(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 14))
	p, g := many(rng), manyGroups(rng)
	next := 0
	if err := s.engine.Distances(t.Context(), p, func(first int, results []ot.Result) error {
		if first != next || len(results) == 0 {
			t.Fatalf("%d results from %d on, want some from %d on", len(results), first, next)
		}
		next += len(results)
		return nil
	}); err != nil || next != len(p.Pairs) {
		t.Errorf("%d results, error %v", next, err)
	}
	next = 0
	if err := s.engine.Barycenters(t.Context(), g, func(first int, results []ot.Barycenter) error {
		if first != next || len(results) == 0 {
			t.Fatalf("%d results from %d on, want some from %d on", len(results), first, next)
		}
		next += len(results)
		return nil
	}); err != nil || next != len(g.Offsets)-1 {
		t.Errorf("%d results, error %v", next, err)
	}

	stop := errors.New("stop")
	calls := 0
	if err := s.engine.Distances(t.Context(), p, func(int, []ot.Result) error {
		calls++
		return stop
	}); err != stop || calls != 1 {
		t.Errorf("Distances: %d calls, error %v; want one call and its error", calls, err)
	}
	calls = 0
	if err := s.engine.Barycenters(t.Context(), g, func(int, []ot.Barycenter) error {
		calls++
		return stop
	}); err != stop || calls != 1 {
		t.Errorf("Barycenters: %d calls, error %v; want one call and its error", calls, err)
	}
	last := *p
	last.Pairs = p.Pairs[:1]
	if err := s.engine.Distances(t.Context(), &last, func(int, []ot.Result) error { return stop }); err != stop {
		t.Errorf("Distances: error %v of the call with the last results; want its own", err)
	}
}

// context: an ended context ends the run with its error.
func (s *suite) context(t testing.TB) {
	rng := rand.New(rand.NewPCG(15, 15))
	p, g := many(rng), manyGroups(rng)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ot.Distances(ended, s.engine, p); !errors.Is(err, context.Canceled) {
		t.Errorf("Distances: %v", err)
	}
	if _, err := ot.Barycenters(ended, s.engine, g); !errors.Is(err, context.Canceled) {
		t.Errorf("Barycenters: %v", err)
	}
	if _, err := s.engine.Plan(ended, p, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Plan: %v", err)
	}
	// The first call of yield ends the context. What a device has under way then may still be
	// yielded: one call more.
	for name, run := range map[string]func(ctx context.Context, yield func(first, n int)) error{
		"Distances": func(ctx context.Context, yield func(first, n int)) error {
			return s.engine.Distances(ctx, p, func(first int, r []ot.Result) error { yield(first, len(r)); return nil })
		},
		"Barycenters": func(ctx context.Context, yield func(first, n int)) error {
			return s.engine.Barycenters(ctx, g, func(first int, r []ot.Barycenter) error {
				yield(first, len(r))
				return nil
			})
		},
	} {
		all := map[string]int{"Distances": len(p.Pairs), "Barycenters": len(g.Offsets) - 1}[name]
		running, cancel := context.WithCancel(t.Context())
		calls, next := 0, 0
		err := run(running, func(first, n int) { calls++; next = first + n; cancel() })
		cancel()
		switch {
		case next < all && !errors.Is(err, context.Canceled):
			t.Errorf("%s, ended within: %v after %d results of %d, want the context's error", name, err, next, all)
		case calls > 2:
			t.Errorf("%s goes on for %d calls of yield after its context has ended", name, calls-1)
		case err != nil && !errors.Is(err, context.Canceled):
			t.Errorf("%s, ended within: %v", name, err)
		}
	}
}

// empty batches are solved without a call of yield.
func (s *suite) empty(t *testing.T) {
	p := many(rand.New(rand.NewPCG(16, 16)))
	p.Pairs = nil
	if err := s.engine.Distances(t.Context(), p, func(int, []ot.Result) error {
		t.Error("yield was called")
		return nil
	}); err != nil {
		t.Error(err)
	}
	g := &ot.BarycenterProblem{Settings: p.Settings, Cost: p.Cost, Rows: p.Rows, Offsets: []int{0}}
	if err := s.engine.Barycenters(t.Context(), g, func(int, []ot.Barycenter) error {
		t.Error("yield was called")
		return nil
	}); err != nil {
		t.Error(err)
	}
	if s.engine.Name() == "" {
		t.Error("the engine has no name")
	}
}

var nan, inf = float32(math.NaN()), float32(math.Inf(1))

// invalidProblems: errors name what is wrong and where.
func (s *suite) invalidProblems(t *testing.T) {
	for _, c := range []struct {
		want  string // must occur in the error
		spoil func(p *ot.Problem)
	}{
		{"regularisation", func(p *ot.Problem) { p.Reg = 0 }},
		{"regularisation", func(p *ot.Problem) { p.Reg = math.NaN() }},
		{"regularisation", func(p *ot.Problem) { p.Reg = 1e-12 }},
		{"iterations", func(p *ot.Problem) { p.MaxIter = 0 }},
		{"tolerance", func(p *ot.Problem) { p.Tol = -1 }},
		{"tolerance", func(p *ot.Problem) { p.Tol = math.NaN() }},
		{"penalty", func(p *ot.Problem) { p.Penalty = -1 }},
		{"penalty", func(p *ot.Problem) { p.Penalty = math.NaN() }},
		{"penalty", func(p *ot.Problem) { p.Penalty = math.Inf(1) }},
		{"bins", func(p *ot.Problem) { p.Cost.K = 0 }},
		{"entries", func(p *ot.Problem) { p.Cost.Data = p.Cost.Data[1:] }},
		{"bin 1 to bin 2", func(p *ot.Problem) { p.Cost.Data[6] = nan }},
		{"bin 1 to bin 2", func(p *ot.Problem) { p.Cost.Data[6] = -1 }},
		{"bin 1 to bin 2", func(p *ot.Problem) { p.Cost.Data[6] = inf }},
		{"multiple", func(p *ot.Problem) { p.Rows.Data = p.Rows.Data[:len(p.Rows.Data)-1] }},
		{"bins", func(p *ot.Problem) { p.Rows.K = 8 }},
		{"bin 3 of row 5", func(p *ot.Problem) { p.Rows.Row(5)[3] = nan }},
		{"bin 3 of row 5", func(p *ot.Problem) { p.Rows.Row(5)[3] = -0.1 }},
		{"bin 3 of row 5", func(p *ot.Problem) { p.Rows.Row(5)[3] = inf }},
		{"row 5", func(p *ot.Problem) { p.Rows.Row(5)[0] += 0.01 }},
		{"row 5", func(p *ot.Problem) { clear(p.Rows.Row(5)) }},
		{"pair 3", func(p *ot.Problem) { p.Pairs[3].Source = 40 }},
		{"pair 3", func(p *ot.Problem) { p.Pairs[3].Target = -1 }},
		{"mass", func(p *ot.Problem) { p.Border.Mass = 1 }},
		{"mass", func(p *ot.Problem) { p.Border.Mass = math.NaN() }},
		{"border", func(p *ot.Problem) { p.Border.FromPoint = p.Border.FromPoint[1:] }},
		{"border", func(p *ot.Problem) { p.Border.ToPoint = nil }},
		{"border", func(p *ot.Problem) { p.Border.Between = p.Border.Between[1:] }},
		{"row 5, bin 2", func(p *ot.Problem) { p.Border.FromPoint[5*4+2] = nan }},
		{"row 5, bin 2", func(p *ot.Problem) { p.Border.ToPoint[5*4+2] = -1 }},
		{"pair 7", func(p *ot.Problem) { p.Border.Between[7] = inf }},
		{"regularisation", func(p *ot.Problem) { p.Border.Between[7] = 1e12 }},
	} {
		rng := rand.New(rand.NewPCG(17, 17))
		p := many(rng)
		p.Border = border(rng, p, 0.2)
		c.spoil(p)
		err := s.engine.Distances(t.Context(), p, func(int, []ot.Result) error {
			t.Error("yield was called")
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one that says %q", err, c.want)
		}
		if _, err := s.engine.Plan(t.Context(), p, 0); err == nil {
			t.Errorf("Plan: no error, want one that says %q", c.want)
		}
	}
	p := many(rand.New(rand.NewPCG(18, 18)))
	for _, pair := range []int{-1, len(p.Pairs)} {
		if _, err := s.engine.Plan(t.Context(), p, pair); err == nil {
			t.Errorf("Plan of pair %d: no error", pair)
		}
	}
	// Rows that nothing uses may be empty.
	clear(p.Rows.Row(5))
	p.Pairs = slices.DeleteFunc(p.Pairs, func(q ot.Pair) bool { return q.Source == 5 || q.Target == 5 })
	s.distances(t, p)
}

func (s *suite) invalidBarycenters(t *testing.T) {
	for _, c := range []struct {
		want  string
		spoil func(p *ot.BarycenterProblem)
	}{
		{"regularisation", func(p *ot.BarycenterProblem) { p.Reg = -1 }},
		{"iterations", func(p *ot.BarycenterProblem) { p.MaxIter = -1 }},
		{"bin 1 to bin 2", func(p *ot.BarycenterProblem) { p.Cost.Data[6] = nan }},
		{"offsets", func(p *ot.BarycenterProblem) { p.Offsets = nil }},
		{"offsets", func(p *ot.BarycenterProblem) { p.Offsets[0] = 1 }},
		{"offsets", func(p *ot.BarycenterProblem) { p.Offsets = p.Offsets[:5] }},
		{"group 3", func(p *ot.BarycenterProblem) { p.Offsets[4] = p.Offsets[3] }},
		{"group 3", func(p *ot.BarycenterProblem) { p.Offsets[4] = len(p.Members) + 1 }},
		{"weights", func(p *ot.BarycenterProblem) { p.Weights = p.Weights[1:] }},
		{"member 1 of group 4", func(p *ot.BarycenterProblem) { p.Members[p.Offsets[4]+1] = 99 }},
		{"member 1 of group 4", func(p *ot.BarycenterProblem) { p.Members[p.Offsets[4]+1] = -1 }},
		{"member 1 of group 4", func(p *ot.BarycenterProblem) { p.Weights[p.Offsets[4]+1] = 0 }},
		{"member 1 of group 4", func(p *ot.BarycenterProblem) { p.Weights[p.Offsets[4]+1] = nan }},
		{"weights of group 4", func(p *ot.BarycenterProblem) { p.Weights[p.Offsets[4]+1] += 0.1 }},
		{"row", func(p *ot.BarycenterProblem) { clear(p.Rows.Row(int(p.Members[0]))) }},
		{"symmetric", func(p *ot.BarycenterProblem) { p.Debiased = true; p.Cost.Data[1] += 1 }},
		{"one of the two", func(p *ot.BarycenterProblem) { p.Debiased, p.UnweightedStart = true, true }},
	} {
		p := manyGroups(rand.New(rand.NewPCG(19, 19)))
		c.spoil(p)
		err := s.engine.Barycenters(t.Context(), p, func(int, []ot.Barycenter) error {
			t.Error("yield was called")
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one that says %q", err, c.want)
		}
	}
}
