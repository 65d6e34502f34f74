package method

import "contextmover/cmdlib/sentence"

// wmd is minus the word mover's distance [Kusner, Sun, Kolkin, Weinberger 2015]: with x_i and y_j the vectors of the
// words,
//
//	min_T Σ T_ij ‖x_i − y_j‖   over T ≥ 0 with the words' shares of each text as row and column sums
type wmd struct{ Moved }

func (wmd) method(_ Source, v *vectors) sentence.Method {
	return sentence.WordMover{Points: v.Points}
}
