package lexicon

import (
	"math/bits"
)

// This file holds the truth that the gold data are made from. All of it is
// rational arithmetic without rounding to chance, so that it is the same anywhere.

// step is the length of the way from a noun to its parent: 3 for the two topmost
// levels, 2 for the third, below that 1, or 1/2 if the noun is a class without a word. So sisters are 2 apart
// and a noun of a small class is 1½ from a hypernym that has others.
func (n *Noun) step() float64 {
	switch {
	case n.depth <= 2:
		return 3
	case n.depth == 3:
		return 2
	case n.Hidden:
		return 0.5
	}
	return 1
}

// path is the length of the way between two nouns in the taxonomy.
func path(a, b *Noun) float64 {
	d := 0.0
	for a != b {
		// The deeper one goes up; of two at one level, both do in turn.
		if a.depth < b.depth {
			a, b = b, a
		}
		d += a.step()
		a = a.Parent
	}
	return d
}

// TopicSimilarity compares two sets of topics: the mean over the topics of both
// of the best match in the other, where equal topics match by 1, related ones by
// 0.4. Without topics it is 0.
func (x *Lexicon) TopicSimilarity(a, b uint32) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	half := func(a, b uint32) float64 {
		sum := 0
		for _, t := range x.Topics {
			switch {
			case a&t.Bit == 0:
			case b&t.Bit != 0:
				sum += 5
			case b&t.related != 0:
				sum += 2
			}
		}
		return float64(sum) / float64(5*bits.OnesCount32(a))
	}
	return (half(a, b) + half(b, a)) / 2
}

// NounSimilarity is 1 for one sense, otherwise three quarters of the taxonomic
// similarity, 1/(1+(d/2)²) for the path length d, and one quarter of the topical one.
func (x *Lexicon) NounSimilarity(a, b *Noun) float64 {
	if a == b {
		return 1
	}
	d := path(a, b)
	return (float64(3*(1/(1+float64(d*d/4)))) + x.TopicSimilarity(a.Topics, b.Topics)) / 4
}

// VerbSimilarity is 1 for one sense, otherwise 0.45 for a common group and a
// quarter of the topical similarity.
func (x *Lexicon) VerbSimilarity(a, b *Verb) float64 {
	if a == b {
		return 1
	}
	s := float64(x.TopicSimilarity(a.Topics, b.Topics) / 4)
	if a.Group == b.Group {
		s += 0.45
	}
	return s
}
