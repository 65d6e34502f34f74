package cpu

import (
	"fmt"
	"reflect"
	"testing"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/internal/limit"
	"contextmover/cmdlib/ot/internal/scaling"
	"contextmover/cmdlib/ot/ottest"
	"contextmover/internal/golden"
)

// TestConformance runs the suite on every implementation of the inner loops.
func TestConformance(t *testing.T) {
	for _, isa := range gemm.Supported() {
		t.Run(string(isa), func(t *testing.T) { ottest.Run(t, Engine{isa: isa}) })
	}
}

// TestInstructionSets: all vector instructions give the same bits, those of the golden file, on both paths.
func TestInstructionSets(t *testing.T) {
	cost, rows := world(10, 45)
	var bits golden.Bits
	for _, reg := range []float64{0.1, 0.005, 0.0005} {
		p := &ot.Problem{Settings: ot.Settings{Reg: reg, MaxIter: 40, Tol: 1e-4}, Cost: cost, Rows: rows}
		g := &ot.BarycenterProblem{Settings: p.Settings, Cost: cost, Rows: rows, Offsets: []int{0, 3, 10}, Debiased: true}
		for i := range 10 {
			p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i), Target: int32(9 - i)})
			g.Members = append(g.Members, int32(i))
			g.Weights = append(g.Weights, []float32{1. / 3, 1. / 7}[min(1, i/3)])
		}
		p.Border = &ot.Border{Mass: 0.4, FromPoint: rows.Data, ToPoint: rows.Data, Between: make([]float32, 10)}
		var distances []ot.Result
		var barycenters []ot.Barycenter
		for _, isa := range gemm.Supported() {
			if isa == gemm.Go {
				continue
			}
			d, err := ot.Distances(t.Context(), Engine{isa: isa}, p)
			if err != nil {
				t.Fatal(err)
			}
			b, err := ot.Barycenters(t.Context(), Engine{isa: isa}, g)
			if err != nil {
				t.Fatal(err)
			}
			if distances == nil {
				distances, barycenters = d, b
				bits.Add(t, fmt.Sprintf("distances, reg %v", reg), costs(d))
				for i, x := range b {
					bits.Add(t, fmt.Sprintf("barycenter %d, reg %v", i, reg), x.Histogram)
				}
			}
			if !reflect.DeepEqual(d, distances) || !reflect.DeepEqual(b, barycenters) {
				t.Errorf("λ=%v: %s gives other bits", reg, isa)
			}
		}
	}
	if gemm.Supported()[0] != gemm.Go {
		bits.Check(t, "testdata/engine.txt")
	}
}

// costs returns the numbers of results.
func costs(results []ot.Result) (all []float64) {
	for _, r := range results {
		all = append(all, r.Cost, r.Value, r.MarginalError, float64(r.Iterations))
	}
	return all
}

// TestWide: float64 solves what float32 cannot, and leaves to potentials what it cannot.
func TestWide(t *testing.T) {
	cost, rows := world(10, 45)
	for _, c := range []struct {
		reg    float64
		narrow bool
		wide   bool
	}{{0.1, true, true}, {0.01, false, true}, {0.004, false, true}, {0.0005, false, false}} {
		p := &ot.Problem{Settings: ot.Settings{Reg: c.reg, MaxIter: 20}, Cost: cost, Rows: rows, Pairs: []ot.Pair{{Source: 1, Target: 2}}}
		g := &ot.BarycenterProblem{Settings: p.Settings, Cost: cost, Rows: rows, Offsets: []int{0, 3}, Members: []int32{1, 2, 3}, Weights: []float32{0.5, 0.25, 0.25}}
		if got := solves[float32](t, p, g); got != c.narrow {
			t.Errorf("λ=%v: solved in float32: %v, want %v", c.reg, got, c.narrow)
		}
		if got := solves[float64](t, p, g); got != c.wide {
			t.Errorf("λ=%v: solved in float64: %v, want %v", c.reg, got, c.wide)
		}
	}
}

// solves tells whether scaling in T solves both the pair and the group.
func solves[T gemm.Float](t *testing.T, p *ot.Problem, g *ot.BarycenterProblem) bool {
	isa := New().isa
	lost, solved, taken := 0, 0, false
	take := func(bool) (int, bool, error) {
		first := !taken
		taken = true
		return 0, first, nil
	}
	lose := func(int) error { lost++; return nil }
	pairs := newPairBlock(newGibbs[T](isa, p.Cost, kernelsKey{p.Reg, 0, true}), p, 1,
		func(int, *scaling.Solution) error { solved++; return nil }, lose)
	if err := run(t.Context(), pairs, take); err != nil {
		t.Fatal(err)
	}
	taken = false
	rates := func() limit.Rates { return limit.NewRates(g) }
	s := newStream(1, batch, func(int, []ot.Barycenter) error { solved++; return nil })
	s.ctx, s.ring[0].Histogram = t.Context(), make([]float32, p.Cost.K)
	groups := newGroupBlock(newGibbs[T](isa, p.Cost, kernelsKey{p.Reg, 1, false}), g, rates, 4, s)
	groups.lost = lose
	err := run(t.Context(), groups, take)
	if err != nil || lost+solved != 2 {
		t.Fatalf("%d lost, %d solved, %v", lost, solved, err)
	}
	return lost == 0
}
