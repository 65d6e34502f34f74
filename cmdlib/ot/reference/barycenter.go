package reference

import (
	"context"
	"math"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/internal/limit"
	"contextmover/cmdlib/ot/internal/overrelax"
	"contextmover/internal/elementary"
	"contextmover/internal/parallel"
)

// Barycenters implements ot.Engine.
func (Engine) Barycenters(
	ctx context.Context, p *ot.BarycenterProblem, yield func(first int, results []ot.Barycenter) error,
) error {
	if err := p.Validate(); err != nil {
		return err
	}
	groups := len(p.Offsets) - 1
	rates := limit.NewRates(p)
	results := make([]ot.Barycenter, min(chunk, groups))
	for first := 0; first < groups; first += chunk {
		n := min(chunk, groups-first)
		err := parallel.Blocks(ctx, n, 1, func(i, _ int) error {
			var err error
			results[i], err = barycenter(ctx, p, first+i, rates)
			return err
		})
		if err != nil {
			return err
		}
		if err := yield(first, results[:n]); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// member is one histogram of a group with its scalings, in logarithms.
type member struct {
	weight  float64
	bins    []int     // bins with mass
	log     []float64 // ln A
	t       []float64 // ln T, T = A / K U
	u, s, r []float64 // ln U, ln S, ln R
}

// barycenter iterates as the documentation of ot.BarycenterProblem says.
func barycenter(ctx context.Context, p *ot.BarycenterProblem, g int, rates limit.Rates) (ot.Barycenter, error) {
	k := p.Cost.K
	cost := make([]float64, k*k)
	for i, c := range p.Cost.Data {
		cost[i] = float64(c) / p.Reg
	}
	var members []*member
	for s := p.Offsets[g]; s < p.Offsets[g+1]; s++ {
		m := &member{weight: float64(p.Weights[s]), u: make([]float64, k), s: make([]float64, k), r: make([]float64, k)}
		for i, x := range p.Rows.Row(int(p.Members[s])) {
			if x > 0 {
				m.bins, m.log = append(m.bins, i), append(m.log, elementary.Log(float64(x)))
			}
		}
		m.t = make([]float64, len(m.bins))
		members = append(members, m)
	}

	terms := make([]float64, k)
	// update computes T, S = KᵀT and R = U·S of all members.
	update := func(omega float64) {
		for _, m := range members {
			for i, bin := range m.bins {
				for j, u := range m.u {
					terms[j] = u - cost[bin*k+j]
				}
				m.t[i] = relaxed(m.t[i], m.log[i]-logSumExp(terms), omega)
			}
			for j := range k {
				for i, bin := range m.bins {
					terms[i] = m.t[i] - cost[bin*k+j]
				}
				m.s[j] = logSumExp(terms[:len(m.t)])
				m.r[j] = m.u[j] + m.s[j]
			}
		}
	}
	b := make([]float64, k) // ln b
	d := make([]float64, k) // ln of what b has besides Π S^w: of d or, with an unweighted start, of c
	previous := make([]float64, k)

	if !p.Debiased {
		update(1)
		for j := range k {
			var mean, weighted float64
			for _, m := range members {
				mean += m.s[j] / float64(len(members))
				weighted += float64(m.weight * m.s[j])
			}
			if !p.UnweightedStart {
				mean = weighted
			}
			b[j], d[j] = mean, mean-weighted
			for _, m := range members {
				m.u[j] = mean - m.s[j]
			}
		}
	}
	var result ot.Barycenter
	trace := limit.Trace{Precision: limit.Double}
	var pace overrelax.Pace
	relaxing := p.Accelerate && p.Tol > 0 && !p.Debiased && !p.UnweightedStart
	seen := normalised(b) // in the last look
	for enough := false; result.Iterations < p.MaxIter && !enough; {
		if err := ctx.Err(); err != nil {
			return result, err
		}
		look, omega := result.Iterations%10 == 0 || result.Iterations+1 == p.MaxIter, 1.
		if relaxing && !look {
			omega = pace.Omega()
		}
		update(omega)
		copy(previous, b)
		for j := range k {
			b[j] = d[j]
			for _, m := range members {
				b[j] += float64(m.weight * m.s[j])
			}
			for _, m := range members {
				m.u[j] = relaxed(m.u[j], b[j]-m.s[j], omega)
			}
		}
		if p.Debiased {
			next := make([]float64, k)
			for i := range k {
				for j := range k {
					terms[j] = d[j] - cost[i*k+j]
				}
				next[i] = (d[i] + b[i] - logSumExp(terms)) / 2
			}
			d = next
		}
		result.Iterations++
		if look {
			result.Spread = spread(members, k)
			switch {
			case p.Debiased && result.Iterations == 1:
				result.Spread++
			case p.Debiased:
				result.Spread += distance(normalised(b), normalised(previous))
			}
			pace.Look(result.Iterations, result.Spread)
			now := normalised(b)
			if p.Debiased && result.Iterations == 1 { // nothing was seen before
				trace.Begin(limit.Double, 1, result.Spread)
			} else {
				trace.Look(result.Iterations, distance(now, seen), result.Spread)
			}
			seen = now
			enough = trace.Judge(&result, p, rates)
		}
	}
	result.Histogram = make([]float32, k)
	for j, x := range normalised(b) {
		result.Histogram[j] = float32(x)
	}
	return result, nil
}

// spread is the sum over bins of the standard deviation of the members' estimates R.
func spread(members []*member, k int) float64 {
	var total float64
	n := float64(len(members))
	for j := range k {
		var mean, square float64
		for _, m := range members {
			mean += elementary.Exp(m.r[j]) / n
		}
		for _, m := range members {
			d := elementary.Exp(m.r[j]) - mean
			square += d * d / n
		}
		total += math.Sqrt(square)
	}
	return total
}

// normalised returns exp(x) divided by its sum.
func normalised(x []float64) []float64 {
	total := logSumExp(x)
	y := make([]float64, len(x))
	for i := range x {
		y[i] = elementary.Exp(x[i] - total)
	}
	return y
}

// distance is the L1 distance of two histograms.
func distance(x, y []float64) (total float64) {
	for j := range x {
		total += math.Abs(x[j] - y[j])
	}
	return total
}
