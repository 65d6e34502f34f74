package gaussian

import (
	"math"

	"contextmover/internal/elementary"
)

// Spherical distributions have their variance in the first component's place. With a word's mean x, a context's y and
// a factor a, all that depends on means is in |(x−y)a|²: energies, and the lengths of gradients.

// factor is what (x−y) is multiplied by in the gradient of the energy in means.
func (m *model) factor(word, context float64) float64 {
	if m.p.Energy == KL {
		return 1 / word
	}
	return 1 / (word + context)
}

// slope is an energy and its derivatives in the variances of word and context.
type slope struct{ energy, word, context float64 }

// slope returns those of a word and a context from their variances and |(x−y)a|².
func (m *model) slope(word, context, square float64) slope {
	dim := float64(m.p.Dim)
	if m.p.Energy == KL {
		r := context / word
		return slope{
			energy:  -0.5 * (float64(square*word) + float64(dim*(r-1-elementary.Log(r)))),
			word:    0.5 * (square + float64(dim*(r-1)/word)),
			context: 0.5 * dim * (1/context - 1/word),
		}
	}
	sum := word + context
	v := 0.5 * (square - dim/sum)
	return slope{-0.5 * (float64(square*sum) + float64(dim*elementary.Log(sum)) + m.logNormal), v, v}
}

// spherical returns the loss of a word, a context and a negative, and updates their parameters.
func (m *model) spherical(x, sums [3][]float32, lane *laneSums, rate float32) float64 {
	word, context, negative := float64(x[0][lanes]), float64(x[1][lanes]), float64(x[2][lanes])
	a, b := float32(m.factor(word, context)), float32(m.factor(word, negative))
	sphericalSquares(x[0], x[1], x[2], a, b, lane)
	squares := lane.all()
	of, against := m.slope(word, context, squares[1]), m.slope(word, negative, squares[2])
	loss := m.p.Margin - of.energy + against.energy
	if !(loss > 0) { // also where it is no number: that ends the training
		return loss - loss
	}
	var by [3]float32
	for s, square := range squares {
		sums[s][0] += float32(square / float64(m.p.Dim))
		by[s] = rate / float32(math.Sqrt(float64(sums[s][0])))
	}
	moveSpherical(x[0], x[1], x[2], a, b, by, lane)
	lengths := lane.all()
	for s, v := range [3]float64{of.word - against.word, of.context, -against.context} {
		m.shorten(x[s], float32(lengths[s]))
		sums[s][1] += float32(v * v)
		x[s][lanes] = m.bounded(float64(x[s][lanes]) + float64(float64(rate)*v/math.Sqrt(float64(sums[s][1]))))
	}
	return loss
}
