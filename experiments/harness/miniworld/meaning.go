package miniworld

import (
	"math/rand/v2"
	"slices"

	"contextmover/experiments/harness/miniworld/lexicon"
)

// A filler is what stands in a role of a clause: a noun sense and how it is said.
type filler struct {
	noun   *lexicon.Noun // nil if the role is empty
	form   lexicon.NounForm
	plural bool
	adj    adjective
	name   string // a name that replaces the noun's word, or ""
	last   string // a surname, or ""
}

// inflect puts the word into the singular or the plural, as far as it has both.
func (f *filler) inflect(plural bool) {
	f.plural = f.form.PluralOnly || plural && f.form.Counted() && !f.form.Unique
}

// An adjective names a word of a group; sense is the first of its synonyms.
type adjective struct{ group, sense, word string }

// A clause is what a simple sentence says.
type clause struct {
	topic                              uint32
	frame                              *lexicon.Frame // nil: the subject is said to have the quality
	verb                               lexicon.VerbForm
	subject, object, comp, place, time filler
	prep                               lexicon.Complement
	phrase                             string // of time, with its tense
	tense                              string // past, present or future
	adverb                             adjective
	quality                            adjective
	negated                            bool
}

// A teller makes clauses from a random stream. Weights are integers, so that a draw is exact on any machine.
type teller struct {
	*lexicon.Lexicon
	*rand.Rand
	sums map[choice][]uint32 // of the weights up to each
}

// A choice is what is drawn from: a list, by the place of its first element and its length, on a topic.
type choice struct {
	first  any
	number int
	topic  uint32
}

// dice are a source of random numbers.
type dice interface {
	IntN(n int) int
	chance(n uint32) bool
}

// weighted draws one of a list, which is as it was whenever it is drawn from, in proportion to the weights on a topic.
func weighted[T any](t *teller, list []T, topic uint32, weight func(T) uint32) T {
	from := choice{&list[0], len(list), topic}
	sums, known := t.sums[from]
	if !known {
		var total uint32
		for _, x := range list {
			total += weight(x)
			sums = append(sums, total)
		}
		t.sums[from] = sums
	}
	i, _ := slices.BinarySearch(sums, t.Uint32N(sums[len(sums)-1])+1)
	return list[i]
}

// one draws one of a list.
func one[T any](d dice, list []T) T { return list[d.IntN(len(list))] }

// early draws one of a list, the first ones most often.
func early[T any](d dice, list []T) T {
	return list[min(d.IntN(len(list)), d.IntN(len(list)))]
}

// common draws one of some synonyms; each is drawn 0.7 times as often as the one before.
func common[T any](d dice, synonyms []T) T {
	for len(synonyms) > 1 && !d.chance(570) {
		synonyms = synonyms[1:]
	}
	return synonyms[0]
}

// another draws another one of some synonyms, if there are several.
func another[T comparable](d dice, synonyms []T, than T) T {
	n := len(synonyms)
	if n == 1 {
		return than
	}
	return synonyms[(slices.Index(synonyms, than)+1+d.IntN(n-1))%n]
}

// those returns what of a list is kept.
func those[T any](list []T, keep func(T) bool) (kept []T) {
	for _, x := range list {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// prefer returns those of a list that are good, or all if none is.
func prefer[T any](list []T, good func(T) bool) []T {
	if some := those(list, good); len(some) > 0 {
		return some
	}
	return list
}

// chance is true in n of 1000 cases.
func (t *teller) chance(n uint32) bool { return t.Uint32N(1000) < n }

func (t *teller) drawTopic() uint32 {
	return weighted(t, t.Topics, 0, func(topic lexicon.Topic) uint32 { return topic.Weight }).Bit
}

// drawNoun draws a noun of a list: in proportion to its frequency, to 1 if it
// has the topic, 0.3 if it has none and 0.04 if it has others.
func (t *teller) drawNoun(list []*lexicon.Noun, topic uint32) *lexicon.Noun {
	return weighted(t, list, topic, func(n *lexicon.Noun) uint32 {
		switch {
		case n.Topics == 0:
			return max(n.Weight*30/100, 1)
		case n.Topics&topic == 0:
			return max(n.Weight*4/100, 1)
		}
		return n.Weight
	})
}

// filler draws a noun of the list with its form and, in some cases, an adjective. In one of seven
// cases it is a word for something more general: the nearer the more often. within tells to stay in the list; others
// are nouns that it should not be.
func (t *teller) filler(
	list []*lexicon.Noun, topic uint32, within bool, adjectives uint32, others ...*lexicon.Noun,
) (f filler) {
	for try := 0; try == 0 || try < 10 && slices.Contains(others, f.noun); try++ {
		n := t.drawNoun(list, topic)
		if t.chance(140) && !n.Lemmas[0].Proper {
			for _, p := range n.Above() {
				if (!within && !p.General || slices.Contains(list, p)) && t.chance(600) {
					n = p
					break
				}
			}
		}
		f = t.fill(n, topic, adjectives)
	}
	return f
}

// fill says the noun n, in so many of 1000 cases with an adjective.
func (t *teller) fill(n *lexicon.Noun, topic, adjectives uint32) filler {
	f := filler{noun: n, form: common(t, n.Lemmas)}
	plural := uint32(220)
	if n.Is("relative") {
		plural = 40 // "my mothers" is rare
	}
	f.plural = f.form.PluralOnly || f.form.Counted() && !f.form.Unique && t.chance(plural)
	if t.isName(n) && t.chance(150) {
		names := t.Lists["surname"]
		f.last = names[min(t.IntN(len(names)), t.IntN(len(names)), t.IntN(len(names)))][0]
	}
	if !f.form.Proper && t.chance(adjectives) {
		f.adj = t.describe(n, topic)
	}
	return f
}

func (t *teller) isName(n *lexicon.Noun) bool { return slices.Contains(t.Class("first name"), n) }

// describe draws an adjective for a noun; groups with the topic are drawn most.
func (t *teller) describe(n *lexicon.Noun, topic uint32) adjective {
	if len(n.Described) == 0 {
		return adjective{}
	}
	g := weighted(t, n.Described, topic, func(g *lexicon.Adjectives) uint32 {
		switch {
		case g.Topics == 0:
			return 4
		case g.Topics&topic != 0:
			return 10
		}
		return 1
	})
	k := t.IntN(len(g.Words))
	if t.chance(500) {
		k = min(k, t.IntN(len(g.Words)))
	}
	return adjective{g.Name, g.Words[k][0], common(t, g.Words[k])}
}

// drawFrame draws a frame of a topic.
func (t *teller) drawFrame(topic uint32) *lexicon.Frame {
	return weighted(t, t.Frames, topic, func(f *lexicon.Frame) uint32 {
		if f.Topics&topic == 0 {
			return 0
		}
		return f.Weight
	})
}

// clause draws a clause on a topic.
func (t *teller) clause(topic uint32) *clause { return t.clauseOf(t.drawFrame(topic), topic, filler{}) }

// frameFor draws one of some frames, on the topic if there is one, or returns nil.
func (t *teller) frameFor(frames []*lexicon.Frame, topic uint32) *lexicon.Frame {
	frames = prefer(frames, func(f *lexicon.Frame) bool { return f.Topics&topic != 0 })
	if len(frames) == 0 {
		return nil
	}
	return one(t, frames)
}

// clauseOf fills the roles of a frame that are empty; without a frame it makes a clause with a quality.
func (t *teller) clauseOf(f *lexicon.Frame, topic uint32, subject filler) *clause {
	c := &clause{topic: topic, frame: f, subject: subject}
	if f == nil {
		c.quality = t.describe(subject.noun, topic)
		t.setTime(c, 100)
		return c
	}
	c.verb = common(t, f.Verb.Lemmas)
	if subject.noun == nil {
		c.subject = t.filler(f.Subject, topic, false, 170)
	}
	if f.Object != nil {
		c.object = t.filler(f.Object, topic, false, 250, c.subject.noun)
	}
	if len(f.Complements) > 0 && (f.Must || t.chance(480)) {
		c.prep = one(t, f.Complements)
		c.comp = t.filler(c.prep.Nouns, topic, true, 130, c.subject.noun, c.object.noun)
		if c.prep.Bare {
			c.comp.plural, c.comp.adj = false, adjective{}
		}
	}
	if !isPlace(c.comp) && !isPlace(c.object) && t.chance(170) {
		if n := t.drawNoun(t.Class("location"), topic); n.Place != "" && n.Topics&topic != 0 &&
			n != c.subject.noun && c.subject.noun.Is("living") {
			c.place = t.fill(n, topic, 120)
			c.place.plural = false
		}
	}
	if adverbs := t.Lists[f.Verb.Group]; len(adverbs) > 0 && t.chance(110) {
		entry := one(t, adverbs)
		c.adverb = adjective{sense: entry[0], word: common(t, entry)}
	}
	c.negated = t.chance(45)
	t.setTime(c, 260)
	return c
}

func isPlace(f filler) bool { return f.noun.Is("location") || f.noun.Is("calendar") }

// setTime draws the tense and, with the chance given, a time.
func (t *teller) setTime(c *clause, chance uint32) {
	switch v := t.Uint32N(100); {
	case v < 66:
		c.tense = "past"
	case v < 93:
		c.tense = "present"
	default:
		c.tense = "future"
	}
	if !t.chance(chance) || c.comp.noun.Is("calendar") {
		return
	}
	if t.chance(400) {
		c.phrase = one(t, t.Lists[c.tense])[0]
		return
	}
	c.time.noun = t.drawNoun(t.Class("calendar name"), c.topic)
	c.time.form = common(t, c.time.noun.Lemmas)
}
