package cpu

import (
	"context"
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// TestAccuracy measures what the package comment promises, at a realistic size and
// over the λ at which float32 scaling ends: costs to 1e-6 relative, marginal errors to
// 2e-6 whatever they are, barycenters to 5e-6 in L1.
func TestAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("compares with float64 at K = 100: some seconds")
	}
	cost, rows := world(12, 100)
	ctx := context.Background()
	for _, reg := range []float64{0.3, 0.1, 0.05, 0.03, 0.02, 0.015, 0.01, 0.001} {
		p := &ot.Problem{Settings: ot.Settings{Reg: reg, MaxIter: 100}, Cost: cost, Rows: rows}
		g := &ot.BarycenterProblem{Settings: p.Settings, Cost: cost, Rows: rows, Offsets: []int{0, 5}}
		for i := range 11 {
			p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i), Target: int32(i + 1)})
		}
		for i := range 5 {
			g.Members = append(g.Members, int32(i))
			g.Weights = append(g.Weights, float32(i+1)/15)
		}
		want, err := ot.Distances(ctx, reference.New(), p)
		if err != nil {
			t.Fatal(err)
		}
		for _, isa := range gemm.Supported() {
			got, err := ot.Distances(ctx, Engine{isa: isa}, p)
			if err != nil {
				t.Fatal(err)
			}
			var worst, marginal float64
			for i, r := range got {
				worst = max(worst, math.Abs(r.Cost-want[i].Cost)/want[i].Cost)
				marginal = max(marginal, math.Abs(r.MarginalError-want[i].MarginalError))
			}
			t.Logf("%s λ=%v: costs differ by %.1e, marginal errors by %.1e", isa, reg, worst, marginal)
			if worst > 1e-6 || marginal > 2e-6 {
				t.Errorf("%s λ=%v: costs differ by %.1e, marginal errors by %.1e", isa, reg, worst, marginal)
			}
		}
		for _, debiased := range []bool{false, true} {
			g.Debiased = debiased
			want, err := ot.Barycenters(ctx, reference.New(), g)
			if err != nil {
				t.Fatal(err)
			}
			for _, isa := range gemm.Supported() {
				got, err := ot.Barycenters(ctx, Engine{isa: isa}, g)
				if err != nil {
					t.Fatal(err)
				}
				d := change(got[0].Histogram, want[0].Histogram)
				t.Logf("%s λ=%v debiased=%v: barycenters are %.1e apart", isa, reg, g.Debiased, d)
				if d > 5e-6 {
					t.Errorf("%s λ=%v debiased=%v: barycenters are %.1e apart", isa, reg, g.Debiased, d)
				}
			}
		}
	}
}

// Unbalanced transport is as accurate for any ρ, with and without a border: of what
// the cost, the mass and the value can be. AVX2 and AVX-512 agree in every bit.
func TestUnbalancedAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("compares with float64 at K = 100: some seconds")
	}
	cost, rows := world(6, 100)
	plain := &ot.Border{Mass: 0.3, FromPoint: make([]float32, len(rows.Data)), ToPoint: make([]float32, len(rows.Data)), Between: make([]float32, 5)}
	for i := range plain.FromPoint {
		plain.FromPoint[i], plain.ToPoint[i] = cost.Data[7*i%len(cost.Data)], cost.Data[3*i%len(cost.Data)]
	}
	for i := range plain.Between {
		plain.Between[i] = 0.5
	}
	for _, border := range []*ot.Border{nil, plain} {
		for _, reg := range []float64{1, 0.1, 0.03, 0.01} {
			for _, penalty := range []float64{1e-3, 0.1, 1, 100, 1e5, 1e20} {
				p := &ot.Problem{Settings: ot.Settings{Reg: reg, MaxIter: 60}, Cost: cost, Rows: rows, Penalty: penalty, Values: true, Border: border}
				for i := range 5 {
					p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i), Target: int32(i + 1)})
				}
				want, err := ot.Distances(t.Context(), reference.New(), p)
				if err != nil {
					t.Fatal(err)
				}
				var vectorised []ot.Result
				for _, isa := range gemm.Supported() {
					got, err := ot.Distances(t.Context(), Engine{isa: isa}, p)
					if err != nil {
						t.Fatal(err)
					}
					for i, r := range got {
						w := want[i]
						if d := math.Abs(r.Cost - w.Cost); d > 2e-6*w.Cost+1e-9 {
							t.Errorf("%s λ=%v ρ=%v: the cost %v is %.1e off", isa, reg, penalty, w.Cost, d)
						}
						if d := math.Abs(r.Moved - w.Moved); d > 2e-6 {
							t.Errorf("%s λ=%v ρ=%v: the mass %v is %.1e off", isa, reg, penalty, w.Moved, d)
						}
						if d := math.Abs(r.MarginalError - w.MarginalError); d > 2e-6 {
							t.Errorf("%s λ=%v ρ=%v: the marginal error %v is %.1e off", isa, reg, penalty, w.MarginalError, d)
						}
						if d := math.Abs(r.Value - w.Value); d > 2e-6*(1+reg) {
							t.Errorf("%s λ=%v ρ=%v: the value %v is %.1e off", isa, reg, penalty, w.Value, d)
						}
					}
					if isa == gemm.AVX2 || isa == gemm.AVX512 {
						if vectorised == nil {
							vectorised = got
						}
						if !slices.Equal(got, vectorised) {
							t.Errorf("%s λ=%v ρ=%v: other bits", isa, reg, penalty)
						}
					}
				}
			}
		}
	}
}

// TestBarycenterFloor: with a tolerance that rounding does not let it reach, a barycenter stops all the same, by either
// rule. Its Error is no less than the distance from the reference's, no more than what rounding brings to slow
// problems, and at the floor where they are quick. So is that of the reference, which has no float32 but its result.
func TestBarycenterFloor(t *testing.T) {
	for _, k := range []int{10, 60} {
		cost, rows := world(12, k)
		for _, reg := range []float64{1, 0.1, 0.05} {
			for _, n := range []int32{1, 3, 8} {
				p := &ot.BarycenterProblem{
					Settings: ot.Settings{Reg: reg, MaxIter: 5000, Tol: 1e-12}, Cost: cost, Rows: rows, Offsets: []int{0, int(n)},
					UntilConverged: true,
				}
				for i := range n {
					p.Members, p.Weights = append(p.Members, i), append(p.Weights, float32(i+1)/float32(n*(n+1)/2))
				}
				var want ot.Barycenter
				for _, engine := range []ot.Engine{reference.New(), New()} {
					floor := 0x1p-23
					if engine.Name() == "cpu" {
						floor = 0x1p-19
					}
					for _, p.UntilConverged = range []bool{true, false} {
						found, err := ot.Barycenters(t.Context(), engine, p)
						if err != nil {
							t.Fatal(err)
						}
						r := found[0]
						if want.Histogram == nil {
							want = r
						}
						away := change(r.Histogram, want.Histogram)
						t.Logf("%s K=%d λ=%v n=%d until=%v: %d iterations, %.1e away, said to be %.1e",
							engine.Name(), k, reg, n, p.UntilConverged, r.Iterations, away, r.Error)
						if r.Iterations == p.MaxIter || r.Converged || away > r.Error || r.Error < floor ||
							p.UntilConverged && r.Error > 50*floor || reg == 1 && r.Error > floor {
							t.Errorf("%s K=%d λ=%v n=%d until=%v: %+v, %v away from the reference's",
								engine.Name(), k, reg, n, p.UntilConverged, r, away)
						}
					}
				}
			}
		}
	}
}
