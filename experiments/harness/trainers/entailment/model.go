package entailment

import (
	"context"
	"fmt"
	"math/rand/v2"

	"contextmover/experiments/harness/trainers/internal/pages"
	"contextmover/experiments/harness/trainers/internal/skipgram"
	"contextmover/internal/elementary"
	"contextmover/internal/parallel"
)

// A model holds the parameters. A vector X of log-odds is kept as A = softplus(X) > 0 and
// R = e^−A = σ(−X): with them a pair needs neither exponentials nor logarithms,
//
//	Z = θ + A + A'      σ(−Z) = R·R'/(R·R' + e^θ)      σ(X) = 1 − R
//
// Words and contexts have stride floats each: Dim values A and padding, then as many R.
type model struct {
	pages.Parameters
	sampler    *skipgram.Sampler
	dim, half  int // half of a word's floats are A, padded
	odds, bias float32
	rate       float64 // of learning, at the start
	negatives  int
}

const lanes = 8

// First log-odds, where none are given.
const (
	startMean   = -1
	startSpread = 0.5
)

// Bounds of A, between passes: a feature outside is known or unknown for sure and would
// stay so.
const (
	lowest  = 1e-4
	highest = 60
)

func newModel(ctx context.Context, s *skipgram.Sampler, start []float32, p Params) (*model, error) {
	n := len(s.Positions)
	half := (p.Dim + lanes - 1) / lanes * lanes
	m := &model{
		Parameters: pages.NewParameters(n, 2*half), sampler: s, dim: p.Dim, half: half,
		odds: float32(elementary.Exp(p.Prior)), bias: float32(p.Bias), rate: p.Rate, negatives: p.Negatives,
	}
	err := s.Start(ctx, func(side int, at int32, random *rand.Rand) error {
		word := int(s.Words[at])
		parameters := m.At(side, at)
		for k := range half {
			// Padding has A = 0 and R = 1, which costs nothing and never moves.
			parameters[half+k] = 1
		}
		for k := range p.Dim {
			x := startMean + float64(startSpread*random.NormFloat64())
			if start != nil {
				x = float64(start[word*p.Dim+k])
			}
			if x-x != 0 {
				return fmt.Errorf("word %d: component %d of its first vector is %v, expected a finite number",
					word, k, x)
			}
			parameters[k] = float32(Softplus(x))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return m, m.tidy(ctx)
}

// tidy bounds A and computes R from it: updates of both drift apart by rounding.
func (m *model) tidy(ctx context.Context) error {
	return parallel.Blocks(ctx, len(m.sampler.Positions), 512, func(lo, hi int) error {
		for side := range m.Sides {
			for at := lo; at < hi; at++ {
				x := m.At(side, int32(at))
				for k := range m.dim {
					a := min(max(x[k], lowest), highest)
					x[k], x[m.half+k] = a, float32(elementary.Exp(-float64(a)))
				}
			}
		}
		return nil
	})
}

// logOdds writes X = ln(e^A − 1) of a context.
func (m *model) logOdds(position int32, to []float32) {
	for k, a := range m.Context(position)[:m.dim] {
		to[k] = float32(float64(a) + elementary.Log(-elementary.Expm1(-float64(a))))
	}
}

// train updates the parameters with each co-occurrence of a block and its negatives in
// order and returns the sum of their losses.
func (m *model) train(b *skipgram.Block) (loss float64) {
	rate := float32(m.rate * b.Left)
	for word, context := range b.Pairs {
		w := m.Word(word)
		loss += m.pair(w, context, 1, rate)
		for range m.negatives {
			loss += m.pair(w, b.Negative(), 0, rate)
		}
	}
	return loss
}

// pair updates with one pair and returns its loss −ln σ(±s).
func (m *model) pair(w []float32, context int32, label, rate float32) float64 {
	c := m.Context(context)
	s := float64(m.bias - score(w, c, m.odds))
	p := Sigmoid(s)
	step(w, c, m.odds, rate*(label-float32(p)))
	if label > 0 {
		return Softplus(-s)
	}
	return Softplus(s)
}

// The fastest kernels of the processor.
var score, step = scorePortable, stepPortable

// scorePortable returns Σ_k (A_k + A'_k) σ(−Z_k) = −(Z ⟩ X + Z ⟩ X').
func scorePortable(w, c []float32, odds float32) float32 {
	half := len(w) / 2
	var sums [lanes]float32
	for at := 0; at < half; at += lanes {
		for l := range lanes {
			k := at + l
			r := float32(w[half+k] * c[half+k])
			sums[l] += float32((w[k] + c[k]) * (r / (r + odds)))
		}
	}
	var sum float32
	for _, s := range sums {
		sum += s
	}
	return sum
}

// stepPortable moves both vectors by move times the gradient of −score, see Train. With
// S = A + A' and q = σ(−Z) that of a component is q·(S·(1−q) − 1) for A. R follows by the
// power series of the exponential, and tidy corrects what it leaves out.
func stepPortable(w, c []float32, odds, move float32) {
	half := len(w) / 2
	for k := range half {
		r := float32(w[half+k] * c[half+k])
		q := r / (r + odds)
		s := w[k] + c[k]
		d := move * q * (float32(s*(1-q)) - 1)
		for _, x := range [][]float32{w, c} {
			e := min(max(d*(1-x[half+k]), -0.5), 0.5)
			x[k] += e
			x[half+k] *= 1 - float32(e*(1-float32(e*(0.5-float32(e*(1./6))))))
		}
	}
}
