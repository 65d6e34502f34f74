package cpu

import (
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/cmdlib/ot"
)

// TestAccelerate: the same plans in fewer iterations, on both paths, with exact row
// sums and truthful marginal errors; from hard starts too.
func TestAccelerate(t *testing.T) {
	cost, rows := world(12, 100)
	// Two that share no bin, so that the first scalings are far off.
	for j := range 100 {
		rows.Row(0)[j], rows.Row(1)[j] = float32(1-j/50)/50, float32(j/50)/50
	}
	for _, border := range []bool{false, true} {
		for _, reg := range []float64{1, 0.1, 0.03, 0.01} {
			const tol = 1e-5
			p := &ot.Problem{Settings: ot.Settings{Reg: reg, MaxIter: 3000, Tol: tol}, Cost: cost, Rows: rows}
			for i := range 11 {
				p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i), Target: int32(i + 1)})
			}
			if border {
				if reg != 0.1 && reg != 0.01 {
					continue
				}
				p.Pairs = p.Pairs[:4]
				points := slices.Repeat([]float32{0.9}, len(rows.Data))
				for i := range points {
					points[i] += 0.1 * cost.Data[i]
				}
				p.Border = &ot.Border{Mass: 0.4, FromPoint: points, ToPoint: points, Between: []float32{0, 1, 0.1, 2}}
			}
			want, err := ot.Distances(t.Context(), New(), p)
			if err != nil {
				t.Fatal(err)
			}
			p.Accelerate = true
			var first []ot.Result
			for _, isa := range gemm.Supported() {
				got, err := ot.Distances(t.Context(), Engine{isa: isa}, p)
				if err != nil {
					t.Fatal(err)
				}
				plain, fast := 0, 0
				for i, r := range got {
					plain, fast = plain+want[i].Iterations, fast+r.Iterations
					// What is not moved right costs at most the largest cost.
					if !r.Converged || math.Abs(r.Cost-want[i].Cost) > 4*tol {
						t.Errorf("%s λ=%v border=%v pair %d: %+v, plainly %+v", isa, reg, border, i, r, want[i])
					}
				}
				t.Logf("%s λ=%v border=%v: %d iterations instead of %d", isa, reg, border, fast, plain)
				if reg <= 0.1 && 3*fast > 2*plain {
					t.Errorf("%s λ=%v border=%v: %d iterations instead of %d", isa, reg, border, fast, plain)
				}
				if first == nil {
					first = got
				}
				for i := range got {
					if isa != gemm.Go && got[i] != first[i] {
						t.Errorf("%s λ=%v border=%v pair %d: %+v, %+v", isa, reg, border, i, got[i], first[i])
					}
				}
			}
			plan, err := New().Plan(t.Context(), p, 0)
			if err != nil {
				t.Fatal(err)
			}
			source, target, _ := p.Explicit(0)
			columns, worst := make([]float64, plan.Cols), 0.0
			for i, mass := range source {
				var sum float64
				for j, x := range plan.Mass[i*plan.Cols:][:plan.Cols] {
					sum, columns[j] = sum+x, columns[j]+x
				}
				worst = max(worst, math.Abs(sum-mass))
			}
			for j, mass := range target {
				columns[j] -= mass
			}
			var wrong float64
			for _, x := range columns {
				wrong += math.Abs(x)
			}
			if worst > 1e-6 || math.Abs(wrong-plan.MarginalError) > 2e-6 {
				t.Errorf("λ=%v border=%v: row sums are off by %v, column sums by %v; said: %v", reg, border, worst, wrong, plan.MarginalError)
			}
		}
	}
}

// TestAccelerateBarycenters: the same barycenters in fewer iterations, from hard starts and with weights far apart too;
// the other kinds are as without it.
func TestAccelerateBarycenters(t *testing.T) {
	cost, rows := world(12, 100)
	for j := range 100 { // three that share no bin
		for i := range 3 {
			rows.Row(i)[j] = 0
			if j%3 == i {
				rows.Row(i)[j] = float32(1 + j%7)
			}
		}
	}
	for i := range 3 {
		var sum float32
		for _, x := range rows.Row(i) {
			sum += x
		}
		for j := range rows.Row(i) {
			rows.Row(i)[j] /= sum
		}
	}
	p := &ot.BarycenterProblem{
		Cost: cost, Rows: rows, Offsets: []int{0, 3, 8, 10, 11},
		Members: []int32{0, 1, 2, 3, 4, 5, 6, 7, 0, 8, 9},
		Weights: []float32{.98, .01, .01, .2, .3, .1, .3, .1, .5, .5, 1},
	}
	const tol = 1e-5
	solve := func(e Engine, accelerate bool, settings ot.Settings) []ot.Barycenter {
		t.Helper()
		p.Settings, p.Accelerate = settings, accelerate
		found, err := ot.Barycenters(t.Context(), e, p)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	apart := func(x, y ot.Barycenter) (sum float64) {
		for j := range x.Histogram {
			sum += math.Abs(float64(x.Histogram[j]) - float64(y.Histogram[j]))
		}
		return sum
	}
	for _, reg := range []float64{1, 0.1, 0.03, 0.01, 0.003, 0.001} { // by float32, by float64 from 0.03 or 0.01 on, by potentials
		tol := tol
		if reg < 0.01 {
			tol = 1e-3
		}
		settings := ot.Settings{Reg: reg, MaxIter: 5000, Tol: tol}
		want := solve(New(), false, ot.Settings{Reg: reg, MaxIter: 20000, Tol: tol / 100})
		plainly := solve(New(), false, settings)
		var first []ot.Barycenter
		for _, isa := range gemm.Supported() {
			got := solve(Engine{isa: isa}, true, settings)
			plain, fast := 0, 0
			for i, r := range got {
				plain, fast = plain+plainly[i].Iterations, fast+r.Iterations
				// The spread is an error of the step, which the limit exceeds by what steps still bring.
				if limit := max(4*apart(plainly[i], want[i]), 4*tol); r.Spread > tol || apart(r, want[i]) > limit {
					t.Errorf("%s λ=%v group %d: %d iterations, L1 error %v, expected below %v; spread %v",
						isa, reg, i, r.Iterations, apart(r, want[i]), limit, r.Spread)
				}
				if rest := 2 * max(apart(r, want[i])-tol/10, 0); rest > 3*r.Error {
					t.Errorf("%s λ=%v group %d: an L1 error of %v, said to be %v", isa, reg, i, rest/2, r.Error)
				}
			}
			t.Logf("%s λ=%v: %d iterations instead of %d", isa, reg, fast, plain)
			if reg <= 0.1 && 3*fast > 2*plain {
				t.Errorf("%s λ=%v: %d iterations instead of %d", isa, reg, fast, plain)
			}
			if reg <= 0.01 && 4*fast > plain {
				t.Errorf("%s λ=%v: %d iterations instead of %d, expected a quarter", isa, reg, fast, plain)
			}
			if first == nil {
				first = got
			}
			for i := range got {
				if isa != gemm.Go && !slices.Equal(got[i].Histogram, first[i].Histogram) {
					t.Errorf("%s λ=%v group %d: other bits", isa, reg, i)
				}
			}
		}
		p.Debiased = true
		if a, b := solve(New(), false, settings), solve(New(), true, settings); apart(a[0], b[0]) != 0 {
			t.Errorf("λ=%v: a debiased one is accelerated", reg)
		}
		p.Debiased, p.UnweightedStart = false, true
		if a, b := solve(New(), false, settings), solve(New(), true, settings); apart(a[0], b[0]) != 0 {
			t.Errorf("λ=%v: an unweighted start is accelerated", reg)
		}
		p.UnweightedStart = false
	}
}
