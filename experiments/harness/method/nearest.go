package method

import "contextmover/cmdlib/sentence"

// Nearest is how near the words of each text are to the nearest words of the other, on average (see
// sentence.NearestWords). A word with the marginal p weighs a/(a + p), as in SIF.
type Nearest struct{ Moved }

func (Nearest) method(_ Source, v *vectors) sentence.Method {
	return sentence.NearestWords{Points: v.Points}
}
