package sentence

import (
	"cmp"
	"slices"
)

// ordered returns the words of a sentence in the order in which all methods sum them: by their rows of numbers, words
// with equal rows by their weights. So what a text becomes depends, to the last bit, neither on the order of its words
// nor on how words are numbered, and equal texts have equal scores: rank correlations rank no rounding errors.
func ordered(s Sentence, row func(word int32) []float32, weight func(word int32) float64) Sentence {
	s = slices.Clone(s)
	slices.SortFunc(s, func(a, b int32) int {
		if a == b {
			return 0
		}
		return cmp.Or(slices.Compare(row(a), row(b)), cmp.Compare(weight(a), weight(b)))
	})
	return s
}

// ordered is that of the words' vectors and weights.
func (p Points) ordered(s Sentence) Sentence {
	return ordered(s, p.row, func(word int32) float64 { return p.Weighting.weight(word, p.Probability) })
}

// row returns the vector of a word.
func (p Points) row(word int32) []float32 { return p.Vectors[int(word)*p.Dim : (int(word)+1)*p.Dim] }
