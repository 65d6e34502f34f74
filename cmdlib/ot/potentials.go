package ot

import (
	"math"

	"contextmover/internal/elementary"
)

// potentials returns the potentials (5) of a pair's plan for all n bins of a side, n = K, or K+1 with a border. It
// takes those that an engine has: g_j, or −∞ at bins of the target without mass or next to none. As the row sums of
// the plan are exact,
//
//	f_i = −λ ln Σ_j b_j exp((g_j − M_ij)/λ)   for all i                              (6)
//	g_j = −λ ln Σ_i a_i exp((f_i − M_ij)/λ)   where it is not given
//
// which is how mass that was put in an empty bin would be priced; with a penalty
// both are 1 − Slack times that. p must be valid; it takes 2n² exponentials.
func (p *Problem) potentials(pair int, g []float64) (source, target []float64) {
	a, b, cost := p.Explicit(pair)
	n := len(a)
	source, target = make([]float64, n), make([]float64, n)
	for i := range source {
		source[i] = p.softmin(n, func(j int) (mass, exponent float64) { return b[j], g[j] - cost[i*n+j] })
	}
	for j := range target {
		if target[j] = g[j]; b[j] == 0 || math.IsInf(g[j], -1) {
			target[j] = p.softmin(n, func(i int) (mass, exponent float64) { return a[i], source[i] - cost[i*n+j] })
		}
	}
	return source, target
}

// softmin returns −λ ln Σ mass·exp(exponent/λ) over the n terms with mass.
func (p *Problem) softmin(n int, term func(i int) (mass, exponent float64)) float64 {
	largest := math.Inf(-1)
	for i := range n {
		if mass, x := term(i); mass > 0 {
			largest = max(largest, x)
		}
	}
	var sum float64
	for i := range n {
		if mass, x := term(i); mass > 0 { // −∞ adds 0
			sum += float64(mass * elementary.Exp((x-largest)/p.Reg))
		}
	}
	return -(1 - p.Slack()) * (largest + float64(p.Reg*elementary.Log(sum)))
}

// Slack is ψ = λ/(λ+ρ) of unbalanced transport, 0 where there is no penalty or one so large that float64 cannot
// tell. A half of an iteration is v = b/(Kᵀu)^(1−ψ), and the column sums are then b·(Kᵀu)^ψ instead of b.
func (p *Problem) Slack() float64 {
	if p.Penalty == 0 || p.Penalty > p.Reg*0x1p52 {
		return 0
	}
	return p.Reg / (p.Reg + p.Penalty)
}

// MarginalError returns Result.MarginalError of a plan with this sum and this L1 distance of its column sums from what
// they ought to be: with a penalty, where any mass may move and mostly little does, the part that it is of the sum.
func (p *Problem) MarginalError(distance, sum float64) float64 {
	if p.Penalty == 0 || distance == 0 {
		return distance
	}
	return distance / max(sum, math.SmallestNonzeroFloat64)
}

// UnbalancedValue is the dual value of (9). It takes the logarithms of the divisors (K v)_i and (Kᵀu)_j of a plan's
// scalings u, v in the bins with masses a and b, in any order:
//
//	−ρ Σ a_i (exp(ψ ln(K v)_i) − 1) − (ρ+λ) Σ b_j (exp(ψ ln(Kᵀu)_j) − 1)
func (p *Problem) UnbalancedValue(a, rows, b, columns []float64) float64 {
	slack := p.Slack()
	var sum float64
	for i, x := range a {
		sum -= float64(p.Penalty * x * elementary.Expm1(slack*rows[i]))
	}
	for j, x := range b {
		sum -= float64((p.Penalty + p.Reg) * x * elementary.Expm1(slack*columns[j]))
	}
	return sum
}
