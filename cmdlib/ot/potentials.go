package ot

import "math"

// Potentials returns the potentials (5) of a pair's plan for all n bins of a side, n = K, or K+1 with a border, from those that
// an engine has: g_j, or −∞ at bins of the target without mass or next to none. As the row sums of the plan are exact,
//
//	f_i = −λ ln Σ_j b_j exp((g_j − M_ij)/λ)   for all i                              (6)
//	g_j = −λ ln Σ_i a_i exp((f_i − M_ij)/λ)   where it is not given
//
// which is how mass that was put in an empty bin would be priced. p must be valid; it takes 2n² exponentials.
func (p *Problem) Potentials(pair int, g []float64) (source, target []float64) {
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
			sum += mass * math.Exp((x-largest)/p.Reg)
		}
	}
	return -largest - p.Reg*math.Log(sum)
}
