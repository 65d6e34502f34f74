// Package limit estimates how far the iterations of a barycenter are from their limit.
//
// Near its end an iteration multiplies the error by a factor θ, the rate. Then changes fall by θ, too, and what is
// left to go is the sum of a geometric series. Two changes tell θ. Debiased barycenters have modes whose changes are
// hidden behind those of faster ones. The debiasing factor d follows ln d ← ½ ln(d·b/(K d)). Its change, written as d
// = d*·exp(ε), is ε ← ε − ½(P + P²)ε if the group has one member, with P the kernel scaled to row sums 1. So a mode
// with the eigenvalue μ of P goes by the rate 1 − ½(μ + μ²), and the least eigenvalue bounds all of them.
package limit

import (
	"math"

	"contextmover/cmdlib/ot"
	"contextmover/internal/elementary"
)

// margin is what estimates are multiplied by: rates tend to grow towards that of the slowest mode.
const margin = 3. / 2

// Unknown is the largest L1 distance of two histograms.
const Unknown = 2

// Rates is what a problem tells of its rates before it is solved.
type Rates struct {
	first   float64 // of a group of which one change was seen
	slowest float64 // of debiased ones: of the slowest mode, else 0
}

// NewRates returns the rates of p. For debiased barycenters that takes O(K³/6) operations, else O(K²).
//
// Until two changes are known, the rate is that by which scaling contracts in Hilbert's metric. That is tanh(δ/2λ)²
// at most, δ the difference of the largest and the least cost [Franklin, Lorenz 1989]. P is approximated by
// D^-½·K·D^-½ with D the row sums of K = exp(−M/λ). Where this matrix is not positive definite in float64, the
// slowest rate is 1.
func NewRates(p *ot.BarycenterProblem) Rates {
	least, largest := p.Cost.Data[0], p.Cost.Data[0]
	for _, c := range p.Cost.Data { // min and max, which mind NaN, would take as long as three iterations
		if c < least {
			least = c
		}
		if c > largest {
			largest = c
		}
	}
	r := Rates{first: square(1 - 2/(elementary.Exp((float64(largest)-float64(least))/p.Reg)+1))}
	if p.Debiased {
		mu := leastEigenvalue(p.Cost, p.Reg)
		r.slowest = 1 - float64((mu+float64(mu*mu))/2)
		r.first = max(r.first, r.slowest)
	}
	return r
}

func square(x float64) float64 { return x * x }

// leastEigenvalue returns that of D^-½·K·D^-½ by inverse iteration on its Cholesky factor, 0 if it is not positive.
func leastEigenvalue(cost ot.Cost, reg float64) float64 {
	k := cost.K
	factor, root := make([]float64, k*k), make([]float64, k) // the factor's lower triangle
	for i := range k {
		for j := range k {
			factor[i*k+j] = elementary.Exp(-float64(cost.Data[i*k+j]) / reg)
			root[i] += factor[i*k+j]
		}
		root[i] = math.Sqrt(root[i])
	}
	for i := range k {
		row := factor[i*k:][:k]
		for j := range i + 1 {
			x := row[j]/root[i]/root[j] - dot(row[:j], factor[j*k:][:j])
			switch {
			case j < i:
				row[j] = x / factor[j*k+j]
			case x > 0:
				row[i] = math.Sqrt(x)
			default: // NaN, too
				return 0
			}
		}
	}
	x := make([]float64, k)
	for i := range x {
		x[i] = 1 + float64(i*i%7) // any start that is not an eigenvector
	}
	mu := 0.0
	for range 20 {
		norm := math.Sqrt(dot(x, x))
		for i := range x {
			x[i] = (x[i]/norm - dot(x[:i], factor[i*k:][:i])) / factor[i*k+i]
		}
		for i := k - 1; i >= 0; i-- {
			x[i] /= factor[i*k+i]
			for j, l := range factor[i*k:][:i] {
				x[j] -= float64(l * x[i])
			}
		}
		if norm = math.Sqrt(dot(x, x)); !(norm > 0) || math.IsInf(norm, 1) {
			return 0
		}
		mu = 1 / norm
	}
	return min(mu, 1)
}

// dot is the inner product of two vectors.
func dot(x, y []float64) (sum float64) {
	for i, a := range x {
		sum += float64(a * y[i])
	}
	return sum
}

// Trace follows a group from one look to the next. The zero value has seen nothing.
type Trace struct {
	iteration, steps int     // of the last look, and since the one before
	change           float64 // between these
	spread           float64 // in the last one
	rate             float64 // at most 1; 0 if unknown
	noise            float64
}

// Begin says that the next change will be that since the given iteration, whose spread is known or 0.
func (t *Trace) Begin(iteration int, spread float64) {
	*t = Trace{iteration: iteration, spread: spread}
}

// Look takes the L1 change of the histogram since the last look, and its spread, or 0 for one that is not known, which
// may fall more slowly. noise is what rounding may change a histogram by; what is near that says nothing of the rate.
// After n iterations a rate is not known better than to 1/n: the slowest mode may only just have come out.
func (t *Trace) Look(iteration int, change, spread, noise float64) {
	change = max(change, noise)
	steps := iteration - t.iteration
	switch {
	case t.steps > 0 && t.change > 4*noise:
		rate := rateOf(change/t.change, t.steps, steps)
		if t.spread > 4*noise {
			rate = max(rate, elementary.Pow(spread/t.spread, 1/float64(steps)))
		}
		t.rate = min(1, rate+1/float64(iteration))
	case t.rate == 0 && change <= 4*noise: // nothing has moved
		t.rate = 1 - 1/float64(iteration+1)
	}
	t.iteration, t.steps, t.change, t.spread, t.noise = iteration, steps, change, spread, noise
}

// Left returns an estimate, mostly one to five times too large, of the L1 distance from the limit. It is the sum of
// the series by the rate seen, or by the slowest mode as if all of the change were its own. Rounding in each step is
// added; the result is at least the spread. It is Unknown where less is not known.
func (t *Trace) Left(r Rates, spread float64) float64 {
	if t.steps == 0 {
		return Unknown
	}
	rate := t.rate
	if rate == 0 {
		rate = r.first
	}
	left := series(t.change, elementary.Pow(rate, float64(t.steps)))
	if r.slowest > 0 {
		left = max(left, series(t.change/float64(t.steps), r.slowest)) + series(t.noise, r.slowest)
	}
	return min(Unknown, max(spread, margin*left))
}

// series is x(q + q² + …), for 0 ≤ q ≤ 1.
func series(x, q float64) float64 {
	if q >= 1 {
		return math.Inf(1)
	}
	return x * q / (1 - q)
}

// rateOf returns the rate θ by which the changes of m and then n steps have the given ratio, θ^m (1−θⁿ)/(1−θ^m).
func rateOf(ratio float64, m, n int) float64 {
	if ratio >= float64(n)/float64(m) {
		return 1
	}
	low, high := 0.0, 1.0
	for range 53 {
		theta := (low + high) / 2
		x := elementary.Pow(theta, float64(m))
		if x*(1-elementary.Pow(theta, float64(n))) < ratio*(1-x) {
			low = theta
		} else {
			high = theta
		}
	}
	return high
}
