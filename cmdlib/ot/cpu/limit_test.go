package cpu

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/ot/reference"
)

// TestAcceleratedLimit: over-relaxed iterations end where plain ones do that are run in float64 to 1e-9, and for small
// λ within 2λ ln n of the optimum, whatever the cost, with private points and those of partial transport too. With a
// penalty they are plain ones, bit for bit.
//
// Potentials are no further apart than costs, so by convexity the value of a plan with the right row sums is below that
// of the limit by the largest cost times its marginal error at most. No such bound is known for its cost: plain
// iterations are the measure, which stop at the same error.
func TestAcceleratedLimit(t *testing.T) {
	const k, tol = 9, 1e-5
	symmetric, rows := world(6, k)
	asymmetric := ot.Cost{K: k, Data: slices.Clone(symmetric.Data)}
	for i := range asymmetric.Data {
		asymmetric.Data[i] *= 1 + float32(i*7%11)/11
	}
	clipped := ot.Cost{K: k, Data: slices.Clone(symmetric.Data)}
	for i, c := range clipped.Data {
		clipped.Data[i] = min(c, 1)
	}
	points := &ot.Border{Mass: 0.4, FromPoint: make([]float32, 6*k), ToPoint: make([]float32, 6*k)}
	for i := range points.FromPoint {
		points.FromPoint[i], points.ToPoint[i] = 0.3+symmetric.Data[i], 0.2+asymmetric.Data[i]
	}
	points.Between = []float32{0, 1, 0.1, 2, 0.5}
	for _, kind := range []struct {
		name    string
		cost    ot.Cost
		border  *ot.Border
		price   float64
		penalty float64
	}{
		{name: "symmetric", cost: symmetric},
		{name: "asymmetric", cost: asymmetric},
		{name: "clipped", cost: clipped},
		{name: "private points", cost: symmetric, border: points},
		{name: "partial", cost: symmetric, price: 0.4},
		{name: "unbalanced", cost: asymmetric, penalty: 0.5},
	} {
		largest := float64(slices.Max(kind.cost.Data))
		for _, share := range []float64{0.005, 0.02, 0.1, 0.5, 2} {
			p := &ot.Problem{
				Settings: ot.Settings{Reg: share * largest, MaxIter: 200_000, Tol: tol, Accelerate: true},
				Cost:     kind.cost, Rows: rows, Border: kind.border, Penalty: kind.penalty, Values: true,
			}
			for i := range int32(5) {
				p.Pairs = append(p.Pairs, ot.Pair{Source: i, Target: i + 1})
			}
			if kind.price > 0 {
				var err error
				if p, err = p.Partial(kind.price); err != nil {
					t.Fatal(err)
				}
			}
			plain := *p
			plain.Accelerate = false
			for _, engine := range []ot.Engine{New(), reference.New()} {
				label := fmt.Sprintf("%s %s, λ = %v of the largest cost", engine.Name(), kind.name, share)
				got, err := ot.Distances(t.Context(), engine, p)
				if err != nil {
					t.Fatal(err)
				}
				without, err := ot.Distances(t.Context(), engine, &plain)
				if err != nil {
					t.Fatal(err)
				}
				if kind.penalty > 0 {
					if !slices.Equal(got, without) {
						t.Errorf("%s: unbalanced transport is accelerated", label)
					}
					continue
				}
				fast, slow := 0, 0
				for i, r := range got {
					fast, slow = fast+r.Iterations, slow+without[i].Iterations
					source, target, cost := p.Explicit(i)
					most := slices.Max(cost)
					want, value := plainly(source, target, cost, p.Reg)
					if off := most * (tol + 1e-9 + 0x1p-20); !r.Converged || math.Abs(r.Value-value) > off {
						t.Errorf("%s, pair %d: %+v, expected the value %v ± %.1e", label, i, r, value, off)
					}
					off := max(4*math.Abs(without[i].Cost-want), 4*most*tol)
					if math.Abs(r.Cost-want) > off {
						t.Errorf("%s, pair %d: %+v, expected the cost %v ± %.1e", label, i, r, want, off)
					}
					if share > 0.02 {
						continue
					}
					best, err := exact.Solve(t.Context(), source, target, cost)
					if err != nil {
						t.Fatal(err)
					}
					above := 2 * p.Reg * math.Log(float64(len(source)))
					if d := r.Cost - best.Cost; d < -2*most*tol || d > above+2*most*tol {
						t.Errorf("%s, pair %d: %v above the optimum %v, expected %v at most", label, i, d, best.Cost, above)
					}
				}
				t.Logf("%s: %d iterations instead of %d", label, fast, slow)
			}
		}
	}
}

// plainly returns cost and value of the plan that plain scaling in float64 has after its marginal error is 1e-9. The
// histograms, rounded to float32, are divided by their sums, as otherwise no plan has both.
func plainly(source, target, cost []float64, reg float64) (total, value float64) {
	n := len(source)
	for _, side := range [][]float64{source, target} {
		floats.Scale(1/floats.Sum(side), side)
	}
	kernel := make([]float64, n*n)
	for i, c := range cost {
		kernel[i] = math.Exp(-c / reg)
	}
	u, v, sums := slices.Clone(source), make([]float64, n), make([]float64, n)
	for missing, left := 1., 3_000_000; missing > 1e-9 && left > 0; left-- {
		clear(sums)
		for i, x := range u {
			for j, y := range kernel[i*n:][:n] {
				sums[j] += x * y
			}
		}
		missing = 0
		for j, b := range target {
			missing += math.Abs(v[j]*sums[j] - b)
			v[j] = b / sums[j]
		}
		for i, a := range source {
			var sum float64
			for j, y := range kernel[i*n:][:n] {
				sum += y * v[j]
			}
			u[i] = a / sum
		}
	}
	for i, a := range source {
		for j, b := range target {
			if mass := u[i] * kernel[i*n+j] * v[j]; mass > 0 {
				total += mass * cost[i*n+j]
				value += mass * (cost[i*n+j] + reg*math.Log(mass/(a*b)))
			}
		}
	}
	return total, value
}
