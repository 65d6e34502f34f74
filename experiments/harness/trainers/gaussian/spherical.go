package gaussian

import (
	"math"

	"contextmover/internal/elementary"
)

// laneSums are sums of word, context and negative over every lanes-th component.
type laneSums [3][lanes]float32

// all returns the sums of lanes: of halves, of halves of these, and so on.
func (s *laneSums) all() (sums [3]float64) {
	for i := range s {
		x := s[i]
		for half := lanes / 2; half > 0; half /= 2 {
			for k := range half {
				x[k] += x[half+k]
			}
		}
		sums[i] = float64(x[0])
	}
	return sums
}

// along calls f for each component with what the means of a word, a context and a negative move along where
// distributions are spherical, for the word's 1/σ: the word against it.
func along(means [3][]float32, inverse float32, f func(k, lane int, by [3]float32)) {
	contexts, negatives := means[1], means[2]
	for k, w := range means[0] {
		context, negative := float32((w-contexts[k])*inverse), float32((negatives[k]-w)*inverse)
		f(k, k&(lanes-1), [3]float32{context + negative, context, negative})
	}
}

// An ascent is an energy and its derivatives in the variances of word and context.
type ascent struct{ energy, word, context float64 }

// ascent returns those of a word and a context from their variances and |(x−y)/σ|², with the word's mean x and variance
// σ and the context's mean y.
func (m *model) ascent(word, context, square float64) ascent {
	dim, r := float64(m.p.Dim), context/word
	return ascent{
		energy:  -0.5 * (float64(square*word) + float64(dim*(r-1-elementary.Log(r)))),
		word:    0.5 * (square + float64(dim*(r-1)/word)),
		context: 0.5 * dim * (1/context - 1/word),
	}
}

// spherical does what diagonal does where distributions are spherical: all that depends on means is in |(x−y)/σ|².
func (m *model) spherical(x [3]distribution, rate float32) float64 {
	word, context, negative := float64(x[0].variance[0]), float64(x[1].variance[0]), float64(x[2].variance[0])
	inverse := float32(1 / word)
	means := [3][]float32{x[0].mean, x[1].mean, x[2].mean}
	var sums, lengths laneSums
	along(means, inverse, func(_, lane int, by [3]float32) {
		for s, v := range by {
			sums[s][lane] += float32(v * v)
		}
	})
	squares := sums.all()
	own, other := m.ascent(word, context, squares[1]), m.ascent(word, negative, squares[2])
	loss := m.p.Margin - own.energy + other.energy
	if !(loss > 0) {
		return loss - loss
	}
	var rates [3]float32
	for s, d := range x {
		rates[s] = d.rate(0, float32(squares[s]/float64(m.p.Dim)), rate)
	}
	rates[0] = -rates[0]
	along(means, inverse, func(k, lane int, by [3]float32) {
		for s, mean := range means {
			mean[k] += float32(by[s] * rates[s])
			lengths[s][lane] += float32(mean[k] * mean[k])
		}
	})
	ends := lengths.all()
	for s, v := range [3]float64{own.word - other.word, own.context, -other.context} {
		d := x[s]
		m.shorten(d.mean, float32(ends[s]))
		d.squares[1] += float32(v * v)
		d.variance[0] = m.bounded(
			float32(float64(d.variance[0]) + float64(float64(rate)*v/math.Sqrt(float64(d.squares[1])))))
	}
	return loss
}
