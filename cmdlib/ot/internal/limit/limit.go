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

	"gonum.org/v1/gonum/mat"

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
	kernel, root := mat.NewSymDense(k, nil), make([]float64, k)
	for i := range k {
		for j := range k {
			x := elementary.Exp(-float64(cost.Data[i*k+j]) / reg)
			kernel.SetSym(i, j, x)
			root[i] += x
		}
		root[i] = math.Sqrt(root[i])
	}
	for i := range k {
		for j := range i + 1 {
			kernel.SetSym(i, j, kernel.At(i, j)/root[i]/root[j])
		}
	}
	var factor mat.Cholesky
	if !factor.Factorize(kernel) {
		return 0
	}
	x := mat.NewVecDense(k, nil)
	for i := range k {
		x.SetVec(i, 1+float64(i*i%7)) // any start that is not an eigenvector
	}
	mu := 0.0
	for range 20 {
		x.ScaleVec(1/x.Norm(2), x)
		if factor.SolveVecTo(x, x) != nil { // it is singular for float64
			return 0
		}
		mu = 1 / x.Norm(2)
	}
	if math.IsNaN(mu) {
		return 0
	}
	return min(mu, 1)
}

// Precision is what rounding leaves unknown of a barycenter.
type Precision struct {
	// noise is by how much rounding changes a histogram from look to look, in L1: up to 0.9 of it in 300 bins.
	noise float64
	// drift is by how much rounding moves a slow mode of a debiased barycenter in an iteration.
	drift float64
	// Floor is the least L1 distance from the limit that is ever claimed, rounding of the result to float32 included.
	Floor float64
}

// Single is the precision of sums in float32, Double that of sums in float64.
var (
	Single = Precision{noise: 0x1p-22, drift: 0x1p-17, Floor: 0x1p-19}
	Double = Precision{noise: 0x1p-40, drift: 0x1p-44, Floor: 0x1p-23}
)

// clear is the least change that tells a rate: of smaller ones, too much is due to rounding.
func (p Precision) clear() float64 { return 128 * p.noise }

// Trace follows a group from one look to the next. The zero value has seen nothing.
type Trace struct {
	Precision
	iteration, steps int     // of the last look, and since the one before
	change           float64 // between these
	spread           float64 // in the last one
	rate             float64 // at most 1; 0 if unknown
}

// Begin says that the next change will be that since the given iteration, whose spread is known or 0.
func (t *Trace) Begin(p Precision, iteration int, spread float64) {
	*t = Trace{Precision: p, iteration: iteration, spread: spread}
}

// Look takes the L1 change of the histogram since the last look, and its spread, or 0 for one that is not known, which
// may fall more slowly. After n iterations a rate is not known better than to 1/n: the slowest mode may only just have
// come out.
func (t *Trace) Look(iteration int, change, spread float64) {
	steps := iteration - t.iteration
	switch {
	case t.steps > 0 && t.change > t.clear():
		rate := rateOf(change/t.change, t.steps, steps)
		if t.spread > t.clear() {
			rate = max(rate, elementary.Pow(spread/t.spread, 1/float64(steps)))
		}
		t.rate = min(1, rate+1/float64(iteration))
	case t.rate == 0 && change <= t.clear(): // nothing has moved
		t.rate = 1 - 1/float64(iteration+1)
	}
	t.iteration, t.steps, t.change, t.spread = iteration, steps, change, spread
}

// Left returns an estimate, mostly one to five times too large, of the L1 distance from the limit. It is the sum of
// the series by the rate seen, or by the slowest mode as if all of the change were its own. A change is taken for no
// less than rounding makes of it; the result is at least the floor and the spread. It is Unknown where less is not
// known.
func (t *Trace) Left(r Rates, spread float64) float64 {
	if t.steps == 0 {
		return Unknown
	}
	rate := t.rate
	if rate == 0 {
		rate = r.first
	}
	change := max(t.change, t.noise)
	left := series(change, elementary.Pow(rate, float64(t.steps)))
	if r.slowest > 0 {
		left = max(left, series(change/float64(t.steps), r.slowest)) + series(t.drift, r.slowest)
	}
	return min(Unknown, max(t.Floor, spread, margin*left))
}

// Judge sets Error and Converged of a result by its spread, and reports whether iterations may stop: by the rules of
// the problem, with no tolerance below the floor, or as what still changes cannot be told from rounding.
func (t *Trace) Judge(r *ot.Barycenter, p *ot.BarycenterProblem, rates Rates) bool {
	r.Error = t.Left(rates, r.Spread)
	r.Converged = p.Tol > 0 && r.Error <= p.Tol
	tol := max(p.Tol, t.Floor)
	return p.Tol > 0 && r.Spread <= tol && (!p.UntilConverged || r.Error <= tol || t.steps > 0 && t.change <= t.noise)
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
