package glove

import (
	"context"
	"math/rand/v2"

	"contextmover/experiments/harness/trainers/internal/pages"
	"contextmover/experiments/harness/trainers/internal/records"
)

// A model holds the parameters: stride floats for each word as a row, and the same
// as a context, in the order of layout.Positions. A word has two components more
// than its vector, which make the biases part of the product:
//
//	row      w_1 … w_dim   b   1
//	context  v_1 … v_dim   1   c
//
// and then zeros, to a multiple of lanes. For each lanes components come their sums
// of squared gradients, so that what a record needs of a word lies together.
//
// The sums start at 0 and 1 is added where they are used: next to 1 a float32 would
// lose the small squares of a low rate. The sum of a constant component is so large
// that its updates vanish.
type model struct {
	pages.Parameters
	layout *records.Layout
	rate   float32
	clip   float32 // bound of rate·gradient; 0: none
}

const (
	lanes    = 16
	constant = 1e38 // sum of squares of a component that stays as it is
)

func newModel(ctx context.Context, l *records.Layout, p Params) (*model, error) {
	m := &model{
		Parameters: pages.NewParameters(len(l.Positions), strideOf(p.Dim)), layout: l, rate: float32(p.Rate),
	}
	width, bias := 1/float64(p.Dim+1), float32(0)
	if p.Rule == Rule2020 {
		m.clip = float32(100 * p.Rate)
		width = 1 / float64(p.Dim)
		// AdaGrad does not notice the scale of a gradient whose sum starts at the scaled
		// square: with η in the gradient and a start at η² the bias moves as with neither.
		bias = float32(float64(p.Rate*p.Rate) - 1)
	}
	return m, l.Start(ctx, func(side int, at int32, random *rand.Rand) error {
		x := m.At(side, at)
		for k := range p.Dim {
			x[component(k)] = float32((float64(random.Float64()) - 0.5) * width)
		}
		ofBias, ofOne := component(p.Dim+side), component(p.Dim+1-side)
		x[ofBias], x[ofBias+lanes] = float32((float64(random.Float64())-0.5)*width), bias
		x[ofOne], x[ofOne+lanes] = 1, constant
		return nil
	})
}

// strideOf is the number of floats of a word on one side.
func strideOf(dim int) int { return (dim + 2 + lanes - 1) / lanes * lanes * 2 }

// component returns the place of component k in a word's parameters; its sum of
// squares is lanes further.
func component(k int) int { return k/lanes*2*lanes + k%lanes }

// sum writes the word plus the context vector of a word.
func (m *model) sum(at int32, to []float32) {
	w, v := m.Word(at), m.Context(at)
	for k := range to {
		to[k] = w[component(k)] + v[component(k)]
	}
}
