package miniworld

import (
	"slices"

	"contextmover/experiments/harness/miniworld/lexicon"
)

// adjectiveSimilarity is 1 for synonyms, 0.4 for a common group, otherwise 0.
func adjectiveSimilarity(a, b adjective) float64 {
	switch {
	case a.word == b.word, a.sense == b.sense && a.group == b.group:
		return 1
	case a.group == b.group:
		return 0.4
	}
	return 0
}

// A sense is one meaning of a word: a noun, a verb or an adjective.
type sense struct {
	noun   *lexicon.Noun
	verb   *lexicon.Verb
	adj    adjective
	topics uint32
}

// allSenses lists the senses of every word in its base form, nouns first.
func allSenses(x *lexicon.Lexicon) map[string][]sense {
	senses := map[string][]sense{}
	add := func(word string, s sense) { senses[word] = append(senses[word], s) }
	for _, n := range x.Nouns {
		for _, l := range n.Lemmas {
			add(l.Singular, sense{noun: n, topics: n.Topics})
		}
	}
	for _, v := range x.Verbs {
		for _, l := range v.Lemmas {
			add(l.Base, sense{verb: v, topics: v.Topics})
		}
	}
	topics := map[string]uint32{}
	for _, g := range x.Adjectives {
		topics[g.Name] |= g.Topics
	}
	for _, a := range adjectives(x) {
		add(a.word, sense{adj: a, topics: topics[a.group]})
	}
	return senses
}

// adjectives lists the words of all groups.
func adjectives(x *lexicon.Lexicon) (list []adjective) {
	for _, g := range x.Adjectives {
		for _, entry := range g.Words {
			for _, word := range entry {
				list = append(list, adjective{g.Name, entry[0], word})
			}
		}
	}
	return list
}

// Similarity returns how similar two words are, in [0, 1]. It is the greatest similarity of a sense of one and a sense
// of the other with the same part of speech, 0 without such a pair.
//
//	nouns       ¾/(1+(d/2)²) + ¼t   d: path length in the taxonomy, t: topical similarity
//	verbs       0.45 if in one group, + ¼t
//	adjectives  0.4 if in one group
//
// and 1 for synonyms.
func (w *World) Similarity(word1, word2 string) float64 { return w.best(word1, word2, w.similarity) }

// best is the greatest value of a sense of one word and one of the other.
func (w *World) best(word1, word2 string, value func(a, b sense) float64) float64 {
	best := 0.0
	for _, a := range w.senses[word1] {
		for _, b := range w.senses[word2] {
			best = max(best, value(a, b))
		}
	}
	return best
}

// similarity is 0 for different parts of speech.
func (w *World) similarity(a, b sense) float64 {
	switch {
	case a.noun != nil && b.noun != nil:
		return w.lexicon.NounSimilarity(a.noun, b.noun)
	case a.verb != nil && b.verb != nil:
		return w.lexicon.VerbSimilarity(a.verb, b.verb)
	case a.adj.word != "" && b.adj.word != "":
		return adjectiveSimilarity(a.adj, b.adj)
	}
	return 0
}

// Relatedness returns how much two words have to do with each other, in [0, 1]:
// the greatest value over their senses of
//
//	½ similarity + ¼ topical similarity + ¼ if one is a verb or adjective that the
//	grammar uses with the other, a noun, or, of two nouns, if neither lacks topics
//	and the topics are the same,
//
// and 1 for synonyms.
func (w *World) Relatedness(word1, word2 string) float64 { return w.best(word1, word2, w.relatedness) }

func (w *World) relatedness(a, b sense) float64 {
	similarity := w.similarity(a, b)
	if similarity == 1 {
		return 1
	}
	s := float64(w.lexicon.TopicSimilarity(a.topics, b.topics)/4) + float64(similarity/2)
	if used(a, b) || used(b, a) {
		s += 0.25
	}
	return min(s, 1)
}

// used tells whether a is a noun that the grammar uses with b, or has the topics of the noun b.
func used(a, b sense) bool {
	switch {
	case a.noun == nil:
		return false
	case b.noun != nil:
		return a.topics == b.topics && a.topics != 0
	case b.verb != nil:
		return slices.ContainsFunc(slices.Concat(a.noun.UsedBy, a.noun.DoneTo), func(f *lexicon.Frame) bool {
			return f.Verb == b.verb
		})
	}
	return slices.ContainsFunc(a.noun.Described, func(g *lexicon.Adjectives) bool { return g.Name == b.adj.group })
}

// clauseSimilarity is the weighted mean, over the roles that one of the clauses
// fills, of the similarity of the fillers; a role that only one fills counts 0
// with half its weight.
func clauseSimilarity(x *lexicon.Lexicon, a, b *clause) float64 {
	var sum, total float64
	add := func(weight, similarity float64) {
		sum += float64(weight * similarity)
		total += weight
	}
	fillers := func(c *clause) [5]filler { return [5]filler{c.subject, c.object, c.comp, c.place, c.time} }
	fs, gs := fillers(a), fillers(b)
	for role, weight := range [5]float64{3, 3, 1.5, 1, 0.7} {
		f, g := fs[role], gs[role]
		if f.noun == nil || g.noun == nil {
			if f.noun != g.noun {
				add(float64(weight/2), 0)
			}
			continue
		}
		add(weight, fillerSimilarity(x, f, g))
		switch {
		case f.adj.word != "" && g.adj.word != "":
			add(0.7, adjectiveSimilarity(f.adj, g.adj))
		case f.adj != g.adj:
			add(0.35, 0)
		}
	}
	switch {
	case a.frame != nil && b.frame != nil:
		v := x.VerbSimilarity(a.frame.Verb, b.frame.Verb)
		add(3, v*v)
	case a.frame == b.frame:
		add(3, adjectiveSimilarity(a.quality, b.quality))
	default:
		add(3, 0)
	}
	equal := func(weight float64, a, b string) {
		switch {
		case a != b:
			add(weight, 0)
		case a != "":
			add(weight, 1)
		}
	}
	equal(0.7, a.phrase, b.phrase)
	equal(0.5, a.adverb.sense, b.adverb.sense)
	add(1, x.TopicSimilarity(a.topic, b.topic))
	if a.negated != b.negated {
		add(3, 0)
	}
	return sum / total
}

// fillerSimilarity compares two fillers: the square of the similarity of the nouns,
// because who takes part in an event matters more to readers of sentences than to
// readers of words. An unknown name matches another one by ½.
func fillerSimilarity(x *lexicon.Lexicon, f, g filler) float64 {
	if f.name != g.name && f.noun == g.noun {
		return 0.5
	}
	s := x.NounSimilarity(f.noun, g.noun)
	return s * s
}

// meaningSimilarity compares what two sentences say, each one or two clauses. The
// clauses are matched in the better of the two orders; the first matches count
// two thirds, the second ones one third, and a clause without a partner 0.
func meaningSimilarity(x *lexicon.Lexicon, a, b []*clause) float64 {
	if len(a) < len(b) {
		a, b = b, a
	}
	match := func(i, j int) float64 { return clauseSimilarity(x, a[i], b[j]) }
	switch {
	case len(a) == 1:
		return match(0, 0)
	case len(b) == 1:
		return max(2*match(0, 0), match(1, 0)) / 3
	}
	return max(float64(2*match(0, 0))+match(1, 1), 1.5*(match(0, 1)+match(1, 0))) / 3
}
