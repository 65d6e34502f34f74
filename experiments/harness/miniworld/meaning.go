package miniworld

import (
	"math/rand/v2"
	"sort"

	"contextmover/experiments/harness/miniworld/lexicon"
)

// A filler is what stands in a role of a clause: a noun sense and how it is said.
type filler struct {
	noun   int
	lemma  int
	plural bool
	adj    adjective
	name   string // a name that replaces the noun's word, or ""
	last   string // a surname, or ""
}

// An adjective names a word of a group; sense is the first of its synonyms.
type adjective struct{ group, sense, word string }

// A clause is what a simple sentence says. Roles that are empty have a nil filler.
type clause struct {
	topic   int
	frame   int // −1: the subject is said to have the quality
	verb    int
	lemma   int
	subject *filler
	object  *filler
	prep    lexicon.Complement
	comp    *filler
	place   *filler
	time    *filler
	phrase  string // of time, with its tense
	tense   string // past, present or future
	adverb  [2]string
	quality adjective
	negated bool
}

// A teller makes clauses. It holds a random stream and the tables of weights that
// speed up drawing.
type teller struct {
	*lexicon.Lexicon
	*tables
	rng *rand.Rand
}

// tables are sums of integer weights, so that a draw is exact on any machine.
type tables struct {
	topicSums   []uint32
	frameOf     [][]int    // frames of a topic
	frameSums   [][]uint32 // and their summed weights
	drawn       map[[2]int]*sums
	usedBy      [][]int // frames whose subject may be the noun
	doneTo      [][]int // frames whose object may be the noun
	ambiguous   [][]use // words with several senses
	described   [][]int // adjective groups of a noun
	patternSums []uint32
}

type sums struct {
	noun []int
	sum  []uint32
}

func newTables(x *lexicon.Lexicon) *tables {
	t := &tables{
		drawn: map[[2]int]*sums{}, usedBy: make([][]int, len(x.Nouns)), doneTo: make([][]int, len(x.Nouns)),
		described: make([][]int, len(x.Nouns)),
	}
	var total uint32
	for k := range x.Topics {
		total += x.Topics[k].Weight
		t.topicSums = append(t.topicSums, total)
		var list []int
		var sum []uint32
		var w uint32
		for i, f := range x.Frames {
			if f.Topics>>k&1 == 1 {
				w += f.Weight
				list, sum = append(list, i), append(sum, w)
			}
		}
		t.frameOf, t.frameSums = append(t.frameOf, list), append(t.frameSums, sum)
	}
	for i, f := range x.Frames {
		for _, n := range x.Sets[f.Subject] {
			t.usedBy[n] = append(t.usedBy[n], i)
		}
		if f.Object >= 0 {
			for _, n := range x.Sets[f.Object] {
				t.doneTo[n] = append(t.doneTo[n], i)
			}
		}
	}
	for i, g := range x.Adjectives {
		for _, n := range x.Sets[g.Set] {
			t.described[n] = append(t.described[n], i)
		}
	}
	t.ambiguous = ambiguousWords(x, t)
	total = 0
	for _, p := range x.Everyday {
		total += p.Weight
		t.patternSums = append(t.patternSums, total)
	}
	return t
}

func draw(rng *rand.Rand, sum []uint32) int {
	v := rng.Uint32N(sum[len(sum)-1])
	return sort.Search(len(sum), func(i int) bool { return sum[i] > v })
}

// chance is true in n of 1000 cases.
func (t *teller) chance(n uint32) bool { return t.rng.Uint32N(1000) < n }

func (t *teller) drawTopic() int { return draw(t.rng, t.topicSums) }

// drawNoun draws a noun of a class set: in proportion to its frequency, to 1 if it
// has the topic, 0.3 if it has none and 0.04 if it has others.
func (t *teller) drawNoun(set, topic int) int {
	key := [2]int{set, topic}
	s := t.drawn[key]
	if s == nil {
		s = &sums{}
		var total uint32
		for _, n := range t.Sets[set] {
			node := &t.Nouns[n]
			w := node.Weight
			switch {
			case node.Topics == 0:
				w = w * 30 / 100
			case node.Topics>>topic&1 == 0:
				w = w * 4 / 100
			}
			total += max(w, 1)
			s.noun, s.sum = append(s.noun, n), append(s.sum, total)
		}
		t.drawn[key] = s
	}
	return s.noun[draw(t.rng, s.sum)]
}

// climb replaces a noun by a word for something more general in one of seven
// cases: the nearer the more often. within tells to stay in the set.
func (t *teller) climb(n, set int, within bool) int {
	if !t.chance(140) {
		return n
	}
	var above []int
	for p := t.Nouns[n].Parent; p >= 0; p = t.Nouns[p].Parent {
		if !t.Nouns[p].Hidden && (t.Has(set, p) || !within && !t.Nouns[p].General) {
			above = append(above, p)
		}
	}
	if len(above) == 0 || t.Nouns[n].Lemmas[0].Proper {
		return n
	}
	for i := range above {
		if t.chance(600) {
			return above[i]
		}
	}
	return n
}

// one draws one of a list.
func one[T any](t *teller, list []T) T { return list[t.rng.IntN(len(list))] }

// early draws one of a list, the first ones most often.
func early[T any](t *teller, list []T) T {
	return list[min(t.rng.IntN(len(list)), t.rng.IntN(len(list)))]
}

// common draws one of some synonyms, as pick does.
func common[T any](t *teller, synonyms []T) T { return synonyms[t.pick(len(synonyms))] }

// form is how a filler is said.
func (t *teller) form(f *filler) lexicon.NounForm { return t.Nouns[f.noun].Lemmas[f.lemma] }

// verb is that of a clause.
func (t *teller) verb(c *clause) lexicon.VerbForm { return t.Verbs[c.verb].Lemmas[c.lemma] }

// pick draws one of n synonyms; each is drawn 0.7 times as often as the one before.
func (t *teller) pick(n int) int {
	if n == 1 {
		return 0
	}
	for i := range n - 1 {
		if t.chance(570) {
			return i
		}
	}
	return n - 1
}

// filler draws a noun of the set with its form and, in some cases, an adjective.
func (t *teller) filler(set, topic int, within bool, adjectiveChance uint32) *filler {
	n := t.climb(t.drawNoun(set, topic), set, within)
	return t.fill(n, topic, adjectiveChance)
}

// fill says the noun n.
func (t *teller) fill(n, topic int, adjectiveChance uint32) *filler {
	node := &t.Nouns[n]
	f := &filler{noun: n, lemma: t.pick(len(node.Lemmas))}
	form := t.form(f)
	plural := uint32(220)
	if node.Family {
		plural = 40 // "my mothers" is rare
	}
	f.plural = form.PluralOnly || !form.Mass && !form.Proper && !form.Unique && t.chance(plural)
	if t.isName(n) && t.chance(150) {
		f.last = t.Surnames[min(t.rng.IntN(len(t.Surnames)), t.rng.IntN(len(t.Surnames)), t.rng.IntN(len(t.Surnames)))]
	}
	if !form.Proper && t.chance(adjectiveChance) {
		f.adj = t.describe(n, topic)
	}
	return f
}

func (t *teller) isName(n int) bool {
	p := t.Nouns[n].Parent
	return p >= 0 && (p == t.ByName["male name"] || p == t.ByName["female name"])
}

// describe draws an adjective for a noun; groups with the topic are drawn most.
func (t *teller) describe(n, topic int) adjective {
	groups := t.described[n]
	if len(groups) == 0 {
		return adjective{}
	}
	weight := func(i int) uint32 {
		switch m := t.Adjectives[i].Topics; {
		case m == 0:
			return 4
		case m>>topic&1 == 1:
			return 10
		}
		return 1
	}
	var total uint32
	for _, i := range groups {
		total += weight(i)
	}
	v := t.rng.Uint32N(total)
	for _, i := range groups {
		if w := weight(i); v < w {
			g := &t.Adjectives[i]
			k := t.rng.IntN(len(g.Words))
			if t.chance(500) {
				k = min(k, t.rng.IntN(len(g.Words)))
			}
			entry := g.Words[k]
			return adjective{g.Name, entry[0], common(t, entry)}
		} else {
			v -= w
		}
	}
	panic("miniworld: weights of adjectives do not add up")
}

// clause draws a clause on a topic. subject, if not nil, is taken over.
func (t *teller) clause(topic int, subject *filler) *clause {
	frames, sum := t.frameOf[topic], t.frameSums[topic]
	i := frames[draw(t.rng, sum)]
	if subject != nil {
		i = t.frameFor(subject.noun, t.usedBy, topic)
	}
	return t.clauseOf(i, topic, subject)
}

// frameFor draws one of the frames that list has for the noun, on the topic if there
// is one, or returns −1.
func (t *teller) frameFor(n int, list [][]int, topic int) int {
	var on []int
	for _, i := range list[n] {
		if t.Frames[i].Topics>>topic&1 == 1 {
			on = append(on, i)
		}
	}
	if len(on) == 0 {
		on = list[n]
	}
	if len(on) == 0 {
		return -1
	}
	return one(t, on)
}

// clauseOf fills the roles of frame i; i = −1 makes a clause with a quality.
func (t *teller) clauseOf(i, topic int, subject *filler) *clause {
	c := &clause{topic: topic, frame: i, subject: subject}
	if i < 0 {
		c.quality = t.describe(subject.noun, topic)
		t.setTime(c, 100)
		return c
	}
	f := &t.Frames[i]
	c.verb = f.Verb
	c.lemma = t.pick(len(t.Verbs[f.Verb].Lemmas))
	if subject == nil {
		c.subject = t.filler(f.Subject, topic, false, 170)
	}
	if f.Object >= 0 {
		for try := 0; ; try++ {
			c.object = t.filler(f.Object, topic, false, 250)
			if c.object.noun != c.subject.noun || try == 9 {
				break
			}
		}
	}
	if len(f.Complements) > 0 && (f.Must || t.chance(480)) {
		c.prep = one(t, f.Complements)
		for try := 0; try < 10; try++ {
			c.comp = t.filler(c.prep.Set, topic, true, 130)
			if c.comp.noun != c.subject.noun && (c.object == nil || c.comp.noun != c.object.noun) {
				break
			}
		}
		if c.prep.Bare {
			c.comp.plural, c.comp.adj = false, adjective{}
		}
	}
	if (c.comp == nil || !t.isPlace(c.comp.noun)) && (c.object == nil || !t.isPlace(c.object.noun)) && t.chance(170) {
		if n := t.drawNoun(t.Places, topic); t.Nouns[n].Place != "" && t.Nouns[n].Topics>>topic&1 == 1 &&
			n != c.subject.noun && t.Is(c.subject.noun, "living") {
			c.place = t.fill(n, topic, 120)
			c.place.plural = false
		}
	}
	if a := t.Adverbs[t.Verbs[f.Verb].Group]; len(a) > 0 && t.chance(110) {
		entry := one(t, a)
		c.adverb = [2]string{entry[0], common(t, entry)}
	}
	c.negated = t.chance(45)
	t.setTime(c, 260)
	return c
}

func (t *teller) isPlace(n int) bool {
	return t.Is(n, "location") || t.Is(n, "calendar")
}

// setTime draws the tense and, with the chance given, a time.
func (t *teller) setTime(c *clause, chance uint32) {
	switch v := t.rng.Uint32N(100); {
	case v < 66:
		c.tense = "past"
	case v < 93:
		c.tense = "present"
	default:
		c.tense = "future"
	}
	if !t.chance(chance) || c.comp != nil && t.Is(c.comp.noun, "calendar") {
		return
	}
	if t.chance(400) {
		c.phrase = one(t, t.Times[c.tense])
		return
	}
	c.time = &filler{noun: t.drawNoun(t.Calendar, c.topic)}
	c.time.lemma = t.pick(len(t.Nouns[c.time.noun].Lemmas))
}
