package method

import "context"

// wrd is minus the word rotator's distance [Yokoi, Takahashi, Akama, Suzuki, Inui 2020]. It is the word mover's
// distance with the cost 1 − cos(x_i, y_j), where a word's share is also proportional to the length of its vector.
type wrd struct{ Moved }

// Scorer implements Method.
func (m wrd) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	mover, of, err := m.mover(ctx, s, pairs)
	mover.Rotator = true
	return scored(mover, of), err
}
