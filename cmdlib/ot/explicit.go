package ot

import "math"

// Explicit returns pair's problem written out in float64. It has the source and target histograms (n bins each),
// normalised as by Normalised, and the n×n cost in row-major order. n is K, or K+1 with a border, whose points come
// first. p must be valid.
func (p *Problem) Explicit(pair int) (source, target, cost []float64) {
	source, target = p.sides(pair)
	cost = make([]float64, 0, len(source)*len(target))
	for i := range source {
		for j := range target {
			cost = append(cost, p.cost(pair, i, j))
		}
	}
	return source, target, cost
}

// sides returns the histograms of Explicit.
func (p *Problem) sides(pair int) (source, target []float64) {
	side := func(row int32) (all []float64) {
		share, bins := 1.0, p.Rows.Row(int(row))
		if p.Border != nil {
			share = 1 - p.Border.Mass
			all = append(make([]float64, 0, 1+len(bins)), p.Border.Mass)
		}
		sum := unrounded(bins)
		for _, x := range bins {
			all = append(all, share*float64(divided(x, sum)))
		}
		return all
	}
	return side(p.Pairs[pair].Source), side(p.Pairs[pair].Target)
}

// cost returns the cost of Explicit from bin i to bin j.
func (p *Problem) cost(pair, i, j int) float64 {
	k, b := p.Cost.K, p.Border
	switch {
	case b == nil:
		return float64(p.Cost.Data[i*k+j])
	case i > 0 && j > 0:
		return float64(p.Cost.Data[(i-1)*k+j-1])
	case i > 0:
		return float64(b.ToPoint[int(p.Pairs[pair].Target)*k+i-1])
	case j > 0:
		return float64(b.FromPoint[int(p.Pairs[pair].Source)*k+j-1])
	}
	return float64(b.Between[pair])
}

// Support is what Explicit returns, but for the bins without mass.
type Support struct {
	Source, Target []float64
	Cost           []float64 // len(Source)×len(Target)
	rows, cols     []int     // of each bin of Explicit: its place here, −1 without mass
}

// Support returns the problem of a pair on its bins with mass. p must be valid.
func (p *Problem) Support(pair int) *Support {
	s := &Support{}
	massive := func(side []float64) (mass []float64, bins, places []int) {
		for i, x := range side {
			places = append(places, -1)
			if x > 0 {
				places[i] = len(bins)
				mass, bins = append(mass, x), append(bins, i)
			}
		}
		return mass, bins, places
	}
	source, target := p.sides(pair)
	var rows, cols []int
	s.Source, rows, s.rows = massive(source)
	s.Target, cols, s.cols = massive(target)
	s.Cost = make([]float64, 0, len(rows)*len(cols))
	for _, i := range rows {
		for _, j := range cols {
			s.Cost = append(s.Cost, p.cost(pair, i, j))
		}
	}
	return s
}

// Whole returns the entries of a plan and the potentials of the target's bins, given on s, as those of all bins:
// 0 and −∞ without mass.
func (s *Support) Whole(mass func(i, j int) float64, potential func(j int) float64) (
	func(i, j int) float64, func(j int) float64,
) {
	return func(i, j int) float64 {
			if i, j = s.rows[i], s.cols[j]; min(i, j) < 0 {
				return 0
			}
			return mass(i, j)
		}, func(j int) float64 {
			if j = s.cols[j]; j < 0 {
				return math.Inf(-1)
			}
			return potential(j)
		}
}

// Plan returns the plan of a pair with this result and entries, and with these potentials (5) of the target's bins, −∞
// without mass or next to none. p must be valid.
func (p *Problem) Plan(
	pair int, result Result, mass func(i, j int) float64, potential func(j int) float64,
) *Plan {
	n := p.Cost.K
	if p.Border != nil {
		n++
	}
	plan := &Plan{Result: result, Rows: n, Cols: n, Mass: make([]float64, 0, n*n)}
	g := make([]float64, n)
	for i := range n {
		for j := range n {
			plan.Mass = append(plan.Mass, mass(i, j))
		}
		g[i] = potential(i)
	}
	plan.F, plan.G = p.potentials(pair, g)
	plan.Bound = p.bound(pair, plan)
	return plan
}
