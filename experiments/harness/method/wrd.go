package method

import "contextmover/cmdlib/sentence"

// wrd is minus the word rotator's distance [Yokoi, Takahashi, Akama, Suzuki, Inui 2020]. It is the word mover's
// distance with the cost 1 − cos(x_i, y_j), where a word's share is also proportional to the length of its vector.
type wrd struct{ Moved }

func (wrd) method(_ Source, v *vectors) sentence.Method {
	return sentence.WordMover{Points: v.Points, Rotator: true}
}
