package ot

import "math"

// Bound returns a lower bound of Σ S_ij M_ij over all plans S of a pair, the regularised and the optimal
// one alike, from a plan T of the form (1), converged or not. Its potentials, f_i + g_j = M_ij + λ ln T_ij where
// T_ij > 0, are made a solution of the dual problem by c-transforms, g_j = min_i (M_ij − f_i) and
// f_i = min_j (M_ij − g_j); by weak duality
//
//	Bound = Σ a_i f_i + Σ b_j g_j ≤ Σ S_ij M_ij
//
// up to rounding. It is never negative, as costs are not. At convergence
// Cost − Bound ≤ 2 λ ln n over n bins: what is left of it is due to λ, and the rest to iterations that are missing.
// p must be valid; the time is O(K²).
func (p *Problem) Bound(pair int, plan *Plan) float64 {
	a, b, cost := p.Explicit(pair)
	n := len(a)
	f, g := make([]float64, n), make([]float64, n)
	rows, columns := make([]bool, n), make([]bool, n) // those whose potential is known
	start := 0
	for i, x := range a {
		if x > a[start] {
			start = i
		}
	}
	// Rows and columns are nodes, positive entries of the plan their edges. What cannot be reached gets its
	// potential from the c-transforms alone.
	rows[start] = true
	queue := []int{start} // column j is n+j
	for len(queue) > 0 {
		node := queue[0]
		queue = queue[1:]
		for other := range n {
			i, j := node, other
			if node >= n {
				i, j = other, node-n
			}
			known := &columns[j]
			if node >= n {
				known = &rows[i]
			}
			mass := plan.Mass[i*n+j]
			if *known || !(mass > 0) {
				continue
			}
			*known = true
			sum := cost[i*n+j] + p.Reg*math.Log(mass)
			if node < n {
				g[j] = sum - f[i]
				queue = append(queue, n+j)
			} else {
				f[i] = sum - g[j]
				queue = append(queue, i)
			}
		}
	}
	for j := range g {
		g[j] = math.Inf(1)
		for i, known := range rows {
			if known {
				g[j] = min(g[j], cost[i*n+j]-f[i])
			}
		}
	}
	sum := 0.0
	for i := range f {
		f[i] = math.Inf(1)
		for j, y := range g {
			f[i] = min(f[i], cost[i*n+j]-y)
		}
		sum += a[i] * f[i]
	}
	for j, y := range g {
		sum += b[j] * y
	}
	return max(0, sum)
}
