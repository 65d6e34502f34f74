package miniworld

import (
	"fmt"
	"slices"
	"strings"

	"contextmover/experiments/harness/miniworld/lexicon"
)

// A picker draws words for the sets of words.
type picker struct {
	*teller
	world     *World
	nouns     []*lexicon.Noun // that are words of a countable or mass kind, no names
	deep      []*lexicon.Noun // those of nouns with a hypernym
	qualities []adjective     // one for each word of each group
	seen      map[[2]string]bool
}

func newPicker(w *World, t *teller, seen map[[2]string]bool) *picker {
	nouns := those(those(t.Nouns, inUse), func(n *lexicon.Noun) bool {
		return !n.Lemmas[0].Proper && !n.Lemmas[0].PluralOnly
	})
	deep := those(nouns, func(n *lexicon.Noun) bool { return len(n.Above()) > 0 })
	return &picker{t, w, nouns, deep, adjectives(t.Lexicon), seen}
}

// word draws one of the synonyms of a noun.
func (p *picker) word(n *lexicon.Noun) string { return common(p, n.Lemmas).Singular }

// collect draws pairs, of which those count whose words differ and are not in a set yet. Ten raters see the truth with
// noise of the deviation, if the top of their scale is not 0.
func (p *picker) collect(pairs int, top, deviation float64, draw func() Pair) (list []Pair) {
	for len(list) < pairs {
		pair := draw()
		key := [2]string{min(pair.A, pair.B), max(pair.A, pair.B)}
		if pair.A == pair.B || p.seen[key] {
			continue
		}
		p.seen[key] = true
		if top > 0 {
			pair.Ratings = p.rate(pair.Truth, top, 10, deviation)
		}
		list = append(list, pair)
	}
	return list
}

// nounPair draws two nouns: synonyms, sisters, a word and its hypernym, words of
// one topic, or any two.
func (p *picker) nounPair() (a, b string) {
	n := one(p, p.nouns)
	switch v := p.IntN(100); {
	case v < 12:
		for len(n.Lemmas) == 1 {
			n = one(p, p.nouns)
		}
		return n.Lemmas[0].Singular, one(p, n.Lemmas[1:]).Singular
	case v < 34:
		m := p.sister(n)
		if !slices.Contains(p.nouns, m) {
			return
		}
		return p.word(n), p.word(m)
	case v < 46:
		above := n.Above()
		if len(above) == 0 {
			return
		}
		return p.word(n), p.word(early(p, above))
	case v < 70:
		topic := p.drawTopic()
		list := those(p.nouns, func(n *lexicon.Noun) bool { return n.Topics&topic != 0 })
		return p.word(one(p, list)), p.word(one(p, list))
	}
	return p.word(n), p.word(one(p, p.nouns))
}

func (p *picker) verbPair() (a, b string) {
	v := one(p, p.Verbs)
	word := func(v *lexicon.Verb) string { return common(p, v.Lemmas).Base }
	switch k := p.IntN(100); {
	case k < 15:
		for len(v.Lemmas) == 1 {
			v = one(p, p.Verbs)
		}
		return v.Lemmas[0].Base, one(p, v.Lemmas[1:]).Base
	case k < 55:
		for {
			if u := one(p, p.Verbs); u.Group == v.Group {
				return word(v), word(u)
			}
		}
	}
	return word(v), word(one(p, p.Verbs))
}

func (p *picker) adjectivePair() (a, b string) {
	s := one(p, p.qualities)
	alike := p.chance(600)
	for {
		if u := one(p, p.qualities); !alike || u.group == s.group {
			return s.word, u.word
		}
	}
}

// acrossPair draws a noun with a verb or adjective that goes with it, or any.
func (p *picker) acrossPair() (a, b string) {
	n := one(p, p.nouns)
	if p.chance(500) {
		if len(n.Described) > 0 && p.chance(600) {
			return one(p, one(p, n.Described).Words)[0], p.word(n)
		}
		return one(p, p.qualities).word, p.word(n)
	}
	v := one(p, p.Verbs)
	if len(n.DoneTo) > 0 && p.chance(600) {
		v = one(p, n.DoneTo).Verb
	}
	return p.word(n), v.Lemmas[0].Base
}

// wordSets makes the sets of word similarity.
func wordSets(w *World, stream func(string) *teller) []Set {
	seen := map[[2]string]bool{}
	set := func(
		name string, pairs int, truth func(a, b string) float64, draw ...func(p *picker) (a, b string),
	) Set {
		p := newPicker(w, stream("wordsim/"+name), seen)
		return Set{name, p.collect(pairs, 10, 1.2, func() Pair {
			a, b := one(p, draw)(p)
			return Pair{A: a, B: b, Truth: truth(a, b)}
		})}
	}
	nouns, verbs, across := (*picker).nounPair, (*picker).verbPair, (*picker).acrossPair
	return []Set{
		set("mini-dev", 300, w.Relatedness, nouns, nouns, verbs, across),
		set("mini-sim", 250, w.Similarity, nouns),
		set("mini-rel", 250, w.Relatedness, nouns, across),
		set("mini-verb", 150, w.Similarity, verbs),
		set("mini-adjective", 100, w.Similarity, (*picker).adjectivePair),
	}
}

// isHypernym tells whether a sense of b lies above a sense of a.
func (w *World) isHypernym(a, b string) bool {
	for _, s := range w.senses[a] {
		for _, t := range w.senses[b] {
			if s.noun != nil && t.noun != nil && slices.Contains(s.noun.Above(), t.noun) {
				return true
			}
		}
	}
	return false
}

// hypernymySets makes the sets of hypernymy.
func hypernymySets(w *World, stream func(string) *teller) []Set {
	type part struct {
		relation string
		pairs    int
	}
	seen := map[[2]string]bool{}
	set := func(name string, parts ...part) Set {
		p := newPicker(w, stream("hypernymy/"+name), seen)
		var list []Pair
		for _, part := range parts {
			list = append(list, p.collect(part.pairs, 0, 0, func() Pair {
				a, b := p.related(part.relation)
				return Pair{A: a, B: b, Relation: part.relation}
			})...)
		}
		p.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return Set{name, list}
	}
	return []Set{
		set("MiniTrain", part{"hyper", 160}, part{"reversed", 60}, part{"coord", 80}, part{"random", 100}),
		set("MiniBalanced", part{"hyper", 200}, part{"reversed", 68}, part{"coord", 68}, part{"random", 64}),
		set("MiniRelations", part{"hyper", 150}, part{"coord", 250}, part{"attri", 150}, part{"event", 150},
			part{"random", 300}),
	}
}

// related draws two words in the relation, or "".
func (p *picker) related(relation string) (a, b string) {
	n := one(p, p.deep)
	switch relation {
	case "hyper", "reversed":
		above := n.Above()
		a, b = p.word(n), p.word(early(p, above))
		if relation == "hyper" {
			return a, b
		}
		if p.world.isHypernym(b, a) {
			return "", ""
		}
		return b, a
	case "coord":
		m := p.sister(n)
		if m == n || !slices.Contains(p.nouns, m) {
			return
		}
		a, b = p.word(n), p.word(m)
	case "random":
		a, b = p.word(n), p.word(one(p, p.nouns))
	case "attri":
		if len(n.Described) == 0 {
			return
		}
		words := one(p, n.Described).Words
		a, b = p.word(n), one(p, words)[0]
	case "event":
		frames := n.DoneTo
		if len(frames) == 0 {
			frames = n.UsedBy
		}
		a, b = p.word(n), one(p, frames).Verb.Lemmas[0].Base
	}
	w := p.world
	if w.isHypernym(a, b) || w.isHypernym(b, a) || relation == "coord" && w.Similarity(a, b) == 1 ||
		relation == "random" && w.Similarity(a, b) > 0.2 {
		return "", ""
	}
	return a, b
}

// gradedPairs makes the pairs graded in HyperLex's way, from 0 to 6. The truth, of 6:
//
//	hyp-k    6 − 0.4(k−1)     k: words up the taxonomy
//	syn      4.2
//	r-hyp-k  1.8 / k
//	cohyp    1.2
//	no-rel   0.3
func gradedPairs(w *World, stream func(string) *teller) []Pair {
	p := newPicker(w, stream("hypernymy/hyperlex"), map[[2]string]bool{})
	return p.collect(400, 6, 0.9, func() (g Pair) {
		n := one(p, p.deep)
		switch v := p.IntN(100); {
		case v < 45:
			above := n.Above()
			k := p.IntN(len(above))
			if k > 3 {
				return g
			}
			g.A, g.B = p.word(n), p.word(above[k])
			g.Relation, g.Truth = fmt.Sprint("hyp-", k+1), (6-float64(0.4*float64(k)))/6
			if v >= 30 {
				g.A, g.B = g.B, g.A
				g.Relation, g.Truth = "r-"+g.Relation, 0.3/float64(k+1)
			}
		case v < 55:
			if len(n.Lemmas) < 2 {
				return g
			}
			g.A, g.B, g.Relation, g.Truth = n.Lemmas[0].Singular, n.Lemmas[1].Singular, "syn", 0.7
		case v < 75:
			g.A, g.B = p.related("coord")
			g.Relation, g.Truth = "cohyp", 0.2
		default:
			g.A, g.B = p.related("random")
			g.Relation, g.Truth = "no-rel", 0.05
		}
		if strings.HasPrefix(g.Relation, "hyp-") != w.isHypernym(g.A, g.B) {
			return Pair{}
		}
		return g
	})
}
