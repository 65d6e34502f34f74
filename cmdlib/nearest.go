package cmdlib

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// bag returns a text of which a word is known, with its Bag, else an *UnknownError.
func (s *Space) bag(m Method, text string) (*encoded, error) {
	t, _, _, err := s.termsOf(m, text)
	if err != nil {
		return nil, err
	}
	var vectors [][]float32
	var weights []float64
	for i, term := range t.terms {
		vectors, weights = append(vectors, t.vectors[i*s.Dim:(i+1)*s.Dim]), append(weights, term.Weight)
	}
	t.bag = sentence.NewBag(vectors, weights)
	return t, nil
}

// encoding returns how a method of vectors reads a text, and its Encoder: nil for Nearest.
func (s *Space) encoding(name string) (
	read func(ctx context.Context, text string) (*encoded, error), e *Encoder, err error,
) {
	if !isNearest(name) {
		e, err = s.Encoder()
		return e.encoded, e, err
	}
	m, err := ParseMethod(name)
	if err == nil {
		err = s.averages(m)
	}
	return func(_ context.Context, text string) (*encoded, error) { return s.bag(m, text) }, nil, err
}

// randomNearest is randomCosines by nearest words.
func (c *Comparison) randomNearest(ctx context.Context, fromWords, toWords int) ([]float64, error) {
	s := c.space
	m, err := ParseMethod(c.Method)
	if err != nil {
		return nil, err
	}
	bag := func(ids []int32) *sentence.Bag {
		vectors, weights := make([][]float32, len(ids)), make([]float64, len(ids))
		for i, id := range ids {
			vectors[i] = make([]float32, s.Dim)
			s.Vector(vectors[i], id)
			weights[i] = m.weighting().Of(s.Probability(id))
		}
		return sentence.NewBag(vectors, weights)
	}
	return s.randomTexts(ctx, fromWords, toWords, func(from, to []int32) float64 {
		return 1 - bag(from).Similarity(bag(to))
	})
}
