package method

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// Moved has the settings of methods that move the words of one text onto those of the other (see sentence.WordMover).
// A word's share of a text is its weight, and the shares sum to 1.
type Moved struct {
	WordVectors
	Weighting
	Scaled
	OwnWords
}

// Validate implements Method.
func (m Moved) Validate() error {
	if err := check(m); err != nil {
		return err
	}
	return m.OwnWords.check(m.Unit)
}

// Needs implements Method.
func (m Moved) Needs() Needs { return vectorNeeds(m.WordVectors, m.OwnWords, m.Weighting) }

// Varies implements Method.
func (m Moved) Varies(name string) bool { return m.counts(name) }

func (m Moved) counts(name string) bool {
	return Averaged{Weighting: m.Weighting, OwnWords: m.OwnWords}.counts(name)
}

func (m Moved) mover(
	ctx context.Context, s Source, pairs []Pair,
) (mover sentence.WordMover, of []sentence.Pair, err error) {
	all := Averaged{WordVectors: m.WordVectors, Weighting: m.Weighting, Scaled: m.Scaled, OwnWords: m.OwnWords}
	v, err := all.vectors(ctx, s, pairs)
	if err != nil {
		return mover, nil, err
	}
	return sentence.WordMover{Points: v.Points}, v.pairs, nil
}

// scored scores pairs by a method of package sentence.
func scored(m sentence.Method, pairs []sentence.Pair) Scorer {
	return func(ctx context.Context) (sentence.Scores, error) { return m.Score(ctx, pairs) }
}
