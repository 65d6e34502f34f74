package miniworld

import "math/bits"

// This file holds the truth that the gold data are made from. All of it is
// rational arithmetic without rounding to chance, so that it is the same anywhere.

// step is the length of the way from a noun to its parent: 3 for the two topmost
// levels, 2 for the third, below that 1, or 1/2 if the noun is a class without a word. So sisters are 2 apart
// and a noun of a small class is 1½ from a hypernym that has others.
func (x *lexicon) step(n int) float64 {
	node := &x.nouns[n]
	switch {
	case node.depth <= 2:
		return 3
	case node.depth == 3:
		return 2
	case node.hidden:
		return 0.5
	}
	return 1
}

// path is the length of the way between two nouns in the taxonomy.
func (x *lexicon) path(a, b int) float64 {
	d := 0.0
	for a != b {
		// The deeper one goes up; of two at one level, both do in turn.
		if x.nouns[a].depth < x.nouns[b].depth {
			a, b = b, a
		}
		d += x.step(a)
		a = x.nouns[a].parent
	}
	return d
}

// topicSimilarity compares two sets of topics: the mean over the topics of both
// of the best match in the other, where equal topics match by 1, related ones by
// 0.4. Without topics it is 0.
func (x *lexicon) topicSimilarity(a, b uint32) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	half := func(a, b uint32) float64 {
		sum := 0
		for t := range x.topics {
			if a>>t&1 == 0 {
				continue
			}
			if b>>t&1 == 1 {
				sum += 5
			} else if x.topics[t].related&b != 0 {
				sum += 2
			}
		}
		return float64(sum) / float64(5*bits.OnesCount32(a))
	}
	return (half(a, b) + half(b, a)) / 2
}

// taxonomic is 1/(1+(d/2)²) for the path length d.
func (x *lexicon) taxonomic(a, b int) float64 {
	d := x.path(a, b)
	return 1 / (1 + d*d/4)
}

// nounSimilarity is 1 for one sense, otherwise three quarters of the taxonomic
// and one quarter of the topical similarity.
func (x *lexicon) nounSimilarity(a, b int) float64 {
	if a == b {
		return 1
	}
	return (float64(3*x.taxonomic(a, b)) + x.topicSimilarity(x.nouns[a].topics, x.nouns[b].topics)) / 4
}

func (x *lexicon) verbTopics(v int) (set uint32) {
	for _, f := range x.verbs[v].frames {
		set |= x.frames[f].topics
	}
	return set
}

// verbSimilarity is 1 for one sense, otherwise 0.45 for a common group and a
// quarter of the topical similarity.
func (x *lexicon) verbSimilarity(a, b int) float64 {
	if a == b {
		return 1
	}
	s := x.topicSimilarity(x.verbTopics(a), x.verbTopics(b)) / 4
	if x.verbs[a].group == x.verbs[b].group {
		s += 0.45
	}
	return s
}

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
	// Name is unique among the senses of a part of speech.
	Name string
	// Part is "noun", "verb" or "adjective".
	Part     string
	Synonyms []string // the word itself included
	Topics   []string
	// Class is the nearest class above a noun, or the group of a verb or adjective.
	Class string
	index int
	adj   adjective
}

// Senses returns the meanings of a word in its base form, nouns first; none for a
// word that the world does not know. The slice is shared: do not change it.
func (w *World) Senses(word string) []Sense { return w.senses[word] }

// allSenses lists the senses of every word.
func (x *lexicon) allSenses() map[string][]Sense {
	senses := map[string][]Sense{}
	add := func(s Sense) {
		for _, word := range s.Synonyms {
			if s.Part == "adjective" {
				s.adj.word = word
			}
			senses[word] = append(senses[word], s)
		}
	}
	for i, node := range x.nouns {
		s := Sense{Name: node.name, Part: "noun", Topics: x.topicNames(node.topics), index: i}
		if node.parent >= 0 {
			s.Class = x.nouns[node.parent].name
		}
		for _, l := range node.lemmas {
			s.Synonyms = append(s.Synonyms, l.singular)
		}
		add(s)
	}
	for i, v := range x.verbs {
		s := Sense{Name: v.lemmas[0].base, Part: "verb", Topics: x.topicNames(x.verbTopics(i)), Class: v.group, index: i}
		for _, l := range v.lemmas {
			s.Synonyms = append(s.Synonyms, l.base)
		}
		add(s)
	}
	for _, g := range x.adjectives {
		for _, entry := range g.words {
			add(Sense{Name: g.name + ":" + entry[0], Part: "adjective", Synonyms: entry,
				Topics: x.topicNames(g.topics), Class: g.name, adj: adjective{g.name, entry[0], ""}})
		}
	}
	return senses
}

func (x *lexicon) topicNames(set uint32) (names []string) {
	for t := range x.topics {
		if set>>t&1 == 1 {
			names = append(names, x.topics[t].name)
		}
	}
	return names
}

// Similarity returns how alike two words are, in [0, 1]: the greatest similarity
// of a sense of one and a sense of the other with the same part of speech, 0
// without such a pair.
//
//	nouns       ¾/(1+(d/2)²) + ¼t   d: path length in the taxonomy, t: topical similarity
//	verbs       0.45 if in one group, + ¼t
//	adjectives  0.4 if in one group
//
// and 1 for synonyms.
func (w *World) Similarity(word1, word2 string) float64 {
	best := 0.0
	for _, a := range w.Senses(word1) {
		for _, b := range w.Senses(word2) {
			if a.Part != b.Part {
				continue
			}
			var s float64
			switch a.Part {
			case "noun":
				s = w.lexicon.nounSimilarity(a.index, b.index)
			case "verb":
				s = w.lexicon.verbSimilarity(a.index, b.index)
			default:
				s = adjectiveSimilarity(a.adj, b.adj)
			}
			best = max(best, s)
		}
	}
	return best
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
	x := w.lexicon
	best := 0.0
	for _, a := range w.Senses(word1) {
		for _, b := range w.Senses(word2) {
			best = max(best, x.related(a, b))
		}
	}
	return best
}

func (x *lexicon) related(a, b Sense) float64 {
	if a.Part > b.Part { // adjective < noun < verb
		a, b = b, a
	}
	ta, tb := x.senseTopics(a), x.senseTopics(b)
	s := x.topicSimilarity(ta, tb) / 4
	switch {
	case a.Part == "noun" && b.Part == "noun":
		if a.index == b.index {
			return 1
		}
		s += x.nounSimilarity(a.index, b.index) / 2
		if ta == tb && ta != 0 {
			s += 0.25
		}
	case a.Part == "verb":
		if a.index == b.index {
			return 1
		}
		s += x.verbSimilarity(a.index, b.index) / 2
	case a.Part == "adjective" && b.Part == "adjective":
		if adjectiveSimilarity(a.adj, b.adj) == 1 {
			return 1
		}
		s += adjectiveSimilarity(a.adj, b.adj) / 2
	case a.Part == "adjective" && b.Part == "noun":
		for _, g := range x.adjectives {
			if g.name == a.adj.group && contains(x.sets[g.set], b.index) {
				s += 0.25
				break
			}
		}
	case a.Part == "noun" && b.Part == "verb":
		for _, f := range x.verbs[b.index].frames {
			fr := &x.frames[f]
			if contains(x.sets[fr.subject], a.index) || fr.object >= 0 && contains(x.sets[fr.object], a.index) {
				s += 0.25
				break
			}
		}
	}
	return min(s, 1)
}

func (x *lexicon) senseTopics(s Sense) uint32 {
	switch s.Part {
	case "noun":
		return x.nouns[s.index].topics
	case "verb":
		return x.verbTopics(s.index)
	}
	var set uint32
	for _, g := range x.adjectives {
		if g.name == s.adj.group {
			set |= g.topics
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
func (x *lexicon) clauseSimilarity(a, b *clause) float64 {
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
		add(weight, x.fillerSimilarity(f, g))
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
		v := x.verbSimilarity(a.verb, b.verb)
		add(verbWeight, v*v)
	case a.frame < 0 && b.frame < 0:
		add(qualityWeight, adjectiveSimilarity(a.quality, b.quality))
	default:
		add(verbWeight, 0)
	}
	if a.phrase != "" || b.phrase != "" {
		same := 0.0
		if a.phrase == b.phrase {
			same = 1
		}
		add(timeWeight, same)
	}
	if a.adverb[1] != "" || b.adverb[1] != "" {
		same := 0.0
		if a.adverb[0] == b.adverb[0] {
			same = 1
		}
		add(adverbWeight, same)
	}
	add(topicWeight, x.topicSimilarity(1<<a.topic, 1<<b.topic))
	if a.negated != b.negated {
		add(negationWeight, 0)
	}
	return sum / total
}

// fillerSimilarity compares two fillers: the square of the similarity of the nouns,
// because who takes part in an event matters more to readers of sentences than to
// readers of words. An unknown name matches another one by ½.
func (x *lexicon) fillerSimilarity(f, g *filler) float64 {
	if f.name != g.name && f.noun == g.noun {
		return 0.5
	}
	s := x.nounSimilarity(f.noun, g.noun)
	return s * s
}

// meaningSimilarity compares what two sentences say, each one or two clauses. The
// clauses are matched in the better of the two orders; the first matches count
// two thirds, the second ones one third, and a clause without a partner 0.
func (x *lexicon) meaningSimilarity(a, b []*clause) float64 {
	if len(a) < len(b) {
		a, b = b, a
	}
	switch {
	case len(a) == 1:
		return x.clauseSimilarity(a[0], b[0])
	case len(b) == 1:
		return max(2*x.clauseSimilarity(a[0], b[0]), x.clauseSimilarity(a[1], b[0])) / 3
	}
	straight := 2*x.clauseSimilarity(a[0], b[0]) + x.clauseSimilarity(a[1], b[1])
	crossed := 1.5 * (x.clauseSimilarity(a[0], b[1]) + x.clauseSimilarity(a[1], b[0]))
	return max(straight, crossed) / 3
}
