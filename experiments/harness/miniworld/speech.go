package miniworld

import (
	"slices"
	"strings"

	"contextmover/experiments/harness/miniworld/lexicon"
)

// A speaker turns clauses into tokens.
type speaker struct {
	*teller
	out       []string
	pronouns  bool    // people may be pronouns
	ambiguous [][]use // words with several senses
}

func (s *speaker) say(words ...string) { s.out = append(s.out, words...) }

// sayOne says one of some words.
func (s *speaker) sayOne(words ...string) { s.say(one(s, words)) }

// sayWord says the word of an adjective or adverb, if there is one.
func (s *speaker) sayWord(a adjective) {
	if a.word != "" {
		s.say(a.word)
	}
}

// line returns the tokens as a line, with "a" and "an" as the next word asks for.
func (s *speaker) line() string {
	for i, w := range s.out[:len(s.out)-1] {
		if w == "a" {
			s.out[i] = lexicon.Article(s.out[i+1])
		}
	}
	return strings.Join(s.out, " ")
}

// An agreement is what a verb agrees with: forms of "be", and whether other verbs have their base form.
type agreement struct {
	was, is string
	base    bool
}

var (
	third = agreement{"was", "is", false}
	first = agreement{"was", "am", true}
	many  = agreement{"were", "are", true}
)

func agrees(plural bool) agreement {
	if plural {
		return many
	}
	return third
}

func (a agreement) be(tense string) string {
	if tense == "past" {
		return a.was
	}
	return a.is
}

// do returns the verb that negations and questions are made with.
func (a agreement) do(tense string) string {
	return lexicon.VerbForm{Base: "do", Third: "does", Past: "did"}.Finite(tense, a.base)
}

var possessives = []string{"my", "his", "her", "our", "their", "my", "your"}

// phrase says a noun phrase. subject tells whether it stands before the verb, bare whether it has no article.
func (s *speaker) phrase(f filler, subject, bare bool) agreement {
	if s.pronouns && f.adj.word == "" && f.noun.Is("person") && !bare {
		if subject && s.chance(240) {
			return s.pronoun(f.plural)
		}
		if !subject && s.chance(100) {
			if f.plural {
				s.say("them")
			} else {
				s.sayOne("him", "her", "me", "us")
			}
			return third
		}
	}
	owned := s.pronouns && slices.Contains(s.Class("belonging"), f.noun)
	switch {
	case f.name != "" || f.form.Proper || bare:
	case f.noun.Is("relative") && s.chance(750):
		s.sayOne(possessives[:3]...)
	case f.noun.Is("body part") && s.chance(700):
		s.sayOne(possessives...)
	case f.form.Unique:
		s.say("the")
	case owned && s.chance(110):
		s.sayOne(possessives...)
	case owned && s.chance(40):
		s.say(s.firstName().Name, "'", "s")
	case f.form.Mass:
		if f.noun.Is("abstract") {
			break
		}
		switch v := s.IntN(10); {
		case v < 5:
			s.say("the")
		case v < 7:
			s.say("some")
		}
	case f.plural:
		switch v := s.IntN(100); {
		case v < 50:
			s.say("the")
		case v < 60:
			s.say("some")
		case v < 66:
			s.say("many")
		case v < 72:
			s.sayOne("two", "three", "four", "several")
		case v < 76:
			s.sayOne("these", "those")
		case v < 79:
			s.say("all", "the")
		}
	default:
		switch v := s.IntN(100); {
		case v < 60:
			s.say("the")
		case v < 93:
			s.say("a")
		case v < 96:
			s.say("this")
		case v < 98:
			s.say("that")
		case v < 99:
			s.say("another")
		default:
			s.say("every")
		}
	}
	if f.adj.word != "" && s.pronouns && s.chance(70) {
		s.say("very")
	}
	s.sayWord(f.adj)
	switch {
	case f.name != "":
		s.say(f.name)
	case f.last != "":
		s.say(f.form.Singular, f.last)
	default:
		s.say(f.form.Said(f.plural))
	}
	return agrees(f.plural)
}

func (s *speaker) firstName() *lexicon.Noun {
	class := "male name"
	if s.chance(500) {
		class = "female name"
	}
	return early(s, s.Class(class))
}

// pronoun says a pronoun for a person as the subject.
func (s *speaker) pronoun(plural bool) agreement {
	if plural {
		s.sayOne("they", "we")
		return many
	}
	switch v := s.IntN(20); {
	case v < 7:
		s.say("he")
	case v < 14:
		s.say("she")
	case v < 18:
		s.say("i")
		return first
	default:
		s.say("you")
		return many
	}
	return third
}

// saying is how a clause is put: independent of what it says.
type saying struct {
	passive, fronted, progressive bool
	modal                         string
	style                         int // of negation
}

func (s *speaker) style(c *clause) saying {
	var y saying
	y.fronted = s.chance(300)
	y.passive = canBePassive(c) && s.chance(90)
	y.progressive = c.frame != nil && !y.passive && s.chance(130) && c.phrase == "" &&
		!slices.Contains([]string{"emotion", "cognition", "possession", "perception"}, c.frame.Verb.Group)
	if c.tense == "present" && c.frame != nil && s.chance(280) {
		y.modal = one(s, []string{"can", "may", "must", "should", "could", "might"})
		y.progressive = false
	}
	y.style = s.IntN(2)
	return y
}

func canBePassive(c *clause) bool {
	return c.object.noun != nil && !c.object.noun.Is("body part")
}

// sentence says a clause without its full stop.
func (s *speaker) sentence(said *clause, y saying) agreement {
	c := *said
	if timed := c.time.noun != nil || c.phrase != ""; y.fronted && (timed || c.place.noun != nil) {
		front := c
		if timed {
			front.place, c.phrase, c.time = filler{}, "", filler{}
		} else {
			c.place = filler{}
		}
		s.adverbials(&front)
		s.say(",")
	}
	subject := c.subject
	if y.passive {
		subject = c.object
		c.object = filler{}
	}
	a := s.phrase(subject, true, false)
	after := len(s.out)
	s.predicate(&c, y, a)
	if y.passive {
		if c.subject.name != "" || c.negated || s.IntN(10) < 9 {
			s.say("by")
			s.named(c.subject, false)
		}
		c.adverb = adjective{}
	}
	s.rest(&c)
	if c.negated {
		for i, w := range s.out[after:] {
			if w == "some" || w == "every" {
				s.out[after+i] = "any"
			}
		}
	}
	return a
}

// plain says a clause in a style of its own.
func (s *speaker) plain(c *clause) { s.sentence(c, s.style(c)) }

// object says a noun phrase that does not stand before the verb, if there is one.
func (s *speaker) object(f filler) {
	if f.noun != nil {
		s.phrase(f, false, false)
	}
}

// named says a noun phrase that is no pronoun.
func (s *speaker) named(f filler, subject bool) {
	pronouns := s.pronouns
	s.pronouns = false
	s.phrase(f, subject, false)
	s.pronouns = pronouns
}

// rest says what follows the verb of an active clause.
func (s *speaker) rest(c *clause) {
	s.object(c.object)
	s.sayWord(c.adverb)
	if c.comp.noun != nil {
		s.say(c.prep.Preposition)
		s.phrase(c.comp, false, c.prep.Bare)
	}
	s.adverbials(c)
}

// adverbials says the place and the time.
func (s *speaker) adverbials(c *clause) {
	if c.place.noun != nil {
		s.say(c.place.noun.Place)
		s.object(c.place)
	}
	s.say(strings.Fields(c.phrase)...)
	if c.time.noun != nil {
		s.say(c.time.noun.Place)
		if !c.time.form.Proper {
			s.say("the")
		}
		s.say(c.time.form.Singular)
	}
}

// predicate says the verb, or what takes its place.
func (s *speaker) predicate(c *clause, y saying, a agreement) {
	modal := y.modal
	if c.tense == "future" {
		modal = "will"
	}
	be := c.frame == nil || y.passive
	auxiliary := func(word string) {
		s.say(word)
		if c.negated {
			s.say("not")
		}
	}
	switch {
	case modal != "":
		auxiliary(modal)
		if be {
			s.say("be")
		} else {
			s.say(c.verb.Base)
		}
	case be:
		auxiliary(a.be(c.tense))
	case y.progressive:
		auxiliary(a.be(c.tense))
		s.say(c.verb.Gerund)
	case c.negated:
		if do := a.do(c.tense); y.style == 0 {
			s.say(do, "not")
		} else {
			s.say(do+"n", "'", "t")
		}
		s.say(c.verb.Base)
	default:
		s.say(c.verb.Finite(c.tense, a.base))
	}
	switch {
	case y.passive:
		if strings.HasSuffix(c.adverb.word, "ly") {
			s.say(c.adverb.word)
		}
		s.say(c.verb.Participle)
	case be:
		if s.pronouns && s.chance(300) {
			s.sayOne("very", "quite", "too", "so", "really")
		}
		s.say(c.quality.word)
	}
}
