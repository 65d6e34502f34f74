// Package entailment handles vectors between which one word can entail another, as
// an elephant entails a mammal [Henderson and Popa 2016, "A Vector Space for
// Distributional Semantics for Entailment", arXiv:1607.03780].
//
// A component of a vector says how surely a feature of the word is known: it is the log-odds X = ln(μ/(1−μ)) of the
// probability μ = σ(X) = 1/(1+e^−X). One binary vector entails another if all that is known in the second is known in
// the first. The operators of this package approximate the logarithm of the probability of that.
//
// Vectors come from any others (LogOdds, Duplicated, UnknownDuplicated), or from
// co-occurrence counts (Train).
package entailment

import (
	"fmt"

	"contextmover/internal/elementary"
)

// Backward returns y ⟩ x, the approximation of ln P(y entails x) that the paper's
// ground cost is made of:
//
//	Σ_k σ(−y_k) ln σ(−x_k)  =  −Σ_k σ(−y_k) softplus(x_k)  ≤  0
//
// It is finite for all finite vectors. It panics if the lengths differ, as the
// other operators do.
func Backward(y, x []float32) float64 {
	sameLength(y, x)
	sum := 0.0
	for k, v := range x {
		sum -= float64(Sigmoid(-float64(y[k])) * Softplus(float64(v)))
	}
	return sum
}

// Forward returns the approximation Σ_k σ(x_k) ln σ(y_k) ≤ 0 of ln P(y entails x).
func Forward(y, x []float32) float64 {
	sameLength(y, x)
	sum := 0.0
	for k, v := range y {
		sum -= float64(Sigmoid(float64(x[k])) * Softplus(-float64(v)))
	}
	return sum
}

// Factorised returns Σ_k ln(1 − σ(−y_k) σ(x_k)) ≤ 0, which is ln P(y entails x) where
// all features of both are independent.
func Factorised(y, x []float32) float64 {
	sameLength(y, x)
	sum := 0.0
	for k, v := range y {
		// 1 − σ(−y)σ(x) = (e^−x + e^y + e^(y−x)) σ(−y)σ(x), without cancellation where the
		// product is near 1.
		a, b := float64(v), float64(x[k])
		if p := Sigmoid(-a) * Sigmoid(b); p < 0.5 {
			sum += elementary.Log1p(-p)
		} else {
			sum += elementary.Log((elementary.Exp(-b) + elementary.Exp(a) + elementary.Exp(a-b)) * p)
		}
	}
	return sum
}

func sameLength(y, x []float32) {
	if len(y) != len(x) {
		panic(fmt.Sprintf("entailment: vectors of lengths %d and %d", len(y), len(x)))
	}
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

// LogOdds returns n×dim vectors scaled, to be read as log-odds [Henderson and Popa
// 2016, section 4, "log-odds"].
//
// It panics if the length is not a multiple of dim ≥ 1, as the other two do.
func LogOdds(vectors []float32, dim int, scale float64) []float32 {
	rows(vectors, dim)
	to := make([]float32, len(vectors))
	for i, x := range vectors {
		to[i] = float32(scale * float64(x))
	}
	return to
}

// Duplicated returns n×2·dim vectors [X, −X] with X = scale·vectors: a component of
// an ordinary vector tells as much by being low as by being high, one of log-odds does
// not [ibid., "dup"].
func Duplicated(vectors []float32, dim int, scale float64) []float32 {
	return duplicated(vectors, dim, scale, 0)
}

// UnknownDuplicated returns n×2·dim vectors [X−1, −X−1] with X = scale·vectors, so that
// components near 0 mean unknown in both halves [ibid., "unk dup"; the best of the three
// there].
func UnknownDuplicated(vectors []float32, dim int, scale float64) []float32 {
	return duplicated(vectors, dim, scale, 1)
}

func duplicated(vectors []float32, dim int, scale, unknown float64) []float32 {
	n := rows(vectors, dim)
	to := make([]float32, 2*n*dim)
	for i := range n {
		row := to[2*i*dim:][:2*dim]
		for k, x := range vectors[i*dim:][:dim] {
			row[k] = float32(float64(scale*float64(x)) - unknown)
			row[dim+k] = float32(float64(-scale*float64(x)) - unknown)
		}
	}
	return to
}

func rows(vectors []float32, dim int) int {
	if dim < 1 || len(vectors)%dim != 0 {
		panic(fmt.Sprintf("entailment: %d components for vectors of dimension %d", len(vectors), dim))
	}
	return len(vectors) / dim
}
