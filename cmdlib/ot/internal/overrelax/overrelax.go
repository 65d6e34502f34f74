// Package overrelax has the over-relaxation of Sinkhorn's iterations.
//
// A plain step multiplies a scaling by r = next/old, the ratio that makes its marginal right. A relaxed one, with
// 1 ≤ ω < 2, multiplies it by
//
//	φ(r) = r·(3+4z)/(3+z) with z = (ω−1)(r−1) for r ≥ 1,  φ(r) = 1/φ(1/r) for r < 1
//
// which is nearly r^ω where r is near 1, and at most 4r. With any ω, even another one in each step, distances converge
// to the same plan from any start. To multiply the scaling of a bin of mass b by φ = r·m raises the dual objective
// Σ a ln u + Σ b ln v − Σ u K v by b·h with h = ln φ − (φ−1)/r = ln r + 1/r + ln m − m, which is positive unless r = 1:
//
//   - For r ≥ 1, ln r + 1/r grows with r and r ≥ 1+z, so h is at least what it is for r = 1+z. That is 0 for z = 0,
//     and its derivative has the sign of z·((3+z)²(3+4z) − 27(1+z)²) = 4z⁴.
//   - For r < 1, h is concave in φ, and r² ≤ φ ≤ r. For both bounds h is positive: for r it is ln r + 1/r − 1, and
//     for r² it is 2 ln r + 1/r − r, whose derivative is −(1−1/r)².
//
// As the objective is bounded, all r tend to 1. For barycenters nothing is proved.
//
// Near the limit, where a plain iteration multiplies the error by θ, a relaxed one does by the larger root ρ of
// (ρ+ω−1)² = θρω², or by ω−1 where the roots are complex. ρ is least where they begin to be, for ω = 2/(1+√(1−θ))
// [Thibault, Chizat, Dossal, Papadakis 2021; Lehmann, von Renesse, Sambale, Uschmajew 2021].
package overrelax

import (
	"math"

	"contextmover/internal/elementary"
)

// Log2 returns log2(old·φ(next/old)), given the binary logarithms of the scalings old and next.
func Log2(old, next, omega float64) float64 {
	if omega == 1 {
		return next
	}
	d := next - old
	near := elementary.Exp2(-math.Abs(d))
	z := float64((omega - 1) * (1 - near)) // as 3 is, it is multiplied by near, which cannot overflow
	c := float64(3*near) + z
	return next + math.Copysign(elementary.Log2((c+float64(3*z))/c), d)
}

// Pace chooses the ω of one problem by the rate at which its own error falls. The zero value has seen nothing.
type Pace struct {
	chosen    float64 // 0 stands for first
	iteration int     // of the last look
	error     float64 // in the last look, 0 if there was none
}

const (
	// first is ω until a rate is known. It suits problems that need few iterations.
	first = 3. / 2
	// largest suits a θ of 1 − 1/3969; rounding errors grow with 1/(2−ω).
	largest = 63. / 32
	// Errors of a relaxed iteration fall as n·ρⁿ at first, which looks like a larger ρ. So rates are multiplied by
	// caution, without which ω soon was too large for random problems.
	caution = 0.97
)

// Omega returns ω of the next iterations.
func (p *Pace) Omega() float64 {
	if p.chosen == 0 {
		return first
	}
	return p.chosen
}

// Look takes the error after the given number of iterations. By the rate ρ since the last look, it chooses the best ω
// for the θ that ρ tells of. A ρ below ω−1, which no θ explains, is that of a smaller ω. Where the error has not
// fallen, the next iterations are plain.
func (p *Pace) Look(iteration int, error float64) {
	if p.error > 0 && error > 0 {
		omega := p.Omega()
		rate := float64(caution * elementary.Pow(error/p.error, 1/float64(iteration-p.iteration)))
		switch {
		case error >= p.error:
			p.chosen = 1
		case rate > omega-1:
			theta := square(rate+omega-1) / (rate * square(omega))
			p.chosen = min(largest, 2/(1+math.Sqrt(1-theta)))
		default:
			p.chosen = 1 + rate
		}
	}
	p.iteration, p.error = iteration, error
}

func square(x float64) float64 { return float64(x * x) }
