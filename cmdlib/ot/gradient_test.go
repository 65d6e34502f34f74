package ot_test

import (
	"math"
	"math/rand/v2"
	"slices"
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

// TestGradients checks the gradients of weighted sums of values, balanced and unbalanced, in the histograms and in the
// cost, against finite differences in float64.
func TestGradients(t *testing.T) {
	weights := []float64{1, -0.5, 2, 0.7}
	for _, kind := range []string{"values", "unbalanced"} {
		p := gradientWorld()
		k := p.Cost.K
		if kind == "unbalanced" {
			p.Penalty = 0.8
		}
		total := func(rows, cost []float64) (sum float64) {
			row := func(i int32) []float64 { return rows[int(i)*k:][:k] }
			for i, pair := range p.Pairs {
				sum += weights[i] * value64(row(pair.Source), row(pair.Target), cost, p.Reg, p.Penalty)
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
			q := *p
			tol := 1e-7
			if engine.Name() == "cpu" {
				q.Tol, q.MaxIter, tol = 0, 300, 1e-5
			}
			got, err := ot.ValueGradient(t.Context(), engine, &q, weights)
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
