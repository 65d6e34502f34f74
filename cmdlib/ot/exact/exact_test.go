package exact

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// certify checks that r is feasible and that its dual is, with the same value: by
// weak duality both are optimal.
func certify(t *testing.T, a, b, cost []float64, r *Result) {
	t.Helper()
	var scale, mass float64
	for _, c := range cost {
		scale = max(scale, math.Abs(c))
	}
	for _, x := range a {
		mass += x
	}
	tol := 1e-9 * scale
	columns := make([]float64, len(b))
	var primal, dual float64
	positive := 0
	for i, x := range a {
		var sum float64
		for j := range b {
			p, c := r.Plan[i*len(b)+j], cost[i*len(b)+j]
			if p < 0 {
				t.Fatalf("plan[%d,%d] = %v", i, j, p)
			}
			if p > 0 {
				positive++
			}
			sum += p
			columns[j] += p
			primal += p * c
			if slack := c - r.U[i] - r.V[j]; slack < -tol || p > 0 && slack > tol {
				t.Fatalf("slack of (%d,%d) is %v, plan %v", i, j, slack, p)
			}
		}
		if math.Abs(sum-x) > 1e-12*mass {
			t.Fatalf("row %d sums to %v, want %v", i, sum, x)
		}
		dual += x * r.U[i]
	}
	for j, x := range b {
		if math.Abs(columns[j]-x) > 1e-12*mass {
			t.Fatalf("column %d sums to %v, want %v", j, columns[j], x)
		}
		dual += x * r.V[j]
	}
	if math.Abs(primal-dual) > tol*mass || math.Abs(primal-r.Cost) > tol*mass {
		t.Fatalf("cost %v, plan %v, dual %v", r.Cost, primal, dual)
	}
	if positive > len(a)+len(b)-1 {
		t.Fatalf("%d positive entries are no basis of %d×%d", positive, len(a), len(b))
	}
}

func solve(t *testing.T, a, b, cost []float64) *Result {
	t.Helper()
	r, err := Solve(a, b, cost)
	if err != nil {
		t.Fatal(err)
	}
	certify(t, a, b, cost, r)
	return r
}

// TestFixture: the linear program's value, computed by hand (0.1 stays, 0.2 moves one
// bin, 0.3 two, …).
func TestFixture(t *testing.T) {
	r := solve(t, []float64{.6, .3, .1}, []float64{.1, .2, .7}, []float64{0, 1, 2, 1, 0, 1, 2, 1, 0})
	if math.Abs(r.Cost-1.1) > 1e-12 {
		t.Errorf("cost %v, want 1.1", r.Cost)
	}
}

// TestBruteForce: with equal masses an optimal plan is a permutation.
func TestBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= 6; n++ {
		for range 40 {
			a, cost := make([]float64, n), make([]float64, n*n)
			for i := range a {
				a[i] = 1
			}
			for i := range cost {
				cost[i] = float64(rng.IntN(8) - 2) // many ties, any sign
			}
			best := math.Inf(1)
			order := make([]int, n)
			var permute func(i int, used int, sum float64)
			permute = func(i, used int, sum float64) {
				if i == n {
					best = min(best, sum)
					return
				}
				for j := range order {
					if used&(1<<j) == 0 {
						permute(i+1, used|1<<j, sum+cost[i*n+j])
					}
				}
			}
			permute(0, 0, 0)
			if r := solve(t, a, a, cost); math.Abs(r.Cost-best) > 1e-9 {
				t.Fatalf("n=%d: cost %v, best permutation %v of %v", n, r.Cost, best, cost)
			}
		}
	}
}

// TestLine: for |i−j| the optimum is the L1 distance of the distribution functions.
func TestLine(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{2, 10, 60, 200} {
		a, b := histogram(rng, n), histogram(rng, n)
		cost := make([]float64, n*n)
		for i := range cost {
			cost[i] = math.Abs(float64(i/n - i%n))
		}
		var want, f float64
		for i := range n {
			f += a[i] - b[i]
			want += math.Abs(f)
		}
		if r := solve(t, a, b, cost); math.Abs(r.Cost-want) > 1e-9*want {
			t.Errorf("n=%d: cost %v, want %v", n, r.Cost, want)
		}
	}
}

// histogram is random, with empty bins and equal masses (degenerate vertices).
func histogram(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	var sum float64
	for i := range x {
		x[i] = float64(rng.IntN(4))
		sum += x[i]
	}
	x[rng.IntN(n)]++
	for i := range x {
		x[i] /= sum + 1
	}
	return x
}

func TestDegenerate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for trial := range 60 {
		n, m := 1+rng.IntN(30), 1+rng.IntN(30)
		a, b := histogram(rng, n), histogram(rng, m)
		cost := make([]float64, n*m)
		for i := range cost {
			switch trial % 4 {
			case 0:
				cost[i] = float64(rng.IntN(3))
			case 1:
				cost[i] = 0
			case 2:
				cost[i] = math.Exp(20 * rng.NormFloat64())
			case 3:
				cost[i] = rng.NormFloat64() * 1e-200
			}
		}
		solve(t, a, b, cost)
	}
}

func TestLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 300
	a, b, cost := make([]float64, n), make([]float64, n), make([]float64, n*n)
	for i := range n {
		a[i], b[i] = 1.0/n, 1.0/n // an assignment problem: every vertex is degenerate
	}
	for i := range cost {
		cost[i] = rng.Float64()
	}
	r := solve(t, a, b, cost)
	// The expected optimum of the random assignment problem is Σ 1/k² [Aldous 2001].
	if c := r.Cost * n; c < 1.4 || c > 1.9 {
		t.Errorf("assignment costs %v, expected about 1.64", c)
	}
	t.Logf("%d pivots", r.Pivots)
}

// TestSinkhorn: regularised costs fall to the exact one, which is the limit for λ → 0.
func TestSinkhorn(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const k = 8
	p := &ot.Problem{Cost: ot.Cost{K: k}, Rows: ot.Histograms{K: k}, Pairs: []ot.Pair{{Source: 0, Target: 1}}}
	for range k * k {
		p.Cost.Data = append(p.Cost.Data, rng.Float32())
	}
	for range 2 {
		for _, x := range histogram(rng, k) {
			p.Rows.Data = append(p.Rows.Data, float32(x))
		}
	}
	a, b, cost := p.Explicit(0)
	r, err := Solve(a, b, cost)
	if err != nil {
		t.Fatal(err)
	}
	before := math.Inf(1)
	for _, reg := range []float64{1, 0.3, 0.1, 0.03, 0.01, 0.003} {
		p.Settings = ot.Settings{Reg: reg, MaxIter: 20000, Tol: 1e-6}
		s, err := ot.Distances(t.Context(), reference.New(), p)
		if err != nil {
			t.Fatal(err)
		}
		// The entropy is at most 2 ln k, so the excess is at most 2λ ln k.
		if c := s[0].Cost; c > before+1e-6 || c < r.Cost-1e-6 || c > r.Cost+2*reg*math.Log(k)+1e-6 {
			t.Errorf("λ=%v: cost %v, exact %v, at larger λ %v", reg, c, r.Cost, before)
		}
		before = s[0].Cost
	}
	if before-r.Cost > 1e-3 {
		t.Errorf("cost %v at the smallest λ, exact %v", before, r.Cost)
	}
}

func TestErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		a, b, cost []float64
		want       string
	}{
		{[]float64{1}, []float64{1}, nil, "costs"},
		{nil, nil, nil, "sums"},
		{[]float64{0}, []float64{1}, []float64{1}, "source sums"},
		{[]float64{1}, []float64{0}, []float64{1}, "target sums"},
		{[]float64{1, -1}, []float64{1}, []float64{1, 1}, "source bin 1"},
		{[]float64{1}, []float64{1, nan}, []float64{1, 1}, "target bin 1"},
		{[]float64{inf}, []float64{1}, []float64{1}, "source bin 0"},
		{[]float64{1}, []float64{.5, .6}, []float64{1, 1}, "sums to"},
		{[]float64{1}, []float64{.5, .5}, []float64{1, nan}, "bin 0 to bin 1"},
		{[]float64{1}, []float64{.5, .5}, []float64{1, inf}, "bin 0 to bin 1"},
		{[]float64{1}, []float64{1}, []float64{1e308}, "too large"},
	} {
		if _, err := Solve(c.a, c.b, c.cost); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one that says %q", err, c.want)
		}
	}
}

// BenchmarkSolve takes histograms with mass in a third of the bins, as words have, and
// distances between random points of 20 dimensions.
func BenchmarkSolve(b *testing.B) {
	for _, k := range []int{100, 300, 500} {
		b.Run(fmt.Sprintf("K=%d", k), func(b *testing.B) {
			const n, dim = 32, 20
			rng := rand.New(rand.NewPCG(uint64(k), 1))
			points := make([]float64, k*dim)
			for i := range points {
				points[i] = rng.NormFloat64()
			}
			cost := make([]float64, k*k)
			for i := range cost {
				var sum float64
				for d := range dim {
					x := points[i/k*dim+d] - points[i%k*dim+d]
					sum += x * x
				}
				cost[i] = math.Sqrt(sum)
			}
			var rows [n][]float64
			for i := range rows {
				row, sum := make([]float64, k), 0.0
				for j := range row {
					if j == i || rng.IntN(3) == 0 {
						row[j] = rng.ExpFloat64()
						sum += row[j]
					}
				}
				for j := range row {
					row[j] /= sum
				}
				rows[i] = row
			}
			pivots, solved := 0, 0
			for b.Loop() {
				r, err := Solve(rows[solved%n], rows[(7*solved+1)%n], cost)
				if err != nil {
					b.Fatal(err)
				}
				pivots, solved = pivots+r.Pivots, solved+1
			}
			b.ReportMetric(float64(pivots)/float64(solved), "pivots")
		})
	}
}
