package miniworld

import (
	"contextmover/experiments/harness/miniworld/lexicon"
	"math"
	"slices"
)

// A WordSet is a named list of word pairs with a score.
type WordSet struct {
	Name  string
	Pairs []WordPair
}

// A WordPair is two different words with their similarity or relatedness, 0 to 10.
// Truth is the value in [0, 1] that the raters saw.
type WordPair struct {
	A, B  string
	Score float64
	Truth float64
}

// A HypernymySet is a named list of pairs labelled with whether the second word is
// a hypernym of the first.
type HypernymySet struct {
	Name  string
	Pairs []HypernymyPair
}

// A HypernymyPair has the relation hyper (the only one with a true label),
// reversed, coord, random, attri or event.
type HypernymyPair struct {
	A, B     string
	Hypernym bool
	Relation string
}

// A GradedPair tells to what degree A is a kind of B, in HyperLex's way: ten ratings
// from 0 to 6.
type GradedPair struct {
	A, B     string
	Relation string // hyp-1 … hyp-4, r-hyp-1 … r-hyp-4, cohyp, syn or no-rel
	Ratings  []int
	Truth    float64
}

// Mean returns the mean of the ratings.
func (p GradedPair) Mean() float64 {
	sum := 0
	for _, r := range p.Ratings {
		sum += r
	}
	return float64(sum) / float64(len(p.Ratings))
}

// Deviation returns the standard deviation of the ratings.
func (p GradedPair) Deviation() float64 {
	sum, squares := 0, 0
	for _, r := range p.Ratings {
		sum += r
		squares += r * r
	}
	n := len(p.Ratings)
	return math.Sqrt(float64(n*squares-sum*sum)) / float64(n)
}

// A picker draws words for the sets of words.
type picker struct {
	*teller
	world     *World
	nounList  []int       // nouns that are words of a countable or mass kind, no names
	qualities []adjective // one for each word of each group
	byTopic   [][]int     // places in nounList, for each topic
	seen      map[[2]string]bool
	deepest   []int // nouns of nounList with a hypernym
}

func newPicker(w *World, t *teller, seen map[[2]string]bool) *picker {
	p := &picker{teller: t, world: w, seen: seen, byTopic: make([][]int, len(t.Topics))}
	for n := range t.Nouns {
		node := &t.Nouns[n]
		if node.Hidden || node.Lemmas[0].Proper || node.Lemmas[0].PluralOnly || len(t.usedBy[n])+len(t.doneTo[n]) == 0 {
			continue
		}
		p.nounList = append(p.nounList, n)
		for k := range t.Topics {
			if node.Topics>>k&1 == 1 {
				p.byTopic[k] = append(p.byTopic[k], n)
			}
		}
		if len(p.above(n)) > 0 {
			p.deepest = append(p.deepest, n)
		}
	}
	for _, g := range t.Lexicon.Adjectives {
		for _, entry := range g.Words {
			for _, a := range entry {
				p.qualities = append(p.qualities, adjective{g.Name, entry[0], a})
			}
		}
	}
	return p
}

// above lists the hypernyms of a noun that have a word, nearest first.
func (p *picker) above(n int) (list []int) {
	for q := p.Nouns[n].Parent; q >= 0; q = p.Nouns[q].Parent {
		if !p.Nouns[q].Hidden && !p.Nouns[q].Lemmas[0].Proper {
			list = append(list, q)
		}
	}
	return list
}

// word draws one of the synonyms of a noun.
func (p *picker) word(n int) string {
	return common(p.teller, p.Nouns[n].Lemmas).Singular
}

func (p *picker) noun() int { return one(p.teller, p.nounList) }

func (p *picker) verb() lexicon.Verb { return one(p.teller, p.Verbs) }

func (p *picker) quality() adjective { return one(p.teller, p.qualities) }

// fresh tells whether the two words differ and are not in a set yet, and remembers them.
func (p *picker) fresh(a, b string) bool {
	key := [2]string{min(a, b), max(a, b)}
	if a == b || p.seen[key] {
		return false
	}
	p.seen[key] = true
	return true
}

// nounPair draws two nouns: synonyms, sisters, a word and its hypernym, words of
// one topic, or any two.
func (p *picker) nounPair() (a, b string) {
	n := p.noun()
	switch v := p.rng.IntN(100); {
	case v < 12:
		for len(p.Nouns[n].Lemmas) == 1 {
			n = p.noun()
		}
		l := p.Nouns[n].Lemmas
		return l[0].Singular, one(p.teller, l[1:]).Singular
	case v < 34:
		m := p.sister(n)
		if !slices.Contains(p.nounList, m) {
			return "", ""
		}
		return p.word(n), p.word(m)
	case v < 46:
		above := p.above(n)
		if len(above) == 0 {
			return "", ""
		}
		return p.word(n), p.word(early(p.teller, above))
	case v < 70:
		list := p.byTopic[p.drawTopic()]
		return p.word(one(p.teller, list)), p.word(one(p.teller, list))
	}
	return p.word(n), p.word(p.noun())
}

func (p *picker) verbPair() (a, b string) {
	v := p.verb()
	word := func(v lexicon.Verb) string { return common(p.teller, v.Lemmas).Base }
	switch k := p.rng.IntN(100); {
	case k < 15:
		for len(v.Lemmas) == 1 {
			v = p.verb()
		}
		return v.Lemmas[0].Base, one(p.teller, v.Lemmas[1:]).Base
	case k < 55:
		for {
			if u := p.verb(); u.Group == v.Group {
				return word(v), word(u)
			}
		}
	}
	return word(v), word(p.verb())
}

func (p *picker) adjectivePair() (a, b string) {
	s := p.quality()
	alike := p.chance(600)
	for {
		if u := p.quality(); !alike || u.group == s.group {
			return s.word, u.word
		}
	}
}

// acrossPair draws a noun with a verb or adjective that goes with it, or any.
func (p *picker) acrossPair() (a, b string) {
	n := p.noun()
	if p.chance(500) {
		if g := p.described[n]; len(g) > 0 && p.chance(600) {
			words := p.Lexicon.Adjectives[one(p.teller, g)].Words
			return one(p.teller, words)[0], p.word(n)
		}
		return p.quality().word, p.word(n)
	}
	v := p.verb()
	if list := p.doneTo[n]; len(list) > 0 && p.chance(600) {
		v = p.Verbs[p.Frames[one(p.teller, list)].Verb]
	}
	return p.word(n), v.Lemmas[0].Base
}

// wordSets makes the sets of word similarity.
func wordSets(w *World, stream func(string) *teller) []WordSet {
	seen := map[[2]string]bool{}
	type words = func(p *picker) (a, b string)
	make := func(name string, pairs int, truth func(a, b string) float64, draw ...words) WordSet {
		p := newPicker(w, stream("wordsim/"+name), seen)
		set := WordSet{Name: name}
		for len(set.Pairs) < pairs {
			a, b := one(p.teller, draw)(p)
			if a == "" || !p.fresh(a, b) {
				continue
			}
			t := truth(a, b)
			set.Pairs = append(set.Pairs, WordPair{A: a, B: b, Score: p.rate(t, 10, 10, 1.2), Truth: t})
		}
		return set
	}
	nouns, verbs, adjectives, across := (*picker).nounPair, (*picker).verbPair, (*picker).adjectivePair,
		(*picker).acrossPair
	return []WordSet{
		make("mini-dev", 300, w.Relatedness, nouns, nouns, verbs, across),
		make("mini-sim", 250, w.Similarity, nouns),
		make("mini-rel", 250, w.Relatedness, nouns, across),
		make("mini-verb", 150, w.Similarity, verbs),
		make("mini-adjective", 100, w.Similarity, adjectives),
	}
}

// isHypernym tells whether a sense of b lies above a sense of a.
func (w *World) isHypernym(a, b string) bool {
	x := w.lexicon
	for _, s := range w.Senses(a) {
		for _, t := range w.Senses(b) {
			if s.Part == "noun" && t.Part == "noun" && s.index != t.index && x.Under(s.index, t.index) {
				return true
			}
		}
	}
	return false
}

// hypernymySets makes the sets of hypernymy; the shares are in 1000.
func hypernymySets(w *World, stream func(string) *teller) []HypernymySet {
	type share struct {
		relation    string
		thousandths uint32
	}
	seen := map[[2]string]bool{}
	make := func(name string, pairs int, shares ...share) HypernymySet {
		p := newPicker(w, stream("hypernymy/"+name), seen)
		set := HypernymySet{Name: name}
		for _, s := range shares {
			for n := 0; n < pairs*int(s.thousandths)/1000; {
				if a, b := p.related(s.relation); a != "" && p.fresh(a, b) {
					set.Pairs = append(set.Pairs, HypernymyPair{a, b, s.relation == "hyper", s.relation})
					n++
				}
			}
		}
		p.rng.Shuffle(len(set.Pairs), func(i, j int) { set.Pairs[i], set.Pairs[j] = set.Pairs[j], set.Pairs[i] })
		return set
	}
	return []HypernymySet{
		make("MiniTrain", 400, share{"hyper", 400}, share{"reversed", 150}, share{"coord", 200}, share{"random", 250}),
		make("MiniBalanced", 400, share{"hyper", 500}, share{"reversed", 170}, share{"coord", 170},
			share{"random", 160}),
		make("MiniRelations", 1000, share{"hyper", 150}, share{"coord", 250}, share{"attri", 150}, share{"event", 150},
			share{"random", 300}),
	}
}

// related draws two words in the relation, or "".
func (p *picker) related(relation string) (a, b string) {
	n := one(p.teller, p.deepest)
	w := p.world
	switch relation {
	case "hyper", "reversed":
		above := p.above(n)
		a, b = p.word(n), p.word(early(p.teller, above))
		if relation == "reversed" {
			a, b = b, a
			if w.isHypernym(a, b) {
				return "", ""
			}
		}
		return a, b
	case "coord":
		m := p.sister(n)
		if m == n || !slices.Contains(p.nounList, m) {
			return "", ""
		}
		a, b = p.word(n), p.word(m)
	case "random":
		a, b = p.word(n), p.word(p.noun())
		if w.Similarity(a, b) > 0.2 {
			return "", ""
		}
	case "attri":
		g := p.described[n]
		if len(g) == 0 {
			return "", ""
		}
		words := p.Lexicon.Adjectives[one(p.teller, g)].Words
		a, b = p.word(n), one(p.teller, words)[0]
	case "event":
		list := p.doneTo[n]
		if len(list) == 0 {
			list = p.usedBy[n]
		}
		a, b = p.word(n), p.Verbs[p.Frames[one(p.teller, list)].Verb].Lemmas[0].Base
	default:
		panic("miniworld: no relation " + relation)
	}
	if w.isHypernym(a, b) || w.isHypernym(b, a) || relation == "coord" && w.Similarity(a, b) == 1 {
		return "", ""
	}
	return a, b
}

// gradedPairs makes the pairs graded in HyperLex's way. The truth, of 6:
//
//	hyp-k    6 − 0.4(k−1)     k: words up the taxonomy
//	syn      4.2
//	r-hyp-k  1.8 / k
//	cohyp    1.2
//	no-rel   0.3
func gradedPairs(w *World, stream func(string) *teller) []GradedPair {
	p := newPicker(w, stream("hypernymy/hyperlex"), map[[2]string]bool{})
	var pairs []GradedPair
	for len(pairs) < 400 {
		g := GradedPair{}
		n := one(p.teller, p.deepest)
		switch v := p.rng.IntN(100); {
		case v < 45:
			above := p.above(n)
			k := p.rng.IntN(len(above))
			if k > 3 {
				continue
			}
			g.A, g.B = p.word(n), p.word(above[k])
			g.Relation, g.Truth = "hyp-"+string(rune('1'+k)), (6-float64(0.4*float64(k)))/6
			if v >= 30 {
				g.A, g.B = g.B, g.A
				g.Relation, g.Truth = "r-"+g.Relation, 0.3/float64(k+1)
				if w.isHypernym(g.A, g.B) {
					continue
				}
			}
		case v < 55:
			l := p.Nouns[n].Lemmas
			if len(l) < 2 {
				continue
			}
			g.A, g.B, g.Relation, g.Truth = l[0].Singular, l[1].Singular, "syn", 0.7
			if w.isHypernym(g.A, g.B) {
				continue
			}
		case v < 75:
			g.A, g.B = p.related("coord")
			g.Relation, g.Truth = "cohyp", 0.2
		default:
			g.A, g.B = p.related("random")
			g.Relation, g.Truth = "no-rel", 0.05
		}
		if g.A == "" || !p.fresh(g.A, g.B) {
			continue
		}
		for range 10 {
			g.Ratings = append(g.Ratings, p.rating(g.Truth, 6, 0.9))
		}
		pairs = append(pairs, g)
	}
	return pairs
}
