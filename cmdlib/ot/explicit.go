package ot

// Explicit returns pair's problem written out in float64. It has the source and target histograms (n bins each),
// normalised as by Normalised, and the n×n cost in row-major order. n is K, or K+1 with a border, whose points come
// first. p must be valid.
func (p *Problem) Explicit(pair int) (source, target, cost []float64) {
	k := p.Cost.K
	i, j := int(p.Pairs[pair].Source), int(p.Pairs[pair].Target)
	n, first, share := k, 0, 1.0
	if p.Border != nil {
		n, first, share = k+1, 1, 1-p.Border.Mass
	}
	source, target, cost = make([]float64, n), make([]float64, n), make([]float64, n*n)
	from, to := p.Rows.Row(i), p.Rows.Row(j)
	sumFrom, sumTo := unrounded(from), unrounded(to)
	for s := range k {
		source[first+s] = share * float64(divided(from[s], sumFrom))
		target[first+s] = share * float64(divided(to[s], sumTo))
		for t := range k {
			cost[(first+s)*n+first+t] = float64(p.Cost.Data[s*k+t])
		}
	}
	if b := p.Border; b != nil {
		source[0], target[0] = b.Mass, b.Mass
		cost[0] = float64(b.Between[pair])
		for s := range k {
			cost[1+s] = float64(b.FromPoint[i*k+s])
			cost[(1+s)*n] = float64(b.ToPoint[j*k+s])
		}
	}
	return source, target, cost
}
