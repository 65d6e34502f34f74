package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
)

const (
	// enough is the marginal error at which iterations end; it is looked at in each.
	enough = 1e-4
	// patience is when they end without.
	patience = 3000
)

// way is one way to solve a pair: over-relaxation ω and the start of ln u, nil for 0.
type way struct {
	name  string
	omega float64
	start func(s *scaling) []float64
}

var ways = []way{
	{"as in the paper", 1, nil},
	{"ω = 1.2", 1.2, nil},
	{"ω = 1.4", 1.4, nil},
	{"ω = 1.6", 1.6, nil},
	{"ω = 1.8", 1.8, nil},
	{"from the solution at 2λ", 1, func(s *scaling) []float64 { return s.coarse }},
	{"from a mean potential", 1, func(s *scaling) []float64 { return s.mean }},
	{"ω = 1.4 from 2λ", 1.4, func(s *scaling) []float64 { return s.coarse }},
}

// acceleration counts iterations until the marginal error is small.
func (s *subject) acceleration() {
	fmt.Printf("\nIterations until both marginal errors sum to %g: median (worst).\n\n| λ | |", float64(enough))
	for _, w := range ways {
		fmt.Print(" ", w.name, " |")
	}
	fmt.Print("\n|--:|:--|")
	for range ways {
		fmt.Print("--:|")
	}
	fmt.Println()
	p := s.problem()
	each := func(f func(i int)) {
		var wait sync.WaitGroup
		for i := range p.Pairs {
			wait.Go(func() { f(i) })
		}
		wait.Wait()
	}
	for _, reg := range []float64{0.1, 0.05, 0.02, 0.01} {
		problems := make([]*scaling, len(p.Pairs))
		each(func(i int) {
			a, b, m := p.Explicit(i)
			problems[i] = newScaling(a, b, m, reg)
			coarse := newScaling(a, b, m, 2*reg)
			coarse.solve(1, nil)
			// λ ln u is a potential in units of the cost.
			for j := range a {
				problems[i].coarse = append(problems[i].coarse, 2*coarse.logU(j))
			}
			problems[i].solve(1, nil)
			for j := range a {
				problems[i].final = append(problems[i].final, problems[i].logU(j))
			}
		})
		counts := make([][]int, len(p.Pairs))
		each(func(i int) {
			x := problems[i]
			x.mean = make([]float64, len(x.a))
			for bin, mass := range x.a {
				var sum, n float64
				for j, other := range problems {
					if j != i && kind(j) == kind(i) && other.a[bin] > 0 {
						sum, n = sum+other.final[bin]-math.Log(other.a[bin]), n+1
					}
				}
				if mass > 0 {
					x.mean[bin] = sum/max(n, 1) + math.Log(mass)
				}
			}
			for _, w := range ways {
				var start []float64
				if w.start != nil {
					start = w.start(x)
				}
				counts[i] = append(counts[i], x.solve(w.omega, start))
			}
		})
		for _, k := range kinds {
			fmt.Printf("| %g | %s |", reg, k)
			for at := range ways {
				var all []float64
				for i := range p.Pairs {
					if kind(i) == k {
						all = append(all, float64(counts[i][at]))
					}
				}
				worst := fmt.Sprintf("%.0f", slices.Max(all))
				if slices.Max(all) == patience {
					worst = fmt.Sprintf("> %d", patience)
				}
				fmt.Printf(" %.0f (%s) |", median(all), worst)
			}
			fmt.Println()
		}
	}
}

// accelerated compares cpu with and without ot.Settings.Accelerate.
func (s *subject) accelerated(ctx context.Context) error {
	const copies, times = 32, 3
	fmt.Println("\n| λ | Tol | | iterations, median (worst) | accelerated | time, of the plain one's |")
	fmt.Println("|--:|--:|:--|--:|--:|--:|")
	for _, reg := range []float64{0.3, 0.1, 0.05, 0.02, 0.01} {
		for _, tol := range []float64{1e-3, 1e-5} {
			for _, k := range kinds {
				p := s.problem()
				p.Settings = ot.Settings{Reg: reg, MaxIter: patience, Tol: tol}
				p.Pairs = nil
				for i, pair := range s.pairs {
					if kind(i) == k {
						p.Pairs = append(p.Pairs, pair)
					}
				}
				p.Pairs = slices.Repeat(p.Pairs, copies)
				var iterations [2][]float64
				ratios := make([]float64, times)
				for at := range ratios {
					var seconds [2]float64
					for i := range 2 {
						p.Accelerate = i == 1
						start := time.Now()
						results, err := ot.Distances(ctx, cpu.New(), p)
						if err != nil {
							return err
						}
						seconds[i] = time.Since(start).Seconds()
						iterations[i] = nil
						for _, r := range results {
							iterations[i] = append(iterations[i], float64(r.Iterations))
						}
					}
					ratios[at] = seconds[1] / seconds[0]
				}
				fmt.Printf("| %g | %g | %s | %.0f (%.0f) | %.0f (%.0f) | %.0f %% |\n",
					reg, tol, k, median(iterations[0]), slices.Max(iterations[0]),
					median(iterations[1]), slices.Max(iterations[1]), 100*median(ratios))
			}
		}
	}
	return nil
}

// acceleratedBarycenters does so for barycenters of 8 words.
func (s *subject) acceleratedBarycenters(ctx context.Context) error {
	const copies, times, length = 8, 3, 8
	fmt.Println("\n| λ | Tol | iterations, median (worst) | accelerated | from the limit in L1, median (worst) | " +
		"accelerated | time, of the plain one's |")
	fmt.Println("|--:|--:|--:|--:|--:|--:|--:|")
	p := &ot.BarycenterProblem{Cost: s.cost, Rows: s.rows, Offsets: []int{0}}
	for range copies {
		for i := range sample {
			for j := range length {
				p.Members, p.Weights = append(p.Members, int32((i+j)%sample)), append(p.Weights, 1./length)
			}
			p.Offsets = append(p.Offsets, len(p.Members))
		}
	}
	for _, reg := range []float64{0.1, 0.05, 0.02, 0.01, 0.005} {
		limit := *p
		limit.Offsets = p.Offsets[:sample+1]
		limit.Members, limit.Weights = p.Members[:sample*length], p.Weights[:sample*length]
		limit.Settings = ot.Settings{Reg: reg, MaxIter: 30000, Tol: 1e-6}
		limits, err := ot.Barycenters(ctx, cpu.New(), &limit)
		if err != nil {
			return err
		}
		for _, tol := range []float64{1e-3, 1e-4} {
			var iterations, away [2][]float64
			ratios := make([]float64, times)
			for at := range ratios {
				var seconds [2]float64
				for i := range 2 {
					p.Settings = ot.Settings{Reg: reg, MaxIter: 10000, Tol: tol, Accelerate: i == 1}
					start := time.Now()
					results, err := ot.Barycenters(ctx, cpu.New(), p)
					if err != nil {
						return err
					}
					seconds[i] = time.Since(start).Seconds()
					iterations[i], away[i] = nil, nil
					for at, r := range results[:sample] {
						var d float64
						for j, x := range r.Histogram {
							d += math.Abs(float64(x) - float64(limits[at].Histogram[j]))
						}
						iterations[i], away[i] = append(iterations[i], float64(r.Iterations)), append(away[i], d)
					}
				}
				ratios[at] = seconds[1] / seconds[0]
			}
			fmt.Printf("| %g | %g |", reg, tol)
			for _, all := range iterations {
				fmt.Printf(" %.0f (%.0f) |", median(all), slices.Max(all))
			}
			for _, all := range away {
				fmt.Printf(" %.1e (%.1e) |", median(all), slices.Max(all))
			}
			fmt.Printf(" %.0f %% |\n", 100*median(ratios))
		}
	}
	return nil
}

// scaling is a pair's problem in float64, whose exponents reach far enough here.
type scaling struct {
	a, b, kernel, u, v, sum []float64
	// ln u of the solution, of that at 2λ, and of the mean over the others.
	final, coarse, mean []float64
}

func newScaling(a, b, cost []float64, reg float64) *scaling {
	s := &scaling{
		a: a, b: b, kernel: make([]float64, len(cost)), u: make([]float64, len(a)), v: make([]float64, len(b)),
		sum: make([]float64, len(b)),
	}
	for i, c := range cost {
		s.kernel[i] = math.Exp(-c / reg)
	}
	return s
}

func (s *scaling) logU(i int) float64 {
	if s.a[i] == 0 {
		return 0
	}
	return math.Log(s.u[i])
}

// solve iterates v ← v^(1−ω)·(b/Kᵀu)^ω, u ← u^(1−ω)·(a/Kv)^ω from ln u = start and
// returns the number of iterations it took, at most patience.
func (s *scaling) solve(omega float64, start []float64) int {
	n := len(s.b)
	for i, mass := range s.a {
		s.u[i] = 0
		if mass > 0 {
			s.u[i] = 1
			if start != nil {
				s.u[i] = math.Exp(start[i])
			}
		}
	}
	relax := func(old, next float64, first bool) float64 {
		if omega == 1 || first {
			return next
		}
		return math.Pow(old, 1-omega) * math.Pow(next, omega)
	}
	row := func(i int) (sum float64) {
		for j, k := range s.kernel[i*n:][:n] {
			sum += k * s.v[j]
		}
		return sum
	}
	for iteration := 0; ; iteration++ {
		clear(s.sum)
		for i, u := range s.u {
			if u > 0 {
				for j, k := range s.kernel[i*n:][:n] {
					s.sum[j] += u * k
				}
			}
		}
		if iteration > 0 {
			var wrong float64
			for j, b := range s.b {
				wrong += math.Abs(s.v[j]*s.sum[j] - b)
			}
			if omega != 1 { // else the row sums are exact
				for i, a := range s.a {
					if a > 0 {
						wrong += math.Abs(s.u[i]*row(i) - a)
					}
				}
			}
			if wrong <= enough {
				return iteration
			}
			if iteration == patience || math.IsNaN(wrong) {
				return patience
			}
		}
		for j, b := range s.b {
			if s.v[j] = relax(s.v[j], b/s.sum[j], iteration == 0); b == 0 {
				s.v[j] = 0
			}
		}
		for i, a := range s.a {
			if a > 0 {
				s.u[i] = relax(s.u[i], a/row(i), iteration == 0)
			}
		}
	}
}
