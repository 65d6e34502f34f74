package miniworld

import (
	"contextmover/experiments/harness/miniworld/lexicon"
	"slices"
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

// A Sense is one meaning of a word.
type Sense struct {
	// Part is "noun", "verb" or "adjective".
	Part string
	// Class is the nearest class above a noun, or the group of a verb or adjective.
	Class string
	index int
	adj   adjective
}

// Senses returns the meanings of a word in its base form, nouns first; none for a
// word that the world does not know. The slice is shared: do not change it.
func (w *World) Senses(word string) []Sense { return w.senses[word] }

// allSenses lists the senses of every word.
func allSenses(x *lexicon.Lexicon) map[string][]Sense {
	senses := map[string][]Sense{}
	add := func(word string, s Sense) { senses[word] = append(senses[word], s) }
	for i, node := range x.Nouns {
		class := ""
		if node.Parent >= 0 {
			class = x.Nouns[node.Parent].Name
		}
		for _, l := range node.Lemmas {
			add(l.Singular, Sense{Part: "noun", Class: class, index: i})
		}
	}
	for i, v := range x.Verbs {
		for _, l := range v.Lemmas {
			add(l.Base, Sense{Part: "verb", Class: v.Group, index: i})
		}
	}
	for _, g := range x.Adjectives {
		for _, entry := range g.Words {
			for _, word := range entry {
				add(word, Sense{Part: "adjective", Class: g.Name, adj: adjective{g.Name, entry[0], word}})
			}
		}
	}
	return senses
}

// Similarity returns how similar two words are, in [0, 1]. It is the greatest similarity of a sense of one and a sense
// of the other with the same part of speech, 0 without such a pair.
//
//	nouns       ¾/(1+(d/2)²) + ¼t   d: path length in the taxonomy, t: topical similarity
//	verbs       0.45 if in one group, + ¼t
//	adjectives  0.4 if in one group
//
// and 1 for synonyms.
func (w *World) Similarity(word1, word2 string) float64 {
	return w.best(word1, word2, sameSimilarity)
}

// best is the greatest value of a sense of one word and one of the other.
func (w *World) best(word1, word2 string, value func(x *lexicon.Lexicon, a, b Sense) float64) float64 {
	best := 0.0
	for _, a := range w.Senses(word1) {
		for _, b := range w.Senses(word2) {
			best = max(best, value(w.lexicon, a, b))
		}
	}
	return best
}

// sameSimilarity is 0 for different parts of speech.
func sameSimilarity(x *lexicon.Lexicon, a, b Sense) float64 {
	switch {
	case a.Part != b.Part:
		return 0
	case a.Part == "noun":
		return x.NounSimilarity(a.index, b.index)
	case a.Part == "verb":
		return x.VerbSimilarity(a.index, b.index)
	}
	return adjectiveSimilarity(a.adj, b.adj)
}

// Relatedness returns how much two words have to do with each other, in [0, 1]:
// the greatest value over their senses of
//
//	½ similarity + ¼ topical similarity + ¼ if one is a verb or adjective that the
//	grammar uses with the other, a noun, or, of two nouns, if neither lacks topics
//	and the topics are the same,
//
// and 1 for synonyms.
func (w *World) Relatedness(word1, word2 string) float64 {
	return w.best(word1, word2, related)
}

func related(x *lexicon.Lexicon, a, b Sense) float64 {
	if a.Part > b.Part { // adjective < noun < verb
		a, b = b, a
	}
	ta, tb := senseTopics(x, a), senseTopics(x, b)
	s := float64(x.TopicSimilarity(ta, tb) / 4)
	same := sameSimilarity(x, a, b)
	if same == 1 {
		return 1
	}
	s += float64(same / 2)
	used := false
	switch {
	case a.Part == "noun" && b.Part == "noun":
		used = ta == tb && ta != 0
	case a.Part == "adjective" && b.Part == "noun":
		used = slices.ContainsFunc(x.Adjectives, func(g lexicon.Adjectives) bool {
			return g.Name == a.adj.group && x.Has(g.Set, b.index)
		})
	case a.Part == "noun" && b.Part == "verb":
		used = slices.ContainsFunc(x.Verbs[b.index].Frames, func(i int) bool {
			f := &x.Frames[i]
			return x.Has(f.Subject, a.index) || f.Object >= 0 && x.Has(f.Object, a.index)
		})
	}
	if used {
		s += 0.25
	}
	return min(s, 1)
}

func senseTopics(x *lexicon.Lexicon, s Sense) uint32 {
	switch s.Part {
	case "noun":
		return x.Nouns[s.index].Topics
	case "verb":
		return x.VerbTopics(s.index)
	}
	var set uint32
	for _, g := range x.Adjectives {
		if g.Name == s.adj.group {
			set |= g.Topics
		}
	}
	return set
}

// Roles of a clause and their weights in the similarity of two clauses.
const (
	verbWeight      = 3.0
	subjectWeight   = 3.0
	objectWeight    = 3.0
	qualityWeight   = 3.0
	compWeight      = 1.5
	placeWeight     = 1.0
	timeWeight      = 0.7
	adjectiveWeight = 0.7
	adverbWeight    = 0.5
	topicWeight     = 1.0
	negationWeight  = 3.0
)

// clauseSimilarity is the weighted mean, over the roles that one of the clauses
// fills, of the similarity of the fillers; a role that only one fills counts 0
// with half its weight.
func clauseSimilarity(x *lexicon.Lexicon, a, b *clause) float64 {
	var sum, total float64
	add := func(weight, similarity float64) {
		sum += float64(weight * similarity)
		total += weight
	}
	filler := func(weight float64, f, g *filler) {
		switch {
		case f == nil && g == nil:
			return
		case f == nil || g == nil:
			add(weight/2, 0)
			return
		}
		add(weight, fillerSimilarity(x, f, g))
		switch {
		case f.adj.word != "" && g.adj.word != "":
			add(adjectiveWeight, adjectiveSimilarity(f.adj, g.adj))
		case f.adj.word != "" || g.adj.word != "":
			add(adjectiveWeight/2, 0)
		}
	}
	filler(subjectWeight, a.subject, b.subject)
	filler(objectWeight, a.object, b.object)
	filler(compWeight, a.comp, b.comp)
	filler(placeWeight, a.place, b.place)
	filler(timeWeight, a.time, b.time)
	switch {
	case a.frame >= 0 && b.frame >= 0:
		v := x.VerbSimilarity(a.verb, b.verb)
		add(verbWeight, v*v)
	case a.frame < 0 && b.frame < 0:
		add(qualityWeight, adjectiveSimilarity(a.quality, b.quality))
	default:
		add(verbWeight, 0)
	}
	equal := func(weight float64, a, b string) {
		switch {
		case a != b:
			add(weight, 0)
		case a != "":
			add(weight, 1)
		}
	}
	equal(timeWeight, a.phrase, b.phrase)
	equal(adverbWeight, a.adverb[0], b.adverb[0])
	add(topicWeight, x.TopicSimilarity(1<<a.topic, 1<<b.topic))
	if a.negated != b.negated {
		add(negationWeight, 0)
	}
	return sum / total
}

// fillerSimilarity compares two fillers: the square of the similarity of the nouns,
// because who takes part in an event matters more to readers of sentences than to
// readers of words. An unknown name matches another one by ½.
func fillerSimilarity(x *lexicon.Lexicon, f, g *filler) float64 {
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
	switch {
	case len(a) == 1:
		return clauseSimilarity(x, a[0], b[0])
	case len(b) == 1:
		return max(2*clauseSimilarity(x, a[0], b[0]), clauseSimilarity(x, a[1], b[0])) / 3
	}
	straight := float64(2*clauseSimilarity(x, a[0], b[0])) + clauseSimilarity(x, a[1], b[1])
	crossed := 1.5 * (clauseSimilarity(x, a[0], b[1]) + clauseSimilarity(x, a[1], b[0]))
	return max(straight, crossed) / 3
}
