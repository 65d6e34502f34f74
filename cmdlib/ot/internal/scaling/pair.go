// Package scaling iterates the scalings of transport problems as logarithms, which neither overflow nor underflow: so
// it solves every valid λ. Engines bring what the time goes to, the soft minima of a cost.
//
// All logarithms are binary.
package scaling

import (
	"context"
	"math"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/internal/overrelax"
	"contextmover/internal/elementary"
)

// Softmin computes the soft minima of an n×m cost c against potentials.
type Softmin interface {
	// Columns stores dst_j = log2 Σ_i 2^(f_i − c_ij), Rows dst_i = log2 Σ_j 2^(g_j − c_ij).
	Columns(dst, f []float64)
	Rows(dst, g []float64)
}

// Make returns the soft minima of n×m costs.
type Make func(n, m int, cost func(i, j int) float64) Softmin

// Solution is the plan of a pair, T_ij = 2^(f_i + g_j − c_ij).
type Solution struct {
	ot.Result
	// Mass are its entries, and Potential the potentials (5) of the target's bins, −∞ without mass.
	Mass      func(i, j int) float64
	Potential func(j int) float64
}

// log2 returns the binary logarithms of x.
func log2(x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = elementary.Log2(x[i])
	}
	return y
}

// exp2 is log2's inverse.
func exp2(x []float64) []float64 {
	y := make([]float64, len(x))
	for i := range x {
		y[i] = elementary.Exp2(x[i])
	}
	return y
}

// step makes the scalings x of the divisors that they meet: mass/divisor^(1−ψ), relaxed by ω.
func step(x, mass, divisors []float64, slack, omega float64) {
	for i, m := range mass {
		x[i] = overrelax.Log2(x[i], m-float64((1-slack)*divisors[i]), omega)
	}
}

// Pair solves a pair of p, balanced or not, on its bins with mass. p must be valid.
func Pair(ctx context.Context, p *ot.Problem, pair int, softmin Make) (*Solution, error) {
	unit := 1 / (p.Reg * math.Ln2)
	support := p.Support(pair)
	a, b := log2(support.Source), log2(support.Target)
	n, m := len(a), len(b)
	cost := func(i, j int) float64 { return float64(support.Cost[i*m+j] * unit) }
	minima := softmin(n, m, cost)

	f, g := make([]float64, n), make([]float64, m)
	row, column := make([]float64, n), make([]float64, m)
	slack, relaxing := p.Slack(), p.Accelerate && p.Tol > 0 && p.Penalty == 0
	var result ot.Result
	var pace overrelax.Pace
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		minima.Columns(column, f)
		if i := result.Iterations; i == p.MaxIter || p.Tol > 0 && i > 0 && i%10 == 0 {
			difference, moved := 0.0, 0.0
			for j, x := range b {
				sum := elementary.Exp2(g[j] + column[j])
				difference += math.Abs(sum - elementary.Exp2(x+float64(slack*column[j])))
				moved += sum
			}
			result.MarginalError = p.MarginalError(difference, moved)
			result.Converged = p.Tol > 0 && result.MarginalError <= p.Tol
			pace.Look(i, result.MarginalError)
			if result.Converged || i == p.MaxIter {
				break
			}
		}

		omega := 1.
		if relaxing && result.Iterations > 0 {
			omega = pace.Omega()
		}
		step(g, b, column, slack, omega)
		minima.Rows(row, g)
		result.Iterations++
		switch {
		case result.Iterations == p.MaxIter || result.Iterations%10 == 0: // what is looked at has the row sums a
			omega = 1
		case relaxing:
			omega = pace.Omega()
		}
		step(f, a, row, slack, omega)
	}

	mass := func(i, j int) float64 { return elementary.Exp2(f[i] + g[j] - cost(i, j)) }
	sum := 0.0
	for i, x := range f {
		for j := range g {
			// Exponentials are dear, and most of a plan is empty.
			if c := cost(i, j); x+g[j]-c > -80 {
				moved := mass(i, j)
				result.Cost += float64(moved * c)
				sum += moved
			}
		}
	}
	result.Cost /= unit
	if p.Penalty > 0 {
		result.Moved = sum
	}

	switch {
	case p.Values && slack > 0:
		for _, logarithms := range [][]float64{row, column} {
			for i := range logarithms {
				logarithms[i] *= math.Ln2
			}
		}
		result.Value = p.UnbalancedValue(exp2(a), row, exp2(b), column)
	case p.Values:
		for i, x := range a {
			result.Value += float64(elementary.Exp2(x) * (f[i] - x))
		}
		for j, x := range b {
			result.Value += float64(elementary.Exp2(x) * (g[j] - x))
		}
		result.Value /= unit
	}
	s := &Solution{Result: result}
	s.Mass, s.Potential = support.Whole(mass, func(j int) float64 { return (g[j] - b[j]) / unit })
	return s, nil
}
