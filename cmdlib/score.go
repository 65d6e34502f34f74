package cmdlib

import (
	"context"
	"errors"
	"fmt"

	"contextmover/cmdlib/method"
	"contextmover/cmdlib/sentence"
)

// ErrSettings is what an error about a setting is that the data or the other settings cannot serve.
var ErrSettings = errors.New("setting out of range")

// Pair is two texts to compare.
type Pair = method.Pair

// Method returns the method that a text names, as method.Parse reads it, such as "comb-mix" or "sif,a=1e-4". Where
// the text says nothing else, the space's own vectors, histograms, cost, weights and transport are used. "sif" is
// then the cosine of the vectors of Encode. What is no method, or a setting that it cannot have, is an ErrSettings.
func (s *Space) Method(text string) (method.Method, error) {
	m, err := method.Parse(text, s.own)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSettings, err)
	}
	if h, ok := method.Of[method.Histograms](m); ok && h.RemovePC && h.Mix == 0 {
		return nil, fmt.Errorf("%w: the method %s has no vectors to remove a component from, expected sif, nbow or "+
			"one with -mix",
			ErrSettings, text)
	}
	return m, nil
}

// Score returns the similarities of pairs by a method of Method: the greater, the more similar. Texts
// become words as in Sentence. With the space's own settings, "average" is minus Distance in a space
// of averages, "comb" and "debiased" in one of barycenters (single words apart, which Distance does
// not combine). A pair that the method does not cover, as one without a known word, has the smallest
// value of the others. progress, if not nil, is told how many of the transport problems are solved.
//
// A method that needs what the space lacks is an ErrSettings.
func (s *Space) Score(
	ctx context.Context, pairs []Pair, m method.Method, progress func(done, total int64),
) (sentence.Scores, error) {
	from := s.source()
	switch m.(type) {
	case method.Averaging, method.Nearest:
		from = s.vectorSource()
	}
	from.progress = progress
	return method.Score(ctx, m, from, pairs)
}
