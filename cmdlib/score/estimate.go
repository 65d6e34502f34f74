package score

import "math"

// Estimate is a value with its 95 % bootstrap interval.
type Estimate struct {
	Value, Low, High float64
	// Draws are the values on the bootstrap samples, in their order; those where it is undefined are NaN.
	Draws []float64
}

// NewEstimate returns value with the Interval of draws.
func NewEstimate(value float64, draws []float64) Estimate {
	low, high := Interval(draws)
	return Estimate{value, low, high, draws}
}

// Correlation is Pearson or Spearman.
type Correlation func(x, y []float64) (float64, error)

// Correlate returns the correlation of x and y with its bootstrap interval over pairs (x_i, y_i),
// within [−1, 1]. The samples are those of Draws. Its errors and panics are those of the correlation
// and of Draws; a sample where it is undefined is a draw NaN.
func Correlate(of Correlation, x, y []float64, draws int, seed uint64) (Estimate, error) {
	r, err := of(x, y)
	if err != nil {
		return Estimate{}, err
	}
	a, b := make([]float64, len(x)), make([]float64, len(x))
	e := NewEstimate(r, Draws(len(x), draws, seed, func(sample []int) float64 {
		for i, s := range sample {
			a[i], b[i] = x[s], y[s]
		}
		r, err := of(a, b)
		if err != nil {
			return math.NaN() // a constant sample
		}
		return r
	}))
	e.Low, e.High = max(e.Low, -1), min(e.High, 1)
	return e, nil
}
