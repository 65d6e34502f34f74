// Package ottest is the conformance suite of transport engines: every ot.Engine
// must pass Run.
//
// Tolerances are derived. A float32 sum of n non-negative terms has a relative error of at most n·ε with ε = 2⁻²⁴
// [Higham 2002, section 3.1]. Sinkhorn's iteration is a contraction in Hilbert's metric, so errors of its half
// iterations do not grow.
package ottest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib/ot"
)

// Run checks that engine computes what package ot says. It checks known values, agreement with package reference at
// equal numbers of iterations, invariants, extreme inputs, and the rules of the interface. It checks that the engine
// refuses what it is said to be without.
func Run(t *testing.T, engine ot.Engine, without ...Feature) {
	s := &suite{engine, without}
	for _, test := range []struct {
		name string
		run  func(t *testing.T)
	}{
		{"DistanceFixtures", s.distanceFixtures},
		{"BarycenterFixtures", s.barycenterFixtures},
		{"DistancesAgree", s.distancesAgree},
		{"BarycentersAgree", s.barycentersAgree},
		{"SmallRegularisation", s.smallRegularisation},
		{"Diracs", s.diracs},
		{"AnyRegularisation", s.anyRegularisation},
		{"OddCosts", s.oddCosts},
		{"HardHistograms", s.hardHistograms},
		{"UnequalSums", s.unequalSums},
		{"HardCosts", s.hardCosts},
		{"Twins", s.twins},
		{"Convergence", s.convergence},
		{"Direction", s.direction},
		{"Border", s.border},
		{"Plan", s.plan},
		{"Bound", s.bound},
		{"Potentials", s.potentials},
		{"Values", s.values},
		{"Divergence", s.divergence},
		{"Unbalanced", s.unbalanced},
		{"Minimum", s.minimum},
		{"Debiased", s.debiased},
		{"Limits", s.limits},
		{"GroupShapes", s.groupShapes},
		{"BatchDistances", s.batchDistances},
		{"BatchBarycenters", s.batchBarycenters},
		{"Yield", s.yield},
		{"Context", func(t *testing.T) { s.context(t) }},
		{"Empty", s.empty},
		{"InvalidProblems", s.invalidProblems},
		{"InvalidBarycenters", s.invalidBarycenters},
	} {
		t.Run(test.name, test.run)
	}
}

// Feature is something that an engine may refuse by an error that is errors.ErrUnsupported.
type Feature string

const (
	// Values is Problem.Values.
	Values Feature = "values"
	// Penalty is Problem.Penalty.
	Penalty Feature = "penalty"
	// Limit is Barycenter.Error, and BarycenterProblem.UntilConverged.
	Limit Feature = "limit"
)

type suite struct {
	engine  ot.Engine
	without []Feature
}

func (s *suite) lacks(f Feature) bool { return slices.Contains(s.without, f) }

// epsilon is the unit roundoff of float32.
const epsilon = 0x1p-24

// tolerance is the relative error allowed for sums over k bins: three products and
// the rounding of the kernel and of the exponents in it.
func tolerance(k int) float64 { return float64(3*k+64) * epsilon }

func (s *suite) distances(t *testing.T, p *ot.Problem) []ot.Result {
	t.Helper()
	results, err := ot.Distances(t.Context(), s.engine, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(p.Pairs) {
		t.Fatalf("%d results for %d pairs", len(results), len(p.Pairs))
	}
	return results
}

func (s *suite) barycenters(t *testing.T, p *ot.BarycenterProblem) []ot.Barycenter {
	t.Helper()
	results, err := ot.Barycenters(t.Context(), s.engine, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != len(p.Offsets)-1 {
		t.Fatalf("%d results for %d groups", len(results), len(p.Offsets)-1)
	}
	for g, r := range results {
		var sum float64
		for j, x := range r.Histogram {
			if !(x >= 0) {
				t.Fatalf("group %d: bin %d is %v", g, j, x)
			}
			sum += float64(x)
		}
		if math.Abs(sum-1) > tolerance(len(r.Histogram)) {
			t.Fatalf("group %d: the barycenter sums to %v", g, sum)
		}
	}
	return results
}

// line is |i−j|^power on k points.
func line(k int, power float64) ot.Cost {
	c := ot.Cost{K: k}
	for i := range k {
		for j := range k {
			c.Data = append(c.Data, float32(math.Pow(math.Abs(float64(i-j)), power)))
		}
	}
	return c
}

// distanceFixtures: computed independently in float64, 6 decimals.
func (s *suite) distanceFixtures(t *testing.T) {
	three := []float32{.6, .3, .1, .1, .2, .7}
	for _, f := range []struct {
		k    int
		rows []float32
		reg  float64
		want float64
	}{
		{2, []float32{.5, .5, .5, .5}, 1, 0.268941},
		{3, three, 1, 1.124467},
		{3, three, 0.1, 1.1}, // the linear program's value
		{3, three, 0.05, 1.1},
		{3, three, 0.001, 1.1},
	} {
		p := &ot.Problem{
			Settings: ot.Settings{Reg: f.reg, MaxIter: 1000},
			Cost:     line(f.k, 1),
			Rows:     ot.Histograms{K: f.k, Data: f.rows},
			Pairs:    []ot.Pair{{Source: 0, Target: 1}},
		}
		if got := s.distances(t, p)[0].Cost; math.Abs(got-f.want) > 1e-6+tolerance(f.k)*f.want {
			t.Errorf("K=%d λ=%v: cost %v, want %v", f.k, f.reg, got, f.want)
		}
	}
	p := &ot.Problem{
		Settings: ot.Settings{Reg: 1, MaxIter: 100},
		Cost:     line(2, 1), Rows: ot.Histograms{K: 2, Data: []float32{.5, .5}}, Pairs: []ot.Pair{{}},
	}
	plan, err := s.engine.Plan(t.Context(), p, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{.365529, .134471, .134471, .365529} {
		if math.Abs(plan.Mass[i]-want) > 1e-6 {
			t.Errorf("plan[%d] = %v, want %v", i, plan.Mass[i], want)
		}
	}
}

// barycenterFixtures: computed independently in float64, 6 decimals.
func (s *suite) barycenterFixtures(t *testing.T) {
	two := []float32{.7, .2, .1, .1, .3, .6}
	diracs := []float32{1, 0, 0, 0, 0, 0, 0, 0, 0, 1}
	equal := []float32{.5, .5}
	for _, f := range []struct {
		name       string
		k          int
		power      float64
		reg        float64
		rows       []float32
		weights    []float32
		unweighted bool // start
		want       []float64
	}{
		{"equal weights", 3, 1, .5, two, equal, false, []float64{.338562, .355583, .305855}},
		{"equal weights, unweighted start", 3, 1, .5, two, equal, true, []float64{.338562, .355583, .305855}},
		// By minimising over b with a general-purpose optimiser.
		{"unequal weights", 3, 1, .5, two, []float32{.25, .75}, false, []float64{.191775, .346737, .461488}},
		{
			"unequal weights, unweighted start", 3, 1, .5, two, []float32{.25, .75}, true,
			[]float64{.259279, .348408, .392313},
		},
		{"Diracs, distance", 5, 1, .1, diracs, equal, false, []float64{.2, .2, .2, .2, .2}},
		{"Diracs, square, λ=0.1", 5, 2, .1, diracs, equal, false, []float64{0, .000045, .999909, .000045, 0}},
		{"Diracs, square, λ=1", 5, 2, 1, diracs, equal, false, []float64{.010334, .207561, .564210, .207561, .010334}},
	} {
		p := &ot.BarycenterProblem{
			Settings: ot.Settings{Reg: f.reg, MaxIter: 1000},
			Cost:     line(f.k, f.power),
			Rows:     ot.Histograms{K: f.k, Data: f.rows},
			Offsets:  []int{0, 2}, Members: []int32{0, 1}, Weights: f.weights,
			UnweightedStart: f.unweighted,
		}
		got := s.barycenters(t, p)[0].Histogram
		for i, want := range f.want {
			if math.Abs(float64(got[i])-want) > 1e-6+tolerance(f.k) {
				t.Errorf("%s: %v, want %v", f.name, got, f.want)
				break
			}
		}
	}
}

func name(format string, args ...any) string { return fmt.Sprintf(format, args...) }
