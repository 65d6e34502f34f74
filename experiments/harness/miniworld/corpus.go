package miniworld

import (
	"cmp"
	"slices"
	"strings"

	"contextmover/experiments/harness/miniworld/lexicon"
)

// Bounds of the length of a sentence in tokens, its full stop included.
const (
	shortest = 5
	longest  = 25
)

// writeCorpus returns at least the given number of tokens, one sentence per line.
func (s *speaker) writeCorpus(tokens int) (text []byte) {
	for total := 0; total < tokens; {
		s.out = s.out[:0]
		s.anySentence()
		if len(s.out) >= shortest && len(s.out) <= longest {
			text = append(append(text, s.line()...), '\n')
			total += len(s.out)
		}
	}
	return text
}

var conjunctions = [][]string{
	{",", "and"}, {",", "but"}, {"while"}, {"because"}, {"when"}, {",", "so"}, {"after"}, {";"}, {"before"},
}

// anySentence says one sentence of the corpus.
func (s *speaker) anySentence() {
	topic := s.drawTopic()
	switch v := s.Uint32N(100); {
	case v < 36:
		s.plain(s.clause(topic))
		if s.chance(15) {
			s.say("!")
		}
	case v < 45:
		s.twoDeeds(topic)
	case v < 63: // two clauses
		c, d := s.clause(topic), s.clause(topic)
		if d.tense != c.tense {
			d.tense, d.phrase = c.tense, ""
		}
		y, z := s.style(c), s.style(d)
		z.fronted = false
		s.sentence(c, y)
		s.say(early(s, conjunctions)...)
		s.sentence(d, z)
	case v < 71:
		c := s.qualityClause(topic)
		s.plain(c)
		if s.chance(300) {
			if a := s.describe(c.subject.noun, topic); a.word != "" && a.group != c.quality.group {
				s.say("and", a.word)
			}
		}
	case v < 74:
		s.thereIs(topic)
	case v < 79:
		s.question(topic)
	case v < 83:
		s.definition(topic)
	case v < 86: // what someone said
		c := s.clause(topic)
		s.say("\"")
		s.plain(c)
		s.say(",", "\"", early(s, []string{"said", "said", "answered", "explained", "thought"}))
		s.named(s.filler(s.Class("speaker"), topic, true, 100), true)
	case v < 89:
		s.relative(topic)
	default:
		s.everydayPattern()
	}
	if end := s.out[len(s.out)-1]; !strings.Contains(".?!", end) {
		s.say(".")
	}
}

// twoDeeds says that one subject does two things.
func (s *speaker) twoDeeds(topic uint32) {
	c := s.clause(topic)
	y := s.style(c)
	y.passive, y.progressive = false, false
	s.drawFrame(topic) // without use: it is part of the stream that Version stands for
	d := s.clauseOf(s.frameFor(c.subject.noun.UsedBy, topic), topic, c.subject)
	if d.frame == nil || d.frame == c.frame {
		s.sentence(c, y)
		return
	}
	d.negated, d.tense = false, c.tense
	c.time, c.phrase = filler{}, ""
	a := s.sentence(c, y)
	s.sayOne("and", "and", "and", "or")
	if y.modal != "" || c.tense == "future" || c.negated {
		s.say(d.verb.Base)
	} else {
		s.say(d.verb.Finite(c.tense, a.base))
	}
	s.rest(d)
}

// qualityClause says of something that it has a quality.
func (s *speaker) qualityClause(topic uint32) *clause {
	for {
		c := s.clause(topic)
		subject := c.subject
		if c.object.noun != nil && s.chance(700) {
			subject = c.object
		}
		subject.adj = adjective{}
		if len(subject.noun.Described) > 0 {
			return s.clauseOf(nil, topic, subject)
		}
	}
}

// several is a filler for more than one of n.
func several(n *lexicon.Noun) filler { return filler{noun: n, form: n.Lemmas[0], plural: true} }

func (s *speaker) thereIs(topic uint32) {
	c := s.clause(topic)
	f := c.subject
	if c.object.noun != nil {
		f = c.object
	}
	if f.form.Proper {
		f = several(s.Class("person")[0])
	}
	n := s.drawNoun(s.Class("location"), topic)
	for try := 0; n.Topics&topic == 0 && try < 9; try++ {
		n = s.drawNoun(s.Class("location"), topic)
	}
	tense := "past"
	if s.chance(300) {
		tense = "present"
	}
	s.say("there", agrees(f.plural).be(tense))
	switch {
	case f.plural:
		s.sayOne("many", "some", "two", "no", "three")
	case f.form.Mass:
		s.sayOne("some", "no")
	default:
		s.say("a")
	}
	s.sayWord(f.adj)
	s.say(f.form.Said(f.plural))
	if n.Place != "" && n.Topics&topic != 0 && n != f.noun {
		place := s.fill(n, topic, 200)
		place.plural = false
		s.adverbials(&clause{place: place})
	}
}

func (s *speaker) question(topic uint32) {
	c := s.clause(topic)
	c.negated = false
	switch s.IntN(6) {
	case 0:
		if c.subject.noun.Is("person") {
			s.say("who", c.verb.Finite(c.tense, false))
			s.rest(c)
			s.say("?")
			return
		}
	case 1:
		s.say("why")
	case 2:
		s.say("when")
		c.time, c.phrase = filler{}, ""
	case 3:
		s.say("how")
		c.adverb = adjective{}
	}
	at := len(s.out)
	s.say("will")
	if a := s.phrase(c.subject, true, false); c.tense != "future" {
		s.out[at] = a.do(c.tense)
	}
	s.say(c.verb.Base)
	s.rest(c)
	s.say("?")
}

// definition says what something is: "a robin is a small bird that sings in trees".
func (s *speaker) definition(topic uint32) {
	var n *lexicon.Noun
	var above []*lexicon.Noun
	for len(above) == 0 || n.Lemmas[0].Proper {
		c := s.clause(topic)
		n = c.subject.noun
		if c.object.noun != nil && s.chance(600) {
			n = c.object.noun
		}
		above = those(n.Above(), func(p *lexicon.Noun) bool { return !p.General || s.chance(250) })
	}
	up := early(s, above)
	f, g := n.Lemmas[0], up.Lemmas[0]
	counted := f.Counted() && !g.Mass
	switch v := s.IntN(4); {
	case v == 0 && counted:
		s.say(f.Plural)
		if other := s.sister(n); other != n && !other.Lemmas[0].Mass {
			s.say(",", other.Lemmas[0].Plural)
		}
		s.say("and", "other", g.Plural)
		s.habit(n, topic)
	case v == 1 && counted:
		s.say(f.Plural, "are", g.Plural, "that")
		s.habit(n, topic)
	case f.PluralOnly:
		s.say(f.Plural, "are", "a", "kind", "of", g.Singular)
	default:
		s.one(f)
		s.say("is", "a")
		if g.Mass {
			s.say("kind", "of")
		}
		if a := s.describe(n, topic); a.word != "" && s.chance(500) && !g.Mass {
			s.say(a.word)
		}
		s.say(g.Singular)
		if !s.chance(300) {
			break
		}
		if other := s.sister(n); other != n {
			o := other.Lemmas[0]
			s.say("and", "not")
			s.one(o)
		}
	}
}

// one says a word in the singular, with "a" if it can have that.
func (s *speaker) one(f lexicon.NounForm) {
	if f.Counted() {
		s.say("a")
	}
	s.say(f.Singular)
}

// sister draws another noun of the class, or returns n.
func (t *teller) sister(n *lexicon.Noun) *lexicon.Noun {
	for range 5 {
		m := one(t, n.Parent.Children)
		if m != n && !m.Hidden && !m.Lemmas[0].Proper {
			return m
		}
	}
	return n
}

// habit says what several of n do, what is done to them or how they are.
func (s *speaker) habit(n *lexicon.Noun, topic uint32) {
	if f := s.frameFor(n.UsedBy, topic); f != nil && s.chance(850) {
		c := s.clauseOf(f, topic, several(n))
		s.deed(c, c.verb.Base)
		return
	}
	s.say("are")
	if f := s.frameFor(n.DoneTo, topic); f != nil {
		by := s.drawNoun(f.Subject, topic).Lemmas[0]
		s.say(common(s, f.Verb.Lemmas).Participle, "by")
		if by.Mass || by.Proper || by.Unique {
			s.say("people")
		} else {
			s.say(by.Plural)
		}
		return
	}
	a := s.describe(n, topic)
	s.say(cmp.Or(a.word, "common"))
}

// deed says a verb with its object and complement: "open the door with a key".
func (s *speaker) deed(c *clause, verb string) {
	s.say(verb)
	s.rest(c.core())
}

// core is what a clause says without adverbials.
func (c *clause) core() *clause {
	d := *c
	d.time, d.phrase, d.negated, d.adverb, d.place = filler{}, "", false, adjective{}, filler{}
	return &d
}

// relative says a sentence about someone "who", something "that".
func (s *speaker) relative(topic uint32) {
	c := s.clause(topic)
	f := s.frameFor(c.subject.noun.UsedBy, topic)
	if f == nil || c.subject.form.Proper {
		s.plain(c)
		return
	}
	d := s.clauseOf(f, topic, c.subject).core()
	d.tense = c.tense
	that := "that"
	if c.subject.noun.Is("person") {
		that = "who"
	}
	s.say("the")
	s.sayWord(c.subject.adj)
	s.say(c.subject.form.Said(c.subject.plural), that)
	for _, said := range []*clause{d, c} {
		s.predicate(said, saying{}, agrees(c.subject.plural))
		s.rest(said)
	}
}

// everydayPattern says a sentence of everyday.txt.
func (s *speaker) everydayPattern() {
	p := weighted(s.teller, s.Everyday, 0, func(p lexicon.Pattern) uint32 { return p.Weight })
	topic := p.Topic
	if topic == 0 {
		topic = s.drawTopic()
	}
	pronoun := "he"
	var used []*lexicon.Noun
	for i, part := range p.Parts {
		if i%2 == 0 {
			s.say(strings.Fields(part)...)
			continue
		}
		kind, class, _ := strings.Cut(part, " ")
		switch kind {
		case "do", "doing":
			c := s.deedOfMan(topic)
			verb := c.verb.Base
			if kind == "doing" {
				verb = c.verb.Gerund
			}
			s.deed(c, verb)
			continue
		case "name":
			n := s.firstName()
			pronoun = "he"
			if n.Is("female name") {
				pronoun = "she"
			}
			s.say(n.Name)
			continue
		case "he":
			s.say(pronoun)
			continue
		}
		n := s.drawNoun(s.Class(class), topic)
		for try := 0; slices.Contains(used, n) && try < 9; try++ {
			n = s.drawNoun(s.Class(class), topic)
		}
		used = append(used, n)
		form := common(s, n.Lemmas)
		switch {
		case form.Counted() && (kind == "a" || kind == "adjective"):
			s.say("a")
		case kind == "the" && !form.Proper:
			s.say("the")
		}
		if kind == "adjective" {
			s.sayWord(s.describe(n, topic))
		}
		s.say(form.Said(kind == "plural" && form.Counted()))
	}
}

// deedOfMan draws a clause whose subject is a grown person.
func (s *speaker) deedOfMan(topic uint32) *clause {
	man := s.Class("man")[0]
	for try := 0; ; try++ {
		f := s.drawFrame(topic)
		if !slices.Contains(f.Subject, man) && try < 20 {
			continue
		}
		if c := s.clauseOf(f, topic, filler{noun: man, form: man.Lemmas[0]}); c.object.noun != man {
			return c
		}
	}
}
