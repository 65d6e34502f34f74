package score

import (
	"context"
	"fmt"
	"math"
)

// Estimate is a value with its 95 % interval: over the items behind it, drawn by the bootstrap, and
// over the seeds of what is random. Its JSON has the value and the interval alone.
type Estimate struct {
	Value, Low, High float64
	// Draws are the values on the bootstrap samples, in their order; those where it is undefined are NaN.
	Draws []float64 `json:"-"`
	// Seeds are the values from further seeds; nil where nothing is random or there are none.
	Seeds []float64 `json:"-"`
}

// NewEstimate returns value with the Interval of draws, whose centre WithSeeds moves by the
// values from further seeds; nil if there are none.
func NewEstimate(value float64, draws, seeds []float64) Estimate {
	e := Estimate{Value: value, Draws: draws, Seeds: seeds}
	e.Bound()
	return e
}

// Bound sets the interval by the value, the draws and the seeds.
func (e *Estimate) Bound() {
	e.Low, e.High = Interval(WithSeeds(e.Draws, e.Value, e.Seeds))
}

// AddSeed adds the value from a further seed, and sets the interval again.
func (e *Estimate) AddSeed(value float64) {
	e.Seeds = append(e.Seeds, value)
	e.Bound()
}

// Seed returns the value from further seed k in [0, len(e.Seeds)); Value where nothing is random.
func (e Estimate) Seed(k int) float64 {
	if e.Seeds == nil {
		return e.Value
	}
	return e.Seeds[k]
}

// Mean returns the mean over all seeds: Value where nothing is random or there is one seed.
func (e Estimate) Mean() float64 {
	mean := e.Value
	for _, v := range e.Seeds {
		mean += v
	}
	return mean / float64(len(e.Seeds)+1)
}

// Minus returns e − o, draw by draw and seed by seed, so that its interval is paired. Draw d of both has to be of the
// same items, and seed k the same. One without seeds has its Value with all of the other's. It panics if the numbers
// of draws, or of seeds, differ.
func (e Estimate) Minus(o Estimate) Estimate {
	if len(e.Draws) != len(o.Draws) || e.Seeds != nil && o.Seeds != nil && len(e.Seeds) != len(o.Seeds) {
		panic(fmt.Sprintf("score: the difference of estimates with %d and %d draws, %d and %d seeds",
			len(e.Draws), len(o.Draws), len(e.Seeds), len(o.Seeds)))
	}
	draws := make([]float64, len(e.Draws))
	for d := range draws {
		draws[d] = e.Draws[d] - o.Draws[d]
	}
	var seeds []float64
	for k := range max(len(e.Seeds), len(o.Seeds)) {
		seeds = append(seeds, e.Seed(k)-o.Seed(k))
	}
	return NewEstimate(e.Value-o.Value, draws, seeds)
}

// MeanEstimate returns the mean of estimates, draw by draw and seed by seed, of which they have equal numbers. Draw d
// of all has to be of the same sample, and seed k the same. It panics without an estimate.
func MeanEstimate(all []Estimate) Estimate {
	n := float64(len(all))
	value, draws := 0.0, make([]float64, len(all[0].Draws))
	var seeds []float64
	if n := len(all[0].Seeds); n > 0 {
		seeds = make([]float64, n)
	}
	for _, e := range all {
		value += e.Value / n
		for d, x := range e.Draws {
			draws[d] += x / n
		}
		for k, x := range e.Seeds {
			seeds[k] += x / n
		}
	}
	return NewEstimate(value, draws, seeds)
}

// Correlation is Pearson or Spearman.
type Correlation func(x, y []float64) (float64, error)

// Correlate returns the correlation of x and y with its bootstrap interval over pairs (x_i, y_i),
// within [−1, 1]. The samples are those of Draws. Its errors and panics are those of the correlation
// and of Draws; a sample where it is undefined is a draw NaN. Where these are as many as an end of the
// interval leaves out, 2.5 %, as with two pairs, the interval is [−1, 1]: the others say nothing.
func Correlate(ctx context.Context, of Correlation, x, y []float64, draws int, seed uint64) (Estimate, error) {
	r, err := of(x, y)
	if err != nil {
		return Estimate{}, err
	}
	a, b := make([]float64, len(x)), make([]float64, len(x))
	values, err := Draws(ctx, len(x), draws, seed, func(sample []int) float64 {
		for i, s := range sample {
			a[i], b[i] = x[s], y[s]
		}
		r, err := of(a, b)
		if err != nil {
			return math.NaN() // a constant sample
		}
		return r
	})
	if err != nil {
		return Estimate{}, err
	}
	e := NewEstimate(r, values, nil)
	e.Low, e.High = max(e.Low, -1), min(e.High, 1)
	undefined := 0
	for _, v := range values {
		if math.IsNaN(v) {
			undefined++
		}
	}
	if 40*undefined >= draws {
		e.Low, e.High = -1, 1
	}
	return e, nil
}
