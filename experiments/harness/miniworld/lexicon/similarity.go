package lexicon

import (
	"math/bits"
)

// This file holds the truth that the gold data are made from. All of it is
// rational arithmetic without rounding to chance, so that it is the same anywhere.

// step is the length of the way from a noun to its parent: 3 for the two topmost
// levels, 2 for the third, below that 1, or 1/2 if the noun is a class without a word. So sisters are 2 apart
// and a noun of a small class is 1½ from a hypernym that has others.
func (x *Lexicon) step(n int) float64 {
	node := &x.Nouns[n]
	switch {
	case node.depth <= 2:
		return 3
	case node.depth == 3:
		return 2
	case node.Hidden:
		return 0.5
	}
	return 1
}

// path is the length of the way between two nouns in the taxonomy.
func (x *Lexicon) path(a, b int) float64 {
	d := 0.0
	for a != b {
		// The deeper one goes up; of two at one level, both do in turn.
		if x.Nouns[a].depth < x.Nouns[b].depth {
			a, b = b, a
		}
		d += x.step(a)
		a = x.Nouns[a].Parent
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
		for t := range x.Topics {
			if a>>t&1 == 0 {
				continue
			}
			if b>>t&1 == 1 {
				sum += 5
			} else if x.Topics[t].related&b != 0 {
				sum += 2
			}
		}
		return float64(sum) / float64(5*bits.OnesCount32(a))
	}
	return (half(a, b) + half(b, a)) / 2
}

// taxonomic is 1/(1+(d/2)²) for the path length d.
func (x *Lexicon) taxonomic(a, b int) float64 {
	d := x.path(a, b)
	return 1 / (1 + float64(d*d/4))
}

// NounSimilarity is 1 for one sense, otherwise three quarters of the taxonomic
// and one quarter of the topical similarity.
func (x *Lexicon) NounSimilarity(a, b int) float64 {
	if a == b {
		return 1
	}
	return (float64(3*x.taxonomic(a, b)) + x.TopicSimilarity(x.Nouns[a].Topics, x.Nouns[b].Topics)) / 4
}

// VerbTopics returns the topics of all frames of a verb.
func (x *Lexicon) VerbTopics(v int) (set uint32) {
	for _, f := range x.Verbs[v].Frames {
		set |= x.Frames[f].Topics
	}
	return set
}

// VerbSimilarity is 1 for one sense, otherwise 0.45 for a common group and a
// quarter of the topical similarity.
func (x *Lexicon) VerbSimilarity(a, b int) float64 {
	if a == b {
		return 1
	}
	s := float64(x.TopicSimilarity(x.VerbTopics(a), x.VerbTopics(b)) / 4)
	if x.Verbs[a].Group == x.Verbs[b].Group {
		s += 0.45
	}
	return s
}
