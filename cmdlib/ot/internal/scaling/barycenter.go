package scaling

import (
	"context"
	"math"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/internal/limit"
	"contextmover/cmdlib/ot/internal/overrelax"
	"contextmover/internal/elementary"
)

// member is a histogram of a group with its scalings.
type member struct {
	weight  float64
	a, t    []float64 // log2 A and log2 T of the bins with mass
	u, s, r []float64 // log2 U, S and R
	Softmin
}

// Barycenters solves the groups of a problem, which must be valid.
type Barycenters struct {
	*ot.BarycenterProblem
	Softmin   Make
	Precision limit.Precision // of Softmin
	Rates     func() limit.Rates
}

// Solve solves a group as the documentation of ot.BarycenterProblem says, and stores the barycenter in histogram.
func (p *Barycenters) Solve(ctx context.Context, group int, histogram []float32) (ot.Barycenter, error) {
	k := p.Cost.K
	unit := 1 / (p.Reg * math.Ln2)
	lo, hi := p.Offsets[group], p.Offsets[group+1]
	members := make([]member, hi-lo)
	for i := range members {
		m := &members[i]
		m.weight = float64(p.Weights[lo+i])
		var bins []int
		for bin, x := range p.Rows.Row(int(p.Members[lo+i])) {
			if x > 0 {
				bins, m.a = append(bins, bin), append(m.a, elementary.Log2(float64(x)))
			}
		}
		m.t = make([]float64, len(m.a))
		m.u, m.s, m.r = make([]float64, k), make([]float64, k), make([]float64, k)
		m.Softmin = p.Softmin(len(bins), k, func(i, j int) float64 { return float64(p.Cost.Data[bins[i]*k+j]) * unit })
	}
	next := make([]float64, k)
	// update computes T, S = KᵀT and R = U·S of all members.
	update := func(omega float64) {
		for i := range members {
			m := &members[i]
			m.Rows(next[:len(m.t)], m.u)
			step(m.t, m.a, next, 0, omega)
			m.Columns(m.s, m.t)
			for j, s := range m.s {
				m.r[j] = m.u[j] + s
			}
		}
	}

	b, seen := make([]float64, k), make([]float64, k) // log2 b, and what the last look saw
	current, previous := make([]float64, k), make([]float64, k)
	d, blurred := make([]float64, k), make([]float64, k) // log2 of d or, with an unweighted start, of c; and of K·d
	var blur Softmin
	if p.Debiased {
		blur = p.Softmin(k, k, func(i, j int) float64 { return float64(p.Cost.Data[i*k+j]) * unit })
	} else {
		update(1)
		for j := range k {
			var mean, weighted float64
			for i := range members {
				m := &members[i]
				mean += m.s[j] / float64(len(members))
				weighted += float64(m.weight * m.s[j])
			}
			if !p.UnweightedStart {
				mean = weighted
			}
			b[j], d[j] = mean, mean-weighted
			for i := range members {
				members[i].u[j] = mean - members[i].s[j]
			}
		}
		normalise(seen, b, p.Precision)
	}

	result := ot.Barycenter{Histogram: histogram}
	relaxing := p.Accelerate && p.Tol > 0 && !p.UnweightedStart && !p.Debiased
	var pace overrelax.Pace
	trace := limit.Trace{Precision: p.Precision}
	for enough := false; result.Iterations < p.MaxIter && !enough; {
		if err := ctx.Err(); err != nil {
			return result, err
		}
		result.Iterations++
		i := result.Iterations
		look, omega := i == p.MaxIter || i%10 == 1, 1.
		if relaxing && !look {
			omega = pace.Omega()
		}
		update(omega)
		current, previous = previous, current
		for j := range k {
			x := d[j]
			for i := range members {
				m := &members[i]
				x += float64(m.weight * m.s[j])
			}
			b[j] = x
		}
		for i := range members {
			step(members[i].u, b, members[i].s, 0, omega)
		}
		normalise(current, b, p.Precision)

		judged := i == p.MaxIter || look && p.Tol > 0
		if judged {
			result.Spread = spread(members, k)
			switch {
			case p.Debiased && i == 1:
				result.Spread++
			case p.Debiased:
				result.Spread += change(current, previous)
			}
			pace.Look(i, result.Spread)
		}
		if look {
			if p.Debiased && i == 1 { // nothing was seen before
				trace.Begin(p.Precision, i, result.Spread)
			} else {
				trace.Look(i, change(current, seen), result.Spread)
			}
			copy(seen, current)
			if judged {
				enough = trace.Judge(&result, p.BarycenterProblem, p.Rates())
			}
		}
		if p.Debiased {
			blur.Rows(blurred, d)
			for j := range d {
				d[j] = (d[j] + b[j] - blurred[j]) / 2
			}
		}
	}
	for j, x := range current {
		histogram[j] = float32(x)
	}
	return result, nil
}

// spread is the sum over bins of the standard deviation of the members' estimates R.
func spread(members []member, k int) (total float64) {
	n := float64(len(members))
	for j := range k {
		var mean, square float64
		for i := range members {
			mean += elementary.Exp2(members[i].r[j]) / n
		}
		for i := range members {
			x := elementary.Exp2(members[i].r[j]) - mean
			square += x * x / n
		}
		total += math.Sqrt(square)
	}
	return total
}

// normalise stores 2^x divided by its sum, in float32 where that is the precision.
func normalise(dst, x []float64, precision limit.Precision) {
	largest := math.Inf(-1)
	for _, y := range x {
		largest = max(largest, y)
	}
	var sum float64
	for _, y := range x {
		sum += elementary.Exp2(y - largest)
	}
	for i, y := range x {
		dst[i] = elementary.Exp2(y-largest) / sum
		if precision == limit.Single {
			dst[i] = float64(float32(dst[i]))
		}
	}
}

// change is the L1 distance of two histograms.
func change(x, y []float64) (sum float64) {
	for i := range x {
		sum += math.Abs(x[i] - y[i])
	}
	return sum
}
