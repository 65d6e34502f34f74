package miniworld

import (
	"strings"

	"contextmover/experiments/harness/miniworld/lexicon"
)

// A speaker turns clauses into tokens.
type speaker struct {
	*teller
	out      []string
	pronouns bool // people may be pronouns
}

func (s *speaker) say(words ...string) { s.out = append(s.out, words...) }

// sayOne says one of some words.
func (s *speaker) sayOne(words ...string) { s.say(one(s.teller, words)) }

// finish returns the tokens as a line, with "a" and "an" as the next word asks for.
func (s *speaker) finish(dst []byte) []byte {
	for i, w := range s.out {
		if i > 0 {
			dst = append(dst, ' ')
		}
		if w == "a" && i+1 < len(s.out) {
			w = lexicon.Article(s.out[i+1])
		}
		dst = append(dst, w...)
	}
	return dst
}

// A person of grammar: what a verb agrees with.
type agreement struct{ plural, first, you bool }

// do returns the verb that negations and questions are made with.
func (a agreement) do(tense string) string {
	return lexicon.VerbForm{Base: "do", Third: "does", Past: "did"}.Finite(tense, a.base())
}

func (a agreement) base() bool { return a.plural || a.first || a.you }

func (a agreement) be(tense string) string {
	switch {
	case tense == "past" && (a.plural || a.you):
		return "were"
	case tense == "past":
		return "was"
	case a.first && !a.plural:
		return "am"
	case a.base():
		return "are"
	}
	return "is"
}

var possessives = []string{"my", "his", "her", "our", "their", "my", "your"}

// phrase says a noun phrase. subject tells whether it stands before the verb.
func (s *speaker) phrase(f *filler, subject, bare bool) agreement {
	node := &s.Nouns[f.noun]
	form := s.form(f)
	person := s.Is(f.noun, "person")
	if s.pronouns && f.adj.word == "" && person && !bare {
		if subject && s.chance(240) {
			return s.pronoun(f)
		}
		if !subject && s.chance(100) {
			if f.plural {
				s.say("them")
			} else {
				s.sayOne("him", "her", "me", "us")
			}
			return agreement{}
		}
	}
	agrees := agreement{plural: f.plural}
	word := form.Said(f.plural)
	switch {
	case f.name != "":
		word = f.name
	case form.Proper || bare:
	case node.Family && (person || s.chance(300)) && s.chance(750), node.Body && s.chance(700):
		if node.Family {
			s.sayOne(possessives[:3]...)
		} else {
			s.sayOne(possessives...)
		}
	case form.Unique:
		s.say("the")
	case node.Owned && s.pronouns && s.chance(110):
		s.sayOne(possessives...)
	case node.Owned && s.pronouns && s.chance(40):
		s.say(s.firstName(), "'", "s")
	case form.Mass:
		if !node.Abstract {
			switch v := s.rng.IntN(10); {
			case v < 5:
				s.say("the")
			case v < 7:
				s.say("some")
			}
		}
	case f.plural:
		switch v := s.rng.IntN(100); {
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
		if form.PluralOnly {
			agrees.plural = true
		}
	default:
		switch v := s.rng.IntN(100); {
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
	if f.adj.word != "" {
		if s.pronouns && s.chance(70) {
			s.say("very")
		}
		s.say(f.adj.word)
	}
	s.say(word)
	if f.last != "" && f.name == "" {
		s.say(f.last)
	}
	return agrees
}

func (s *speaker) firstName() string {
	class := "male name"
	if s.chance(500) {
		class = "female name"
	}
	return s.Nouns[early(s.teller, s.Nouns[s.ByName[class]].Children)].Lemmas[0].Singular
}

// pronoun says a pronoun for a person as the subject.
func (s *speaker) pronoun(f *filler) agreement {
	if f.plural {
		s.sayOne("they", "we")
		return agreement{plural: true}
	}
	switch v := s.rng.IntN(20); {
	case v < 7:
		s.say("he")
	case v < 14:
		s.say("she")
	case v < 18:
		s.say("i")
		return agreement{first: true}
	default:
		s.say("you")
		return agreement{you: true}
	}
	return agreement{}
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
	if c.frame >= 0 && c.object != nil && !s.Nouns[c.object.noun].Body && s.chance(90) {
		y.passive = true
	}
	if c.frame >= 0 && !y.passive && s.chance(130) && c.phrase == "" && !stative(s.Verbs[c.verb].Group) {
		y.progressive = true
	}
	if c.tense == "present" && c.frame >= 0 && s.chance(280) {
		y.modal = one(s.teller, []string{"can", "may", "must", "should", "could", "might"})
		y.progressive = false
	}
	y.style = s.rng.IntN(2)
	return y
}

func stative(group string) bool {
	return group == "emotion" || group == "cognition" || group == "possession" || group == "perception"
}

// sentence says a clause without its full stop.
func (s *speaker) sentence(c *clause, y saying) {
	fronted := y.fronted && (c.time != nil || c.phrase != "" || c.place != nil && c.frame >= 0)
	front := 0 // 1: time, 2: place
	if fronted {
		front = 1
		if c.time == nil && c.phrase == "" {
			front = 2
		}
		s.adverbial(c, front)
		s.say(",")
	}
	subject, object := c.subject, c.object
	if y.passive {
		subject, object = c.object, nil
	}
	agrees := s.phrase(subject, true, false)
	after := len(s.out)
	s.predicate(c, y, agrees)
	s.object(object)
	s.tail(c, y, front)
	if c.negated {
		for i, w := range s.out[after:] {
			if w == "some" || w == "every" {
				s.out[after+i] = "any"
			}
		}
	}
}

// object says a noun phrase that does not stand before the verb, if there is one.
func (s *speaker) object(f *filler) {
	if f != nil {
		s.phrase(f, false, false)
	}
}

// named says a noun phrase that is no pronoun.
func (s *speaker) named(f *filler, subject bool) {
	pronouns := s.pronouns
	s.pronouns = false
	s.phrase(f, subject, false)
	s.pronouns = pronouns
}

// complement says the complement, if there is one.
func (s *speaker) complement(c *clause) {
	if c.comp != nil {
		s.say(c.prep.Preposition)
		s.phrase(c.comp, false, c.prep.Bare)
	}
}

// rest says what follows the verb of an active clause.
func (s *speaker) rest(c *clause) {
	s.object(c.object)
	s.tail(c, saying{}, 0)
}

// tail says what follows the object.
func (s *speaker) tail(c *clause, y saying, front int) {
	if y.passive && (c.subject.name != "" || c.negated || s.rng.IntN(10) < 9) {
		s.say("by")
		s.named(c.subject, false)
	}
	if c.adverb[1] != "" && !y.passive {
		s.say(c.adverb[1])
	}
	s.complement(c)
	if c.place != nil && front != 2 {
		s.adverbial(c, 2)
	}
	if front != 1 {
		s.adverbial(c, 1)
	}
}

func (s *speaker) adverbial(c *clause, which int) {
	if which == 2 {
		s.say(s.Nouns[c.place.noun].Place)
		s.object(c.place)
		return
	}
	if c.phrase != "" {
		s.say(strings.Fields(c.phrase)...)
	}
	if c.time != nil {
		s.say(s.Nouns[c.time.noun].Place)
		form := s.form(c.time)
		if !form.Proper {
			s.say("the")
		}
		s.say(form.Singular)
	}
}

// predicate says the verb.
func (s *speaker) predicate(c *clause, y saying, a agreement) {
	if c.frame < 0 {
		s.copula(c, a)
		return
	}
	v := s.verb(c)
	participle := func() {
		if strings.HasSuffix(c.adverb[1], "ly") {
			s.say(c.adverb[1])
		}
		s.say(v.Participle)
	}
	modal := y.modal
	if c.tense == "future" {
		modal = "will"
	}
	switch {
	case modal != "":
		s.auxiliary(c, modal)
		if y.passive {
			s.say("be")
			participle()
		} else {
			s.say(v.Base)
		}
	case y.passive:
		s.auxiliary(c, a.be(c.tense))
		participle()
	case y.progressive:
		s.auxiliary(c, a.be(c.tense))
		s.say(v.Gerund)
	case c.negated:
		if do := a.do(c.tense); y.style == 0 {
			s.say(do, "not")
		} else {
			s.say(do+"n", "'", "t")
		}
		s.say(v.Base)
	default:
		s.say(v.Finite(c.tense, a.base()))
	}
}

// auxiliary says a verb that a negation follows.
func (s *speaker) auxiliary(c *clause, word string) {
	s.say(word)
	if c.negated {
		s.say("not")
	}
}

func (s *speaker) copula(c *clause, a agreement) {
	if c.tense == "future" {
		s.auxiliary(c, "will")
		s.say("be")
	} else {
		s.auxiliary(c, a.be(c.tense))
	}
	if s.pronouns && s.chance(300) {
		s.sayOne("very", "quite", "too", "so", "really")
	}
	s.say(c.quality.word)
}

// infinitive says the verb phrase of a clause: "open the door with a key".
func (s *speaker) infinitive(c *clause, verb string) {
	s.say(verb)
	s.object(c.object)
	s.complement(c)
}
