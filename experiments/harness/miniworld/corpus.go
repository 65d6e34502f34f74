package miniworld

import "slices"

// Bounds of the length of a sentence in tokens, its full stop included.
const (
	shortest = 5
	longest  = 25
)

// writeCorpus returns at least the given number of tokens, one sentence per line.
func (s *speaker) writeCorpus(tokens int) []byte {
	text := make([]byte, 0, tokens*11/2+1000)
	for total := 0; total < tokens; {
		s.out = s.out[:0]
		s.anySentence()
		if len(s.out) < shortest || len(s.out) > longest {
			continue
		}
		text = append(s.finish(text), '\n')
		total += len(s.out)
	}
	return text
}

var conjunctions = [][]string{
	{",", "and"}, {",", "but"}, {"while"}, {"because"}, {"when"}, {",", "so"}, {"after"}, {";"}, {"before"},
}

// anySentence says one sentence of the corpus.
func (s *speaker) anySentence() {
	topic := s.drawTopic()
	switch v := s.rng.Uint32N(100); {
	case v < 36:
		c := s.clause(topic, nil)
		s.sentence(c, s.style(c))
		s.say(end(s.chance(15)))
	case v < 45: // one subject does two things
		c := s.clause(topic, nil)
		y := s.style(c)
		y.passive, y.progressive = false, false
		d := s.clause(topic, c.subject)
		if d.frame < 0 || d.frame == c.frame {
			s.sentence(c, y)
			s.say(".")
			return
		}
		d.negated, d.tense = false, c.tense
		c.time, c.phrase = nil, ""
		s.sentence(c, y)
		s.sayOne("and", "and", "and", "or")
		if v := s.verb(d); y.modal != "" || c.tense == "future" || c.negated {
			s.say(v.Base)
		} else {
			s.say(v.Finite(c.tense, c.subject.plural || s.saidBase()))
		}
		s.rest(d)
		s.say(".")
	case v < 63: // two clauses
		c, d := s.clause(topic, nil), s.clause(topic, nil)
		if d.tense != c.tense {
			d.tense, d.phrase = c.tense, ""
		}
		y, z := s.style(c), s.style(d)
		z.fronted = false
		s.sentence(c, y)
		s.say(early(s.teller, conjunctions)...)
		s.sentence(d, z)
		s.say(".")
	case v < 71: // a quality
		c := s.qualityClause(topic)
		s.sentence(c, s.style(c))
		if s.chance(300) {
			if a := s.describe(c.subject.noun, topic); a.word != "" && a.group != c.quality.group {
				s.say("and", a.word)
			}
		}
		s.say(".")
	case v < 74:
		s.thereIs(topic)
	case v < 79:
		s.question(topic)
	case v < 83:
		s.definition(topic)
	case v < 86:
		s.quote(topic)
	case v < 89:
		s.relative(topic)
	default:
		s.everydayPattern()
	}
}

func end(exclaim bool) string {
	if exclaim {
		return "!"
	}
	return "."
}

// saidBase tells whether the subject was said as "i", "you", "we" or "they".
func (s *speaker) saidBase() bool {
	return slices.ContainsFunc(s.out, func(w string) bool { return w == "i" || w == "you" || w == "we" || w == "they" })
}

// qualityClause says of something that it has a quality.
func (s *speaker) qualityClause(topic int) *clause {
	for {
		f := s.clause(topic, nil)
		subject := f.subject
		if f.object != nil && s.chance(700) {
			subject = f.object
		}
		subject.adj = adjective{}
		if len(s.described[subject.noun]) > 0 {
			return s.clauseOf(-1, topic, subject)
		}
	}
}

func (s *speaker) thereIs(topic int) {
	c := s.clause(topic, nil)
	f := c.subject
	if c.object != nil {
		f = c.object
	}
	if s.form(f).Proper || f.last != "" {
		f = &filler{noun: s.ByName["person"], plural: true}
	}
	n := s.drawNoun(s.Places, topic)
	for try := 0; s.Nouns[n].Topics>>topic&1 == 0 && try < 9; try++ {
		n = s.drawNoun(s.Places, topic)
	}
	form := s.form(f)
	tense := "past"
	if s.chance(300) {
		tense = "present"
	}
	s.say("there", agreement{plural: f.plural}.be(tense))
	switch {
	case f.plural:
		s.sayOne("many", "some", "two", "no", "three")
	case form.Mass:
		s.sayOne("some", "no")
	default:
		s.say("a")
	}
	if f.adj.word != "" {
		s.say(f.adj.word)
	}
	s.say(form.Said(f.plural))
	if place := s.Nouns[n].Place; place != "" && s.Nouns[n].Topics>>topic&1 == 1 && n != f.noun {
		p := s.fill(n, topic, 200)
		p.plural = false
		s.say(place)
		s.object(p)
	}
	s.say(".")
}

func (s *speaker) question(topic int) {
	c := s.clause(topic, nil)
	c.negated = false
	v := s.verb(c)
	word := ""
	switch s.rng.IntN(6) {
	case 0:
		if s.Is(c.subject.noun, "person") {
			s.say("who", v.Finite(c.tense, false))
			s.rest(c)
			s.say("?")
			return
		}
	case 1:
		word = "why"
	case 2:
		word = "when"
		c.time, c.phrase = nil, ""
	case 3:
		word = "how"
		c.adverb = [2]string{}
	}
	if word != "" {
		s.say(word)
	}
	at := len(s.out)
	s.say("")
	a := s.phrase(c.subject, true, false)
	if s.out[at] = a.do(c.tense); c.tense == "future" {
		s.out[at] = "will"
	}
	s.say(v.Base)
	s.rest(c)
	s.say("?")
}

// definition says what something is: "a robin is a small bird that sings in trees".
func (s *speaker) definition(topic int) {
	var n, up int
	for {
		c := s.clause(topic, nil)
		n = c.subject.noun
		if c.object != nil && s.chance(600) {
			n = c.object.noun
		}
		var above []int
		for p := s.Nouns[n].Parent; p >= 0; p = s.Nouns[p].Parent {
			if !s.Nouns[p].Hidden && (!s.Nouns[p].General || s.chance(250)) {
				above = append(above, p)
			}
		}
		if len(above) > 0 && !s.Nouns[n].Lemmas[0].Proper {
			up = early(s.teller, above)
			break
		}
	}
	f, g := &s.Nouns[n].Lemmas[0], &s.Nouns[up].Lemmas[0]
	countable := !f.Mass && !f.PluralOnly && !g.Mass
	switch v := s.rng.IntN(4); {
	case v == 0 && countable: // and other
		other := s.sister(n)
		s.say(f.Plural)
		if other != n && !s.Nouns[other].Lemmas[0].Mass {
			s.say(",", s.Nouns[other].Lemmas[0].Plural)
		}
		s.say("and", "other", g.Plural)
		s.habit(n, topic)
	case v == 1 && countable:
		s.say(f.Plural, "are", g.Plural, "that")
		s.habit(n, topic)
	case f.PluralOnly:
		s.say(f.Plural, "are", "a", "kind", "of", g.Singular)
	default:
		if !f.Mass {
			s.say("a")
		}
		s.say(f.Singular, "is")
		if !g.Mass {
			s.say("a")
		} else {
			s.say("a", "kind", "of")
		}
		if a := s.describe(n, topic); a.word != "" && s.chance(500) && !g.Mass {
			s.say(a.word)
		}
		s.say(g.Singular)
		if s.chance(300) {
			s.say("and", "not")
			if other := s.sister(n); other != n {
				o := s.Nouns[other].Lemmas[0]
				if !o.Mass && !o.Proper && !o.PluralOnly {
					s.say("a")
				}
				s.say(o.Singular)
			} else {
				s.out = s.out[:len(s.out)-2]
			}
		}
	}
	s.say(".")
}

func (s *teller) sister(n int) int {
	p := s.Nouns[n].Parent
	if p < 0 {
		return n
	}
	for range 5 {
		m := one(s, s.Nouns[p].Children)
		if m != n && !s.Nouns[m].Hidden && !s.Nouns[m].Lemmas[0].Proper {
			return m
		}
	}
	return n
}

// habit says what several of n do, what is done to them or how they are.
func (s *speaker) habit(n, topic int) {
	i := s.frameFor(n, s.usedBy, topic)
	if i >= 0 && s.chance(850) {
		c := s.clauseOf(i, topic, &filler{noun: n, plural: true})
		s.infinitive(c, s.verb(c).Base)
		return
	}
	s.say("are")
	if i = s.frameFor(n, s.doneTo, topic); i >= 0 {
		f := &s.Frames[i]
		form := s.Nouns[s.drawNoun(f.Subject, topic)].Lemmas[0]
		s.say(common(s.teller, s.Verbs[f.Verb].Lemmas).Participle, "by")
		if form.Mass || form.Proper || form.Unique {
			s.say("people")
		} else {
			s.say(form.Plural)
		}
		return
	}
	if a := s.describe(n, topic); a.word != "" {
		s.say(a.word)
		return
	}
	s.say("common")
}

func (s *speaker) quote(topic int) {
	c := s.clause(topic, nil)
	s.say("\"")
	s.sentence(c, s.style(c))
	s.say(",", "\"")
	s.say(early(s.teller, []string{"said", "said", "answered", "explained", "thought"}))
	s.named(s.filler(s.Speakers, topic, true, 100), true)
	s.say(".")
}

// relative says a sentence about someone "who", something "that".
func (s *speaker) relative(topic int) {
	c := s.clause(topic, nil)
	i := s.frameFor(c.subject.noun, s.usedBy, topic)
	form := s.form(c.subject)
	if i < 0 || form.Proper {
		s.sentence(c, s.style(c))
		s.say(".")
		return
	}
	d := s.clauseOf(i, topic, c.subject)
	d.time, d.phrase, d.negated, d.adverb, d.place = nil, "", false, [2]string{}, nil
	s.say("the")
	a := agreement{plural: c.subject.plural}
	if c.subject.adj.word != "" {
		s.say(c.subject.adj.word)
	}
	that := "that"
	if s.Is(c.subject.noun, "person") {
		that = "who"
	}
	s.say(form.Said(a.plural), that)
	d.tense = c.tense
	for _, said := range []*clause{d, c} {
		s.predicate(said, saying{}, a)
		s.rest(said)
	}
	s.say(".")
}
