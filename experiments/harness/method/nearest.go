package method

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// Nearest is how near the words of each text are to the nearest words of the other, on average (see
// sentence.NearestWords). A word with the marginal p weighs a/(a + p), as in SIF.
type Nearest struct{ Moved }

// Scorer implements Method.
func (m Nearest) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	mover, of, err := m.mover(ctx, s, pairs)
	return scored(sentence.NearestWords{Points: mover.Points}, of), err
}
