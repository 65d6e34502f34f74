package miniworld

import (
	"contextmover/experiments/harness/miniworld/lexicon"
)

// everydayPattern says a sentence of everyday.txt.
func (s *speaker) everydayPattern() {
	p := &s.Everyday[draw(s.rng, s.patternSums)]
	topic := p.Topic
	if topic < 0 {
		topic = s.drawTopic()
	}
	pronoun := "he"
	used := map[int]bool{}
	for _, q := range p.Parts {
		switch q.Kind {
		case lexicon.Literal:
			s.say(q.Word)
		case lexicon.DoVerb:
			c := s.deed(topic)
			s.infinitive(c, s.verb(c).Base)
		case lexicon.DoingVerb:
			c := s.deed(topic)
			s.infinitive(c, s.verb(c).Gerund)
		case lexicon.FirstName:
			name := s.firstName()
			pronoun = "he"
			if s.Nouns[s.Nouns[s.ByName[name]].Parent].Name == "female name" {
				pronoun = "she"
			}
			s.say(name)
		case lexicon.He:
			s.say(pronoun)
		default:
			n := s.drawNoun(q.Set, topic)
			for try := 0; used[n] && try < 9; try++ {
				n = s.drawNoun(q.Set, topic)
			}
			used[n] = true
			form := common(s.teller, s.Nouns[n].Lemmas)
			word := form.Singular
			switch {
			case q.Kind == lexicon.PluralNoun && !form.Mass && !form.Proper:
				word = form.Plural
			case q.Kind == lexicon.NounWithA && !form.Mass && !form.Proper && !form.PluralOnly:
				s.say("a")
			case q.Kind == lexicon.NounWithThe && !form.Proper:
				s.say("the")
			case q.Kind == lexicon.AdjectiveNoun:
				if !form.Mass && !form.Proper {
					s.say("a")
				}
				if a := s.describe(n, topic); a.word != "" {
					s.say(a.word)
				}
			}
			s.say(word)
		}
	}
}

// deed draws a clause whose subject is a grown person.
func (s *speaker) deed(topic int) *clause {
	for try := 0; ; try++ {
		frames := s.frameOf[topic]
		i := frames[draw(s.rng, s.frameSums[topic])]
		if s.Has(s.Frames[i].Subject, s.ByName["man"]) || try == 20 {
			c := s.clauseOf(i, topic, &filler{noun: s.ByName["man"]})
			if c.object != nil && c.object.noun == s.ByName["man"] {
				continue
			}
			return c
		}
	}
}
