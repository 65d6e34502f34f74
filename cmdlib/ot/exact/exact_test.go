package exact

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// certify checks that r is feasible and that its dual is, with the same value: by
// weak duality both are optimal. Tolerances are those of (1), relative to the costs in use,
// and the rounding of U and V.
func certify(t *testing.T, a, b, cost []float64, r *Result) {
	t.Helper()
	delta := 0x1p-50 * float64(len(a)+len(b)+1)
	var mass, used float64
	for _, x := range a {
		mass += x
	}
	for i, p := range r.Plan {
		used += p * math.Abs(cost[i])
	}
	var potential float64
	for i, x := range a {
		if x > 0 {
			potential = max(potential, math.Abs(r.U[i]))
		}
	}
	for j, x := range b {
		if x > 0 {
			potential = max(potential, math.Abs(r.V[j]))
		}
	}
	refined := delta * 0x1p-50 * potential
	columns := make([]float64, len(b))
	var primal, dual, violation float64
	positive := 0
	for i, x := range a {
		var sum, worst float64
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
			tol := delta*(math.Abs(c)+math.Abs(r.U[i])+math.Abs(r.V[j])) + refined
			slack := c - r.U[i] - r.V[j]
			if p > 0 && slack > tol || x == 0 && slack < -tol {
				t.Fatalf("slack of (%d,%d) is %v ± %v, plan %v", i, j, slack, tol, p)
			}
			worst = max(worst, -slack-tol)
		}
		if math.Abs(sum-x) > 1e-12*mass {
			t.Fatalf("row %d sums to %v, want %v", i, sum, x)
		}
		violation += x * worst
		dual += x * r.U[i]
	}
	for j, x := range b {
		if math.Abs(columns[j]-x) > 1e-12*mass {
			t.Fatalf("column %d sums to %v, want %v", j, columns[j], x)
		}
		dual += x * r.V[j]
	}
	// Masses are rounded too, and what that leaves is in one bin.
	if tol := delta * (2*used + mass*potential); math.Abs(primal-dual) > tol || math.Abs(primal-r.Cost) > tol {
		t.Fatalf("cost %v, plan %v, dual %v, want them within %v", r.Cost, primal, dual, tol)
	}
	if tol := delta*used + refined*mass; violation > tol {
		t.Fatalf("the dual is infeasible by %v, want at most %v", violation, tol)
	}
	if positive > len(a)+len(b)-1 {
		t.Fatalf("%d positive entries are no basis of %d×%d", positive, len(a), len(b))
	}
}

func solve(t *testing.T, a, b, cost []float64) *Result {
	t.Helper()
	r, err := Solve(t.Context(), a, b, cost)
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
	for _, n := range []int{1, 2, 3, 4, 5, 6, 8} {
		for trial := range 60 {
			a, cost := make([]float64, n), make([]float64, n*n)
			for i := range a {
				a[i] = 1
			}
			kind := trial % 3
			if n&(n-1) != 0 {
				kind = 0 // 1/n is rounded, and moving what that leaves may be dear
			}
			for i := range cost {
				switch kind {
				case 0:
					cost[i] = float64(rng.IntN(8) - 2) // many ties, any sign
				case 1:
					cost[i] = float64(rng.IntN(8))
					if rng.IntN(2) == 0 {
						cost[i] = 1e15
					}
				case 2:
					cost[i] = math.Exp(20 * rng.NormFloat64())
				}
			}
			best, moved := math.Inf(1), 0.0 // Σ cost and Σ |cost|
			var permute func(i int, used int, sum, absolute float64)
			permute = func(i, used int, sum, absolute float64) {
				if i == n {
					if sum < best {
						best, moved = sum, absolute
					}
					return
				}
				for j := range n {
					if used&(1<<j) == 0 {
						c := cost[i*n+j]
						permute(i+1, used|1<<j, sum+c, absolute+math.Abs(c))
					}
				}
			}
			permute(0, 0, 0, 0)
			if r := solve(t, a, a, cost); math.Abs(r.Cost-best) > 0x1p-49*float64(2*n+1)*moved {
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
	for trial := range 100 {
		n, m := 1+rng.IntN(30), 1+rng.IntN(30)
		a, b := histogram(rng, n), histogram(rng, m)
		cost := make([]float64, n*m)
		for i := range cost {
			switch trial % 5 {
			case 0:
				cost[i] = float64(rng.IntN(3))
			case 1:
				cost[i] = 0
			case 2:
				cost[i] = math.Exp(20 * rng.NormFloat64())
			case 3:
				cost[i] = rng.NormFloat64() * 1e-200
			case 4:
				cost[i] = rng.NormFloat64() * math.Exp(100*rng.NormFloat64())
			}
		}
		solve(t, a, b, cost)
	}
}

// forbid is a problem of n×n bins with costs in [0, 1], multiples of 2⁻²⁰, of which three in
// ten are forbidden by the given cost.
func forbid(seed uint64, n int, cost float64) (a, b, costs []float64) {
	rng := rand.New(rand.NewPCG(seed, 6))
	a, b, costs = make([]float64, n), make([]float64, n), make([]float64, n*n)
	var sumA, sumB float64
	for i := range n {
		a[i], b[i] = rng.ExpFloat64(), rng.ExpFloat64()
		sumA, sumB = sumA+a[i], sumB+b[i]
	}
	for i := range n {
		a[i], b[i] = a[i]/sumA, b[i]/sumB
	}
	for i := range costs {
		costs[i] = float64(rng.IntN(1<<20)) * 0x1p-20
		if rng.IntN(10) < 3 {
			costs[i] = cost
		}
	}
	return a, b, costs
}

// TestForbidden: a cost that nobody has to pay does not matter.
func TestForbidden(t *testing.T) {
	for _, n := range []int{30, 100, 300} {
		a, b, cost := forbid(uint64(n), n, 10)
		want := solve(t, a, b, cost)
		for _, forbidden := range []float64{1e6, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e30, 1e290} {
			a, b, cost := forbid(uint64(n), n, forbidden)
			r := solve(t, a, b, cost)
			if math.Abs(r.Cost-want.Cost) > 1e-12*want.Cost {
				t.Errorf("n=%d: cost %v with arcs of %v, %v with arcs of 10", n, r.Cost, forbidden, want.Cost)
			}
			for i := range n {
				if u, v := math.Abs(r.U[i]), math.Abs(r.V[i]); u > float64(2*n) || v > float64(2*n) {
					t.Fatalf("n=%d: potentials %v and %v with arcs of %v", n, r.U[i], r.V[i], forbidden)
				}
			}
		}
	}
}

// TestForced: a bin of little mass that must pay the forbidden cost wherever it goes. A cost
// more in a whole row makes all plans dearer by the same.
func TestForced(t *testing.T) {
	const n, mass = 100, 1e-9
	for _, forbidden := range []float64{1 << 20, 1 << 30, 1 << 40, 1 << 50} {
		var costs [2]float64
		for k, more := range []float64{0, forbidden} {
			a, b, cost := forbid(1, n, forbidden)
			rest := 1 - a[0]
			for i := range a {
				a[i] *= (1 - mass) / rest
			}
			a[0] = mass
			rng := rand.New(rand.NewPCG(1, 7))
			for j := range n {
				// Both sums are exact for costs below 2⁵³·2⁻².
				cost[j] = more + float64(rng.IntN(4))/4
			}
			costs[k] = solve(t, a, b, cost).Cost
		}
		// The plan is known to δ of the cost; the masses to 2⁻⁶⁰.
		want := costs[0] + mass*forbidden
		if tol := 0x1p-49*(2*n+1)*want + 2*n*0x1p-60*forbidden; math.Abs(costs[1]-want) > tol {
			t.Errorf("cost %v with a row of %v, want %v ± %v", costs[1], forbidden, want, tol)
		}
	}
}

// TestBlocks: a problem of two parts with equal masses, with forbidden arcs between them.
func TestBlocks(t *testing.T) {
	const n = 40
	for _, forbidden := range []float64{1e6, 1e12, 1e15, 1e18} {
		a, b, cost := make([]float64, 2*n), make([]float64, 2*n), make([]float64, 4*n*n)
		for i := range cost {
			cost[i] = forbidden
		}
		var want float64
		for part := range 2 {
			rng := rand.New(rand.NewPCG(uint64(part), 8))
			own := make([]float64, n*n)
			for i := range own {
				own[i] = rng.Float64()
				cost[(part*n+i/n)*2*n+part*n+i%n] = own[i]
			}
			// Multiples of 2⁻⁸: both parts have the same mass when rounded too.
			x, y := a[part*n:][:n], b[part*n:][:n]
			for range 128 {
				x[rng.IntN(n)] += 0x1p-8
				y[rng.IntN(n)] += 0x1p-8
			}
			want += solve(t, x, y, own).Cost
		}
		r := solve(t, a, b, cost)
		if math.Abs(r.Cost-want) > 1e-12*want {
			t.Errorf("cost %v with arcs of %v between the parts, want %v", r.Cost, forbidden, want)
		}
	}
}

// TestScale: a power of two as a factor of the costs is one of all results.
func TestScale(t *testing.T) {
	for _, forbidden := range []float64{1, 1e12} {
		a, b, cost := forbid(2, 60, forbidden)
		want := solve(t, a, b, cost)
		for _, factor := range []float64{0x1p-200, 0x1p-100, 0x1p100, 0x1p200} {
			scaled := make([]float64, len(cost))
			for i, c := range cost {
				scaled[i] = factor * c
			}
			r := solve(t, a, b, scaled)
			if r.Cost != factor*want.Cost || !slices.Equal(r.Plan, want.Plan) {
				t.Errorf("cost %v for costs times %v, want %v", r.Cost, factor, factor*want.Cost)
			}
			for i, u := range want.U {
				if r.U[i] != factor*u {
					t.Fatalf("U %v for costs times %v, want %v", r.U[i], factor, factor*u)
				}
			}
		}
		for _, factor := range []float64{1e-30, 1e30} {
			scaled := make([]float64, len(cost))
			for i, c := range cost {
				scaled[i] = factor * c
			}
			if r := solve(t, a, b, scaled); math.Abs(r.Cost/factor-want.Cost) > 1e-12*want.Cost {
				t.Errorf("cost %v for costs times %v, want %v", r.Cost, factor, factor*want.Cost)
			}
		}
	}
}

// TestGap: for a plan that is optimal for other costs, the gap bounds what it costs too much.
func TestGap(t *testing.T) {
	for seed := range uint64(20) {
		const n = 12
		a, b, cost := forbid(seed, n, 10)
		_, _, other := forbid(seed+100, n, 10)
		tree := newTree(integers(a, 1), integers(b, 1), cost, 10)
		if err := tree.solve(t.Context()); err != nil {
			t.Fatal(err)
		}
		optimal := solve(t, a, b, other).Cost
		copy(tree.cost, other)
		var paid float64
		for node := range int32(tree.root) {
			if !tree.top(node) {
				i, j := tree.ends(node)
				x := &tree.nodes[node]
				x.step = math.Copysign(other[i*n+j], x.step)
				paid += share(x.flow) * other[i*n+j]
			}
		}
		tree.refine()
		if gap := tree.gap(); !(gap >= paid-optimal-1e-12) || paid > optimal+1e-9 && gap == 0 {
			t.Errorf("gap %v for a plan that costs %v, optimum %v", gap, paid, optimal)
		}
	}
}

// checkTree: the nodes below each come right after it in depth-first order, one level down and at the potential
// that the arc gives. Flows leave the sources' masses and reach the targets', and an arc without flow leads up.
func checkTree(t *testing.T, tree *tree) {
	t.Helper()
	above := []int32{int32(tree.root)}
	last, seen := int32(tree.root), 0
	rest := slices.Clone(tree.mass)
	for i := tree.nodes[tree.root].next; int(i) != tree.root; i = tree.nodes[i].next {
		x := tree.nodes[i]
		if x.before != last || int(x.depth) > len(above) || x.depth < 1 || above[x.depth-1] != x.parent {
			t.Fatalf("node %d after %d, path %v: %+v", i, last, above, x)
		}
		got, want := tree.potential[i], tree.potential[x.parent]+x.step
		if math.Abs(got-want) > 0x1p-52*(math.Abs(want)+math.Abs(x.step)) {
			t.Fatalf("potential %v of node %d, want %v", got, i, want)
		}
		if x.flow < 0 || x.flow == 0 && !tree.source(i) || x.flow != 0 && tree.top(i) {
			t.Fatalf("node %d: %+v", i, x)
		}
		if rest[i] -= x.flow; !tree.top(i) {
			rest[x.parent] -= x.flow
		}
		above, last, seen = append(above[:x.depth], i), i, seen+1
	}
	if seen != tree.root || tree.nodes[tree.root].before != last {
		t.Fatalf("%d nodes in order, the last %d, want %d", seen, last, tree.root)
	}
	for i, x := range rest {
		if x != 0 {
			t.Fatalf("node %d keeps %d of its mass of %d", i, x, tree.mass[i])
		}
	}
}

// TestTree checks the tree at the start, after all pivots, and after the potentials are refined.
func TestTree(t *testing.T) {
	for seed, forbidden := range []float64{10, 1e12, 1e15} {
		a, b, cost := forbid(uint64(seed), 30, forbidden)
		tree := newTree(integers(a, 1), integers(b, 1), cost, forbidden)
		checkTree(t, tree)
		if err := tree.improve(t.Context()); err != nil {
			t.Fatal(err)
		}
		checkTree(t, tree)
		tree.refine()
		checkTree(t, tree)
	}
}

// TestStart: the first plan is one, and costs no less than the optimum, where masses and costs are often equal and may
// be negative.
func TestStart(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for range 300 {
		n, m := 1+rng.IntN(9), 1+rng.IntN(9)
		a, b, cost := make([]float64, n), make([]float64, m), make([]float64, n*m)
		var largest float64
		for i := range cost {
			cost[i] = float64(rng.IntN(7) - 3)
			largest = max(largest, math.Abs(cost[i]))
		}
		for range 16 {
			a[rng.IntN(n)] += 0x1p-4
			b[rng.IntN(m)] += 0x1p-4
		}
		tree := newTree(integers(a, 1), integers(b, 1), cost, largest)
		checkTree(t, tree)
		// All sums are of multiples of 2⁻⁴.
		var first float64
		tree.total = 1
		for arc, mass := range tree.plan {
			first += mass * cost[arc]
		}
		if want := solve(t, a, b, cost).Cost; first < want {
			t.Fatalf("the start costs %v, the optimum %v", first, want)
		}
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
	r, err := Solve(t.Context(), a, b, cost)
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
		if _, err := Solve(t.Context(), c.a, c.b, c.cost); err == nil || !strings.Contains(err.Error(), c.want) {
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
				r, err := Solve(b.Context(), rows[solved%n], rows[(7*solved+1)%n], cost)
				if err != nil {
					b.Fatal(err)
				}
				pivots, solved = pivots+r.Pivots, solved+1
			}
			b.ReportMetric(float64(pivots)/float64(solved), "pivots")
		})
	}
}

// BenchmarkRectangle takes n×n bins, all with mass, and a cost each: distances between random points of 20 dimensions.
func BenchmarkRectangle(b *testing.B) {
	for _, n := range []int{10, 25, 60} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			const count, dim = 32, 20
			rng := rand.New(rand.NewPCG(uint64(n), 2))
			var problems [count]ot.Rectangle
			for i := range problems {
				r := &problems[i]
				r.Source, r.Target = make([]float64, n), make([]float64, n)
				for _, side := range [][]float64{r.Source, r.Target} {
					sum := 0.0
					for j := range side {
						side[j] = rng.ExpFloat64()
						sum += side[j]
					}
					for j := range side {
						side[j] /= sum
					}
				}
				points := make([]float64, 2*n*dim)
				for k := range points {
					points[k] = rng.NormFloat64()
				}
				r.Between(func(i, j int) float64 {
					var sum float64
					for d := range dim {
						x := points[i*dim+d] - points[(n+j)*dim+d]
						sum += float64(x * x)
					}
					return math.Sqrt(sum)
				})
			}
			pivots, solved := 0, 0
			for b.Loop() {
				r, err := New().Rectangle(b.Context(), &ot.Batch{}, &problems[solved%count])
				if err != nil {
					b.Fatal(err)
				}
				pivots, solved = pivots+r.Iterations, solved+1
			}
			b.ReportMetric(float64(pivots)/float64(solved), "pivots")
		})
	}
}
