// Package divergence has the distances of two histograms that move nothing, which tables compare transport with: those
// that know nothing of how far bins are from each other, and two that know it.
package divergence

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib/ot"
	"contextmover/internal/elementary"
)

// Divergence names a distance of two histograms p and q that knows nothing of how far bins are from each other.
type Divergence string

const (
	TotalVariation Divergence = "total variation" // ½ Σ |p_i − q_i|: transport where every move costs 1
	Hellinger      Divergence = "hellinger"       // √(1 − Σ √(p_i q_i))
	JensenShannon  Divergence = "jensen-shannon"  // the square root of that divergence, base 2
	Cosine         Divergence = "cosine"          // 1 − p·q / (‖p‖ ‖q‖)
)

// Divergences lists them.
func Divergences() []Divergence {
	return []Divergence{TotalVariation, Hellinger, JensenShannon, Cosine}
}

// Between returns the distance of two histograms of one length that sum
// to 1, at least 0. It panics for a name that is none of Divergences.
func (d Divergence) Between(p, q []float32) float64 {
	sum, pp, qq := 0.0, 0.0, 0.0
	for i, x := range p {
		x, y := float64(x), float64(q[i])
		switch d {
		case TotalVariation:
			sum += float64(math.Abs(x-y) / 2)
		case Hellinger:
			r := math.Sqrt(x) - math.Sqrt(y) // where Σ √(p q) is near 1 it has no digits to lose
			sum += float64(r * r / 2)
		case JensenShannon:
			m, both := (x+y)/2, 0.0
			if x > 0 {
				both += float64(x * elementary.Log2(x/m) / 2)
			}
			if y > 0 {
				both += float64(y * elementary.Log2(y/m) / 2)
			}
			sum += both // the same whichever is p
		case Cosine:
			sum += float64(x * y)
			pp += float64(x * x)
			qq += float64(y * y)
		default:
			panic("divergence: " + string(d))
		}
	}
	switch d {
	case Hellinger, JensenShannon:
		return math.Sqrt(max(sum, 0))
	case Cosine:
		return max(0, 1-sum/math.Sqrt(pp*qq))
	}
	return sum
}

// A Between is a distance of two histograms p and q over the same bins, each of sum 1: at least 0, and finite.
type Between func(p, q []float32) float64

// MaximumMeanDiscrepancy returns the maximum mean discrepancy [Gretton
// et al. 2012] with the Gaussian kernel of a cost between bins,
//
//	√((p − q)ᵀ G (p − q)),  G_ij = exp(−C_ij²/2),
//
// so that the unit of the cost is the kernel's width, and with costs over their median that is the
// median distance, the usual choice. G is positive definite for Euclidean costs; where it is not,
// as angular ones may have it, a negative sum counts as 0. It panics if c has not K·K entries.
func MaximumMeanDiscrepancy(c ot.Cost) Between {
	kernel := make([]float64, c.K*c.K)
	for i, x := range c.Data[:c.K*c.K] {
		kernel[i] = elementary.Exp(-float64(x) * float64(x) / 2)
	}
	return func(p, q []float32) float64 {
		d := make([]float64, c.K)
		for i, x := range p {
			d[i] = float64(x) - float64(q[i])
		}
		sum := 0.0
		for i, x := range d {
			if x != 0 {
				sum += float64(x * floats.Dot(kernel[i*c.K:][:c.K], d))
			}
		}
		return math.Sqrt(max(sum, 0))
	}
}

// SlicedWasserstein returns the mean over random directions θ of norm 1 of the Wasserstein distances of p and q,
// projected onto θ [Rabin et al. 2011]. Their K bins are points of R^dim that lie one after the other in points:
//
//	mean over θ of ∫ |F_p,θ(t) − F_q,θ(t)| dt,
//
// where F are the distribution functions of the projections. Directions come from the
// seed alone.
func SlicedWasserstein(points []float32, k, dim, directions int, seed uint64) Between {
	order, gaps := make([][]int, directions), make([][]float64, directions)
	for s := range directions {
		random := rand.New(rand.NewPCG(seed, uint64(s)))
		theta := make([]float64, dim)
		for i := range theta {
			theta[i] = random.NormFloat64()
		}
		floats.Scale(1/floats.Norm(theta, 2), theta)
		at := make([]float64, k)
		for i := range at {
			for j, x := range points[i*dim:][:dim] {
				at[i] += float64(theta[j] * float64(x))
			}
		}
		order[s], gaps[s] = make([]int, k), make([]float64, k)
		floats.ArgsortStable(at, order[s])
		for i := range k - 1 {
			gaps[s][i] = at[i+1] - at[i]
		}
	}
	return func(p, q []float32) float64 {
		sum := 0.0
		for s, bins := range order {
			more := 0.0 // F_p − F_q
			for i, bin := range bins {
				more += float64(p[bin]) - float64(q[bin])
				sum += float64(math.Abs(more) * gaps[s][i])
			}
		}
		return sum / float64(directions)
	}
}
