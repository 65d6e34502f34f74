// Package entailment handles vectors between which one word can entail another, as
// an elephant entails a mammal [Henderson and Popa 2016, "A Vector Space for
// Distributional Semantics for Entailment", arXiv:1607.03780].
//
// A component of a vector says how surely a feature of the word is known: it is the log-odds X = ln(μ/(1−μ)) of the
// probability μ = σ(X) = 1/(1+e^−X). One binary vector entails another if all that is known in the second is known in
// the first. Backward approximates the logarithm of the probability of that.
//
// Vectors come from any others (UnknownDuplicated), or from co-occurrence counts (Train).
package entailment

import (
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/internal/elementary"
)

// Backward returns y ⟩ x, the approximation of ln P(y entails x) that the paper's
// ground cost is made of:
//
//	Σ_k σ(−y_k) ln σ(−x_k)  =  −Σ_k σ(−y_k) softplus(x_k)  ≤  0
//
// It is finite for all finite vectors.
func Backward(y, x []float32) float64 {
	sum := 0.0
	for k, v := range x {
		sum -= float64(Sigmoid(-float64(y[k])) * Softplus(float64(v)))
	}
	return sum
}

// Metric names the ground cost of Cost in settings, as the metrics of package ground are named.
const Metric ground.Metric = "entailment"

// unit is what the paper's code divides entailment costs by [wasserstein.py:443].
const unit = 100

// Cost returns the ground cost between k vectors of log-odds (k×dim): what y has beyond x,
//
//	−(x ⟩ y)/100 = Σ_k σ(−x_k) softplus(y_k) / 100,
//
// normalised and clipped by p [Singh et al. 2020, section 5; the division is that of the paper's code]. It is not
// symmetric, x the hyponym's context and y the hypernym's, and it is positive between equal vectors too. It returns an
// error where ground.Scaled does.
func Cost(vectors []float32, k, dim int, p ground.Params) (ot.Cost, error) {
	raw := make([]float64, 0, k*k)
	for i := range k {
		for j := range k {
			raw = append(raw, -Backward(vectors[i*dim:][:dim], vectors[j*dim:][:dim])/unit)
		}
	}
	return ground.Scaled(raw, k, p)
}

// Sigmoid returns σ(x) = 1/(1+e^−x), accurate to the last digits for all x.
func Sigmoid(x float64) float64 {
	if x >= 0 {
		return 1 / (1 + elementary.Exp(-x))
	}
	e := elementary.Exp(x)
	return e / (1 + e)
}

// Softplus returns ln(1+e^x) = −ln σ(−x), accurate to the last digits for all x.
func Softplus(x float64) float64 {
	if x > 0 {
		return x + elementary.Log1p(elementary.Exp(-x))
	}
	return elementary.Log1p(elementary.Exp(x))
}

// UnknownDuplicated returns n×2·dim vectors [X−1, −X−1] with X = scale·vectors, to be read as log-odds [Henderson
// and Popa 2016, section 4, "unk dup", the best of the three there]. A component of an ordinary vector tells as much
// by being low as by being high, one of log-odds does not: hence both signs. Components near 0 mean unknown in both
// halves.
func UnknownDuplicated(vectors []float32, dim int, scale float64) []float32 {
	n := len(vectors) / dim
	to := make([]float32, 2*n*dim)
	for i := range n {
		row := to[2*i*dim:][:2*dim]
		for k, x := range vectors[i*dim:][:dim] {
			row[k] = float32(float64(scale*float64(x)) - 1)
			row[dim+k] = float32(float64(-scale*float64(x)) - 1)
		}
	}
	return to
}
