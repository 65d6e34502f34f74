package ot_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/reference"
)

// gradientWorld is four histograms of six bins, one of them with an empty bin, over distances of points in the plane.
func gradientWorld() *ot.Problem {
	const k, n = 6, 4
	rng := rand.New(rand.NewPCG(8, 15))
	p := &ot.Problem{
		Settings: ot.Settings{Reg: 1, MaxIter: 5000, Tol: 1e-12},
		Cost:     ot.Cost{K: k, Data: make([]float32, k*k)}, Rows: ot.Histograms{K: k, Data: make([]float32, n*k)},
		Pairs: []ot.Pair{{Source: 0, Target: 1}, {Source: 2, Target: 1}, {Source: 3, Target: 0}, {Source: 2, Target: 2}},
	}
	points := make([]float64, 2*k)
	for i := range points {
		points[i] = rng.NormFloat64()
	}
	for i := range k {
		for j := range k {
			p.Cost.Data[i*k+j] = float32(math.Hypot(points[2*i]-points[2*j], points[2*i+1]-points[2*j+1]))
		}
	}
	for i := range n {
		// Masses of sum 1 in float32, too: otherwise potentials go on drifting.
		row := p.Rows.Row(i)
		for j := range row {
			row[j] = 2. / 64
			if i == 3 && j == 2 {
				row[j] = 0
			}
		}
		sum := float32(0)
		for _, x := range row {
			sum += x
		}
		for ; sum < 1; sum += 1. / 64 {
			j := rng.IntN(k)
			for row[j] == 0 {
				j = rng.IntN(k)
			}
			row[j] += 1. / 64
		}
	}
	return p
}

func doubles(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, z := range x {
		y[i] = float64(z)
	}
	return y
}

// value64 is the value of (4), or with a penalty of (9), converged, in float64.
func value64(a, b, cost []float64, reg, penalty float64) float64 {
	k := len(a)
	f, g := make([]float64, k), make([]float64, k)
	rate := 1.0
	if penalty > 0 {
		rate = penalty / (penalty + reg)
	}
	for moved := 1.0; moved > 1e-15; {
		moved = 0
		for j := range g {
			sum := 0.0
			for i, x := range a {
				sum += x * math.Exp((f[i]-cost[i*k+j])/reg)
			}
			next := -rate * reg * math.Log(sum)
			moved = max(moved, math.Abs(next-g[j])/(1+math.Abs(next)))
			g[j] = next
		}
		for i := range f {
			sum := 0.0
			for j, y := range b {
				sum += y * math.Exp((g[j]-cost[i*k+j])/reg)
			}
			f[i] = -rate * reg * math.Log(sum)
		}
	}
	value := 0.0
	rows, columns := make([]float64, k), make([]float64, k)
	for i, x := range a {
		for j, y := range b {
			t := x * y * math.Exp((f[i]+g[j]-cost[i*k+j])/reg)
			rows[i], columns[j] = rows[i]+t, columns[j]+t
			value += x*y*reg - t*reg
			if t > 0 {
				value += t*cost[i*k+j] + reg*t*math.Log(t/(x*y))
			}
		}
	}
	if penalty > 0 {
		for i, x := range a {
			for _, side := range [][2]float64{{rows[i], x}, {columns[i], b[i]}} {
				value += penalty * (side[1] - side[0])
				if side[0] > 0 {
					value += penalty * side[0] * math.Log(side[0]/side[1])
				}
			}
		}
	}
	return value
}

// TestGradients: gradients of weighted sums of values, balanced and unbalanced, and of divergences, in the histograms
// and in the cost, are finite differences in float64.
func TestGradients(t *testing.T) {
	weights := []float64{1, -0.5, 2, 0.7}
	for _, kind := range []string{"values", "unbalanced", "divergences"} {
		p := gradientWorld()
		k := p.Cost.K
		if kind == "unbalanced" {
			p.Penalty = 0.8
		}
		total := func(rows, cost []float64) (sum float64) {
			row := func(i int32) []float64 { return rows[int(i)*k:][:k] }
			value := func(i, j int32) float64 { return value64(row(i), row(j), cost, p.Reg, p.Penalty) }
			for i, pair := range p.Pairs {
				v := value(pair.Source, pair.Target)
				if kind == "divergences" {
					v -= (value(pair.Source, pair.Source) + value(pair.Target, pair.Target)) / 2
				}
				sum += weights[i] * v
			}
			return sum
		}
		rows, cost := doubles(p.Rows.Data), doubles(p.Cost.Data)
		const h = 1e-5
		difference := func(x []float64, change []float64) float64 {
			before := slices.Clone(x)
			at := func(h float64) float64 {
				for i := range x {
					x[i] = before[i] + h*change[i]
				}
				return total(rows, cost)
			}
			d := (at(h) - at(-h)) / (2 * h)
			copy(x, before)
			return d
		}
		for _, engine := range []ot.Engine{reference.New(), cpu.New()} {
			gradient := ot.ValueGradient
			if kind == "divergences" {
				gradient = ot.DivergenceGradient
			}
			q := *p
			tol := 1e-7
			if engine.Name() == "cpu" {
				q.Tol, q.MaxIter, tol = 0, 300, 1e-5
			}
			got, err := gradient(t.Context(), engine, &q, weights)
			if err != nil {
				t.Fatal(err)
			}
			worst := 0.0
			check := func(what string, want, got float64) {
				d := math.Abs(got-want) / max(1, math.Abs(want))
				if worst = max(worst, d); !(d <= tol) {
					t.Errorf("%s, %s, %s: %v, by finite differences %v", engine.Name(), kind, what, got, want)
				}
			}
			check("value", total(rows, cost), got.Value)
			rng := rand.New(rand.NewPCG(3, 4))
			for i := range p.Rows.Len() {
				// Mass moves between bins that have some.
				change, slope := make([]float64, len(rows)), 0.0
				mean, n := 0.0, 0
				for j, x := range p.Rows.Row(i) {
					if x > 0 {
						change[i*k+j] = rng.NormFloat64()
						mean, n = mean+change[i*k+j], n+1
					}
				}
				for j, x := range p.Rows.Row(i) {
					if x > 0 {
						change[i*k+j] -= mean / float64(n)
					}
					slope += change[i*k+j] * got.Rows[i*k+j]
				}
				check("histogram", difference(rows, change), slope)
			}
			for at, x := range rows {
				if x > 0 {
					continue
				}
				// Mass comes into an empty bin, from another of the row: a difference to one side.
				before := slices.Clone(rows)
				value := func(h float64) float64 {
					rows[at], rows[at-1] = before[at]+h, before[at-1]-h
					return total(rows, cost)
				}
				check("empty bin", (4*value(h)-value(2*h)-3*value(0))/(2*h), got.Rows[at]-got.Rows[at-1])
				copy(rows, before)
			}
			for i := range k * k {
				change := make([]float64, k*k)
				change[i] = 1
				check("cost", difference(cost, change), got.Cost[i])
			}
			t.Logf("%s, %s: largest error %.1e", engine.Name(), kind, worst)
		}
	}
}

// barycenter64 is (2), debiased or not, iterated to its end in float64.
func barycenter64(rows [][]float64, weights, cost []float64, reg float64, debiased bool) []float64 {
	k := len(rows[0])
	kernel := make([]float64, k*k)
	for i, c := range cost {
		kernel[i] = math.Exp(-c / reg)
	}
	b, s, u := make([]float64, k), make([][]float64, len(rows)), make([][]float64, len(rows))
	d := slices.Repeat([]float64{1}, k)
	for m := range rows {
		s[m], u[m] = make([]float64, k), slices.Repeat([]float64{1}, k)
	}
	for range 3000 {
		for m, a := range rows {
			clear(s[m])
			for i, x := range a {
				sum := 0.0
				for j, y := range u[m] {
					sum += y * kernel[i*k+j]
				}
				for j := range s[m] {
					s[m][j] += x / sum * kernel[i*k+j]
				}
			}
		}
		for j := range b {
			log := math.Log(d[j])
			for m, w := range weights {
				log += w * math.Log(s[m][j])
			}
			b[j] = math.Exp(log)
			for m := range rows {
				u[m][j] = b[j] / s[m][j]
			}
		}
		if !debiased {
			continue
		}
		next := make([]float64, k)
		for i := range next {
			sum := 0.0
			for j, y := range d {
				sum += kernel[i*k+j] * y
			}
			next[i] = math.Sqrt(d[i] * b[i] / sum)
		}
		d = next
	}
	return b
}

// TestBarycenterGradient: derivatives of a function of a barycenter in histograms, weights and cost are finite
// differences in float64, also in a bin that a member does not have.
func TestBarycenterGradient(t *testing.T) {
	for _, debiased := range []bool{false, true} {
		t.Run(fmt.Sprintf("debiased=%v", debiased), func(t *testing.T) { testBarycenterGradient(t, debiased) })
	}
}

func testBarycenterGradient(t *testing.T, debiased bool) {
	p := gradientWorld()
	k := p.Cost.K
	g := &ot.BarycenterProblem{
		Settings: p.Settings, Cost: p.Cost, Rows: p.Rows, Offsets: []int{0, 1, 4}, Members: []int32{0, 1, 2, 3},
		Weights: []float32{1, 0.5, 0.2, 0.3}, Debiased: debiased, UntilConverged: debiased,
	}
	loss := func(b []float64) (sum float64) {
		for j, x := range b {
			sum += float64(j) * x * x
		}
		return sum
	}
	slope := func(b []float64) (all []float64) {
		for j, x := range b {
			all = append(all, 2*float64(j)*x)
		}
		return all
	}
	for _, engine := range []ot.Engine{reference.New(), cpu.New()} {
		for group := range 2 {
			q, tol := *g, 1e-6
			if debiased {
				q.Tol, q.MaxIter, tol = 1e-9, 20000, 1e-4
			}
			if engine.Name() == "cpu" {
				q.Tol, tol = 1e-6, 1e-4
			}
			got, err := ot.NewBarycenterGradient(t.Context(), engine, &q, group, slope)
			if err != nil {
				t.Fatal(err)
			}
			lo, hi := g.Offsets[group], g.Offsets[group+1]
			var rows [][]float64
			for _, m := range g.Members[lo:hi] {
				rows = append(rows, doubles(p.Rows.Row(int(m))))
			}
			weights, cost := doubles(g.Weights[lo:hi]), doubles(p.Cost.Data)
			worst := 0.0
			check := func(what string, x, change, gradient []float64) {
				const h = 1e-5
				before := slices.Clone(x)
				at := func(h float64) float64 {
					for i := range x {
						x[i] = before[i] + h*change[i]
					}
					return loss(barycenter64(rows, weights, cost, p.Reg, debiased))
				}
				want := (at(h) - at(-h)) / (2 * h)
				if strings.HasPrefix(what, "empty") {
					want = (4*at(h) - at(2*h) - 3*at(0)) / (2 * h)
				}
				copy(x, before)
				slope := 0.0
				for i, c := range change {
					slope += c * gradient[i]
				}
				d := math.Abs(slope-want) / max(1, math.Abs(want))
				if worst = max(worst, d); !(d <= tol) {
					t.Errorf("%s, group %d, %s: %v, by finite differences %v", engine.Name(), group, what, slope, want)
				}
			}
			for m := range rows {
				for j := range k - 1 {
					change := make([]float64, k)
					change[j], change[j+1] = 1, -1
					switch {
					case rows[m][j] > 0 && rows[m][j+1] > 0:
						check("histogram", rows[m], change, got.Members[m*k:][:k])
					case rows[m][j] == 0:
						check("empty bin", rows[m], change, got.Members[m*k:][:k])
					}
				}
				if change := make([]float64, len(rows)); m > 0 {
					change[m], change[m-1] = 1, -1
					check("weights", weights, change, got.Weights)
				}
			}
			for i := range k * k {
				change := make([]float64, k*k)
				change[i] = 1
				if debiased {
					change[i%k*k+i/k] = 1
				}
				check("cost", cost, change, got.Cost)
			}
			t.Logf("%s, group %d: largest error %.1e", engine.Name(), group, worst)
		}
	}
	zero := *g
	zero.Weights = []float32{1, 0.5, 0, 0.5}
	if _, err := ot.NewBarycenterGradient(t.Context(), cpu.New(), &zero, 1, slope); err == nil {
		t.Error("a weight of 0: no error")
	}
	g.UnweightedStart, g.Debiased, g.UntilConverged = true, false, false
	if _, err := ot.NewBarycenterGradient(t.Context(), cpu.New(), g, 0, slope); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("from an unweighted start: error %v", err)
	}
}

// TestDebiasedGradientFaults: where a debiased barycenter has no derivative that can be told, that is an error.
func TestDebiasedGradientFaults(t *testing.T) {
	p := gradientWorld()
	g := &ot.BarycenterProblem{
		Settings: ot.Settings{Reg: 1e6, MaxIter: 200}, Cost: p.Cost, Rows: p.Rows, Offsets: []int{0, 2}, Members: []int32{0, 1},
		Weights: []float32{0.5, 0.5}, Debiased: true,
	}
	slope := func(b []float64) []float64 { return b }
	_, err := ot.NewBarycenterGradient(t.Context(), cpu.New(), g, 0, slope)
	if err == nil || !strings.Contains(err.Error(), "smaller λ") {
		t.Errorf("λ = 10⁶: error %v", err)
	}
}

// TestStreamedPotentials: potentials of all pairs are those of their plans, whatever λ.
func TestStreamedPotentials(t *testing.T) {
	for _, reg := range []float64{0.3, 0.03, 0.003} {
		p := gradientWorld()
		p.Reg, p.MaxIter, p.Tol, p.Values = reg, 30, 0, true
		for _, penalty := range []float64{0, 0.5} {
			p.Penalty = penalty
			seen := 0
			err := ot.StreamPotentials(t.Context(), cpu.New(), p, func(first int, results []ot.Potentials) error {
				for i, got := range results {
					want, err := reference.New().Plan(t.Context(), p, first+i)
					if err != nil {
						return err
					}
					seen++
					if math.Abs(got.Value-want.Value) > 1e-6 {
						t.Errorf("λ=%v pair %d: value %v, expected %v", reg, first+i, got.Value, want.Value)
					}
					shift := got.F[0] - want.F[0]
					if penalty > 0 {
						shift = 0
					}
					for j := range got.F {
						f, g := got.F[j]-shift-want.F[j], got.G[j]+shift-want.G[j]
						if math.Abs(f) > 1e-5 || math.Abs(g) > 1e-5 {
							t.Errorf("λ=%v ρ=%v pair %d bin %d: potentials are off by %v and %v", reg, penalty, first+i, j, f, g)
						}
					}
				}
				return nil
			})
			if err != nil || seen != len(p.Pairs) {
				t.Fatalf("%d of %d, %v", seen, len(p.Pairs), err)
			}
		}
	}
}
