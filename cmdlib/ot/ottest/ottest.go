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
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/ot/reference"
)

// Run checks that engine computes what package ot says. It checks known values, agreement with package reference at
// equal numbers of iterations, invariants, extreme inputs, and the rules of the interface. It checks that the engine
// refuses what it is said to be without.
func Run(t *testing.T, engine ot.Engine, without ...Feature) {
	for _, test := range []struct {
		name string
		run  func(*suite)
	}{
		{"DistanceFixtures", (*suite).distanceFixtures},
		{"BarycenterFixtures", (*suite).barycenterFixtures},
		{"Agreement", (*suite).agreement},
		{"SmallRegularisation", (*suite).smallRegularisation},
		{"Diracs", (*suite).diracs},
		{"GroupShapes", (*suite).groupShapes},
		{"HardHistograms", (*suite).hardHistograms},
		{"HardCosts", (*suite).hardCosts},
		{"AnyRegularisation", (*suite).anyRegularisation},
		{"UnequalSums", (*suite).unequalSums},
		{"Convergence", (*suite).convergence},
		{"Direction", (*suite).direction},
		{"Border", (*suite).writtenOut},
		{"Plans", (*suite).plans},
		{"Values", (*suite).values},
		{"Divergence", (*suite).divergence},
		{"Unbalanced", (*suite).unbalanced},
		{"LittleMoves", (*suite).littleMoves},
		{"Minimum", (*suite).minimum},
		{"Debiased", (*suite).debiased},
		{"Limits", (*suite).limits},
		{"BatchDistances", (*suite).batchDistances},
		{"BatchBarycenters", (*suite).batchBarycenters},
		{"Yield", (*suite).yield},
		{"Context", (*suite).context},
		{"Empty", (*suite).empty},
		{"InvalidProblems", (*suite).invalidProblems},
		{"InvalidBarycenters", (*suite).invalidBarycenters},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(newSuite(t, engine, without...)) })
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

// suite is one test of one engine.
type suite struct {
	testing.TB
	engine  ot.Engine
	without []Feature
	rng     *rand.Rand
	label   string // of the problems that the test is at
	problem string // that was solved last
}

func newSuite(t testing.TB, engine ot.Engine, without ...Feature) *suite {
	return &suite{TB: t, engine: engine, without: without, rng: rand.New(rand.NewPCG(1, 1))}
}

// reference is the suite with the reference engine in the place of the engine.
func (s *suite) reference() *suite { return newSuite(s.TB, reference.New()) }

func (s *suite) lacks(f Feature) bool { return slices.Contains(s.without, f) }

// epsilon is the unit roundoff of float32.
const epsilon = 0x1p-24

// tolerance is the relative error allowed for sums over k bins: three products and
// the rounding of the kernel and of the exponents in it.
func tolerance(k int) float64 { return float64(3*k+64) * epsilon }

// check reports what is wrong with the problem that was solved last, unless it is ok.
func (s *suite) check(ok bool, format string, args ...any) {
	s.Helper()
	if !ok {
		s.Errorf("%s %s: %s", s.label, s.problem, fmt.Sprintf(format, args...))
	}
}

// near reports a number that is not within tol of what it ought to be.
func (s *suite) near(what string, got, want, tol float64) {
	s.Helper()
	s.check(math.Abs(got-want) <= tol, "%s is %v, want %v ± %.1e", what, got, want, tol)
}

// ok ends the test at an error, and where there are not as many results as problems.
func (s *suite) ok(err error, results, problems int) {
	s.Helper()
	if err != nil || results != problems {
		s.Fatalf("%s %s: %d results, want %d; error %v", s.label, s.problem, results, problems, err)
	}
}

// at notes which problem is solved.
func (s *suite) at(p *ot.Problem) {
	s.problem = fmt.Sprintf("K=%d %+v penalty=%v", p.Cost.K, p.Settings, p.Penalty)
	if p.Border != nil {
		s.problem += fmt.Sprintf(" border=%v", p.Border.Mass)
	}
}

func (s *suite) distances(p *ot.Problem) []ot.Result {
	s.Helper()
	s.at(p)
	results, err := ot.Distances(s.Context(), s.engine, p)
	s.ok(err, len(results), len(p.Pairs))
	return results
}

func (s *suite) plan(p *ot.Problem, pair int) *ot.Plan {
	s.Helper()
	s.at(p)
	s.problem += fmt.Sprintf(" pair %d", pair)
	plan, err := s.engine.Plan(s.Context(), p, pair)
	s.ok(err, 1, 1)
	return plan
}

func (s *suite) divergences(p *ot.Problem) []ot.Divergence {
	s.Helper()
	s.at(p)
	all, err := ot.Divergences(s.Context(), s.engine, p)
	s.ok(err, len(all), len(p.Pairs))
	return all
}

// optimum is the cost of a pair without regularisation.
func (s *suite) optimum(p *ot.Problem, pair int) float64 {
	s.Helper()
	source, target, costs := p.Explicit(pair)
	best, err := exact.Solve(s.Context(), source, target, costs)
	s.ok(err, 1, 1)
	return best.Cost
}

func (s *suite) barycenters(p *ot.BarycenterProblem) []ot.Barycenter {
	s.Helper()
	s.problem = fmt.Sprintf("barycenters K=%d %+v debiased=%t unweighted=%t until=%t",
		p.Cost.K, p.Settings, p.Debiased, p.UnweightedStart, p.UntilConverged)
	results, err := ot.Barycenters(s.Context(), s.engine, p)
	s.ok(err, len(results), len(p.Offsets)-1)
	for g, r := range results {
		var sum float64
		for j, x := range r.Histogram {
			s.check(x >= 0, "group %d: bin %d is %v", g, j, x)
			sum += float64(x)
		}
		s.near("the sum of a barycenter", sum, 1, tolerance(len(r.Histogram)))
	}
	return results
}

// distanceFixtures: computed independently in float64, 6 decimals.
func (s *suite) distanceFixtures() {
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
			Settings: ot.Settings{Reg: f.reg, MaxIter: 1000}, Cost: line(f.k, 1),
			Rows: ot.Histograms{K: f.k, Data: f.rows}, Pairs: []ot.Pair{{Source: 0, Target: 1}},
		}
		s.near("the cost", s.distances(p)[0].Cost, f.want, 1e-6+tolerance(f.k)*f.want)
		if f.k == 2 {
			for i, want := range []float64{.365529, .134471, .134471, .365529} {
				s.near("an entry of the plan", s.plan(p, 0).Mass[i], want, 1e-6)
			}
		}
	}
}

// barycenterFixtures: computed independently in float64, 6 decimals.
func (s *suite) barycenterFixtures() {
	two := []float32{.7, .2, .1, .1, .3, .6}
	diracs := []float32{1, 0, 0, 0, 0, 0, 0, 0, 0, 1}
	equal, unequal := []float32{.5, .5}, []float32{.25, .75}
	for _, f := range []struct {
		power, reg    float64
		rows, weights []float32
		unweighted    bool // start
		want          []float64
	}{
		{1, .5, two, equal, false, []float64{.338562, .355583, .305855}},
		{1, .5, two, equal, true, []float64{.338562, .355583, .305855}},
		// By minimising over b with a general-purpose optimiser.
		{1, .5, two, unequal, false, []float64{.191775, .346737, .461488}},
		{1, .5, two, unequal, true, []float64{.259279, .348408, .392313}},
		{1, .1, diracs, equal, false, []float64{.2, .2, .2, .2, .2}},
		{2, .1, diracs, equal, false, []float64{0, .000045, .999909, .000045, 0}},
		{2, 1, diracs, equal, false, []float64{.010334, .207561, .564210, .207561, .010334}},
	} {
		k := len(f.want)
		got := s.barycenters(&ot.BarycenterProblem{
			Settings: ot.Settings{Reg: f.reg, MaxIter: 1000}, Cost: line(k, f.power),
			Rows:    ot.Histograms{K: k, Data: f.rows},
			Offsets: []int{0, 2}, Members: []int32{0, 1}, Weights: f.weights,
			UnweightedStart: f.unweighted,
		})[0].Histogram
		for i, want := range f.want {
			s.near("a bin of the barycenter", float64(got[i]), want, 1e-6+tolerance(k))
		}
	}
}
