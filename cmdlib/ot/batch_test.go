package ot_test

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
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/ot/reference"
)

// shapes are problems of all shapes, some bins without mass.
func shapes(n int) []ot.Rectangle {
	rng := rand.New(rand.NewPCG(31, 7))
	all := make([]ot.Rectangle, n)
	for p := range all {
		r := &all[p]
		side := func() (mass []float64) {
			sum := 0.0
			for i := range 1 + rng.IntN(20) {
				x := rng.ExpFloat64()
				if i > 0 && rng.IntN(5) == 0 {
					x = 0
				}
				mass, sum = append(mass, x), sum+x
			}
			for i := range mass {
				mass[i] /= sum
			}
			return mass
		}
		r.Source, r.Target = side(), side()
		r.Between(func(int, int) float64 { return 2 * rng.Float64() })
	}
	return all
}

func batchOf(all []ot.Rectangle, settings ot.Settings) *ot.Batch {
	return &ot.Batch{Settings: settings, N: len(all), Load: func(i int, r *ot.Rectangle) error {
		r.Source, r.Target = append(r.Source[:0], all[i].Source...), append(r.Target[:0], all[i].Target...)
		r.Cost = append(r.Cost[:0], all[i].Cost...)
		return nil
	}}
}

func batched(t *testing.T, engine ot.Engine, b *ot.Batch) (all []ot.Result) {
	t.Helper()
	err := ot.Batches(t.Context(), engine, b, func(first int, results []ot.Result) error {
		if first != len(all) {
			t.Errorf("results begin at %d after %d", first, len(all))
		}
		all = append(all, results...)
		return nil
	})
	if err != nil || len(all) != b.N {
		t.Fatalf("%d results of %d, %v", len(all), b.N, err)
	}
	return all
}

// TestBatch: each problem of a batch is what it is by itself, balanced, unbalanced, with values and exact.
func TestBatch(t *testing.T) {
	all := shapes(40)
	for _, reg := range []float64{1, 0.1, 0.02, 0.001} {
		for _, penalty := range []float64{0, 0.7} {
			b := batchOf(all, ot.Settings{Reg: reg, MaxIter: 50})
			b.Penalty, b.Values = penalty, true
			want := batched(t, reference.New(), b)
			for i, got := range batched(t, cpu.New(), b) {
				const tol = 1e-5
				if math.Abs(got.Cost-want[i].Cost) > tol || math.Abs(got.Value-want[i].Value) > tol ||
					math.Abs(got.MarginalError-want[i].MarginalError) > tol || math.Abs(got.Moved-want[i].Moved) > tol {
					t.Errorf("λ=%v ρ=%v problem %d: %+v, expected %+v", reg, penalty, i, got, want[i])
				}
			}
		}
	}
	b := batchOf(all, ot.Settings{})
	for i, got := range batched(t, exact.New(), b) {
		want, err := exact.Solve(t.Context(), all[i].Source, all[i].Target, all[i].Cost)
		if err != nil || got.Cost != want.Cost || !got.Converged {
			t.Errorf("exact problem %d: %+v, expected %v (%v)", i, got, want.Cost, err)
		}
	}
}

// TestBatchPartial: partial transport is that of a problem over one cost.
func TestBatchPartial(t *testing.T) {
	all := shapes(20)
	for _, engine := range []ot.Engine{cpu.New(), exact.New()} {
		b := batchOf(all, ot.Settings{Reg: 0.1, MaxIter: 100})
		q, err := b.Partial(0.4)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range batched(t, engine, q) {
			p, err := all[i].Problem(b).Partial(0.4)
			if err != nil {
				t.Fatal(err)
			}
			want, err := ot.Distances(t.Context(), engine, p)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Cost-want[0].Cost) > 1e-6 {
				t.Errorf("%s problem %d: %v, expected %v", engine.Name(), i, got.Cost, want[0].Cost)
			}
		}
	}
	if _, err := batchOf(all, ot.Settings{}).Partial(math.NaN()); err == nil {
		t.Error("a price that is no number is taken")
	}
}

// TestBatchBits: results have the same bits for any number of processors, and wherever they stand in the batch.
func TestBatchBits(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	all := shapes(30)
	settings := ot.Settings{Reg: 0.05, MaxIter: 30}
	want := batched(t, cpu.New(), batchOf(all, settings))
	for _, n := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(n)
		if got := batched(t, cpu.New(), batchOf(all, settings)); !slices.Equal(got, want) {
			t.Errorf("other bits with %d processors", n)
		}
	}
	if got := batched(t, cpu.New(), batchOf(all[17:], settings)); !slices.Equal(got, want[17:]) {
		t.Error("other bits in another batch")
	}
}

// TestBatchErrors: faults name the problem and the bin, the errors of others come back as they are.
func TestBatchErrors(t *testing.T) {
	stop := errors.New("stop")
	for _, c := range []struct {
		want  string
		spoil func(r *ot.Rectangle) error
	}{
		{"problem 3: ot: source bin 0 is -1", func(r *ot.Rectangle) error { r.Source[0] = -1; return nil }},
		{"problem 3: ot: the source is all 0, want masses of sum 1: leave the problem out", func(r *ot.Rectangle) error { clear(r.Source); return nil }},
		{"problem 3: ot: the target sums to", func(r *ot.Rectangle) error { r.Target[0] += 1; return nil }},
		{"problem 3: ot: the cost from bin 0 to bin 0 is NaN", func(r *ot.Rectangle) error { r.Cost[0] = math.NaN(); return nil }},
		{"problem 3: ot: 0 costs for", func(r *ot.Rectangle) error { r.Cost = nil; return nil }},
		{"stop", func(*ot.Rectangle) error { return stop }},
	} {
		for _, engine := range []ot.Engine{cpu.New(), reference.New(), exact.New()} {
			b := batchOf(shapes(5), ot.Settings{Reg: 0.1, MaxIter: 5})
			load := b.Load
			b.Load = func(i int, r *ot.Rectangle) error {
				if err := load(i, r); err != nil || i != 3 {
					return err
				}
				return c.spoil(r)
			}
			err := ot.Batches(t.Context(), engine, b, func(int, []ot.Result) error { return nil })
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, expected one that says %q", engine.Name(), err, c.want)
			}
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	b := batchOf(shapes(5), ot.Settings{Reg: 0.1, MaxIter: 5})
	if err := ot.Batches(ended, cpu.New(), b, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: error %v", err)
	}
	b.Penalty = 1
	err := ot.Batches(t.Context(), exact.New(), b, nil)
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("unbalanced without regularisation: error %v", err)
	}
}

// Costs between vectors are those of a function that computes them one by one; words that both sides have cost nothing.
func TestBetweenVectors(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var x, y [][]float32
	for range 7 {
		v := make([]float32, 33)
		for k := range v {
			v[k] = float32(random.NormFloat64())
		}
		x, y = append(x, v), append(y, v[:33])
	}
	y = y[2:]
	r := ot.Rectangle{Source: make([]float64, len(x)), Target: make([]float64, len(y))}
	r.BetweenVectors(x, y)
	got := slices.Clone(r.Cost)
	r.Between(func(i, j int) float64 {
		sum := 0.0
		for k, a := range x[i] {
			d := float64(a) - float64(y[j][k])
			sum += float64(d * d)
		}
		return math.Sqrt(sum)
	})
	for at, c := range r.Cost {
		if math.Abs(got[at]-c) > 1e-6*c {
			t.Errorf("cost %d is %v, expected %v", at, got[at], c)
		}
	}
}

// A monitored engine solves as the engine does by itself, prepared for a cost or not, with the same bits, and each
// problem is counted once, in the account of the monitor that prepared it.
func TestMonitorHidesNothing(t *testing.T) {
	b := batchOf(shapes(20), ot.Settings{Reg: 0.1, MaxIter: 50, Tol: 1e-3})
	p := drawn(rand.New(rand.NewPCG(1, 9)), 5)
	p.Reg, p.MaxIter, p.Tol = 0.5, 50, 1e-3
	for _, engine := range []ot.Engine{cpu.New(), exact.New(), reference.New()} {
		m := &ot.Monitor{Engine: engine}
		prepared := m.Prepare(p.Cost).Prepare(p.Cost)
		if got, want := batched(t, prepared, b), batched(t, engine, b); !slices.Equal(got, want) {
			t.Errorf("%s: rectangles differ", engine.Name())
		}
		want, err := ot.Distances(t.Context(), engine, p)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []ot.Engine{m, prepared} {
			if got, err := ot.Distances(t.Context(), e, p); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: %+v, expected %+v (%v)", engine.Name(), got, want, err)
			}
		}
		if c, _ := m.Convergence(); c.Problems != b.N+2 {
			t.Errorf("%s: %d problems are counted, expected %d", engine.Name(), c.Problems, b.N+2)
		}
	}
}
