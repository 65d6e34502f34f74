package miniworld

import (
	"strconv"
	"strings"
)

// A pattern is a line of everyday.txt.
type pattern struct {
	weight uint32
	topic  int // −1: any
	parts  []part
}

type partKind int

const (
	literal partKind = iota
	bareNoun
	nounWithA
	nounWithThe
	pluralNoun
	adjectiveNoun
	doVerb
	doingVerb
	firstName
	he
)

type part struct {
	kind partKind
	word string
	set  int
}

func (x *lexicon) readEveryday() error {
	const file = "everyday.txt"
	err := x.lines(file, func(n int, line string) error {
		head, body, ok := strings.Cut(line, " : ")
		f := strings.Fields(head)
		if !ok || len(f) != 2 {
			return fault(file, n, "expected \"weight topic : pattern\", found %q", line)
		}
		w, err := strconv.ParseUint(f[0], 10, 8)
		if err != nil || w == 0 {
			return fault(file, n, "weight %q is not a positive integer", f[0])
		}
		p := pattern{weight: uint32(w), topic: -1}
		if f[1] != "any" {
			for t := range x.topics {
				if x.topics[t].name == f[1] {
					p.topic = t
				}
			}
			if p.topic < 0 {
				return fault(file, n, "no topic %q in topics.txt", f[1])
			}
		}
		for body != "" {
			before, rest, open := strings.Cut(body, "{")
			for _, w := range strings.Fields(before) {
				p.parts = append(p.parts, part{word: w})
			}
			if !open {
				break
			}
			slot, after, closed := strings.Cut(rest, "}")
			if !closed {
				return fault(file, n, "\"{\" without \"}\"")
			}
			q, err := x.readSlot(slot)
			if err != nil {
				return fault(file, n, "%v", err)
			}
			p.parts = append(p.parts, q)
			body = after
		}
		x.everyday = append(x.everyday, p)
		return nil
	})
	if err == nil && len(x.everyday) == 0 {
		err = fault(file, 0, "no pattern")
	}
	return err
}

func (x *lexicon) readSlot(slot string) (part, error) {
	switch slot {
	case "do":
		return part{kind: doVerb}, nil
	case "doing":
		return part{kind: doingVerb}, nil
	case "name":
		return part{kind: firstName}, nil
	case "he":
		return part{kind: he}, nil
	}
	q := part{kind: bareNoun}
	for prefix, kind := range map[string]partKind{"a ": nounWithA, "the ": nounWithThe, "adjective ": adjectiveNoun} {
		if rest, ok := strings.CutPrefix(slot, prefix); ok {
			slot, q.kind = rest, kind
			break
		}
	}
	if rest, ok := strings.CutSuffix(slot, "+"); ok {
		slot, q.kind = rest, pluralNoun
	}
	var err error
	q.set, err = x.set(slot, nil)
	return q, err
}

// everydayPattern says a sentence of everyday.txt.
func (s *speaker) everydayPattern() {
	p := &s.everyday[draw(s.rng, s.patternSums)]
	topic := p.topic
	if topic < 0 {
		topic = s.drawTopic()
	}
	pronoun := "he"
	used := map[int]bool{}
	for _, q := range p.parts {
		switch q.kind {
		case literal:
			s.say(q.word)
		case doVerb:
			s.infinitive(s.deed(topic), func(v verbForm) string { return v.base })
		case doingVerb:
			s.infinitive(s.deed(topic), func(v verbForm) string { return v.gerund })
		case firstName:
			name := s.firstName()
			pronoun = "he"
			if s.nouns[s.nouns[s.byName[name]].parent].name == "female name" {
				pronoun = "she"
			}
			s.say(name)
		case he:
			s.say(pronoun)
		default:
			n := s.drawNoun(q.set, topic)
			for try := 0; used[n] && try < 9; try++ {
				n = s.drawNoun(q.set, topic)
			}
			used[n] = true
			node := &s.nouns[n]
			form := node.lemmas[s.pick(len(node.lemmas))]
			word := form.singular
			switch {
			case q.kind == pluralNoun && !form.mass && !form.proper:
				word = form.plural
			case q.kind == nounWithA && !form.mass && !form.proper && !form.pluralOnly:
				s.say("a")
			case q.kind == nounWithThe && !form.proper:
				s.say("the")
			case q.kind == adjectiveNoun:
				if !form.mass && !form.proper {
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
		if contains(s.sets[s.frames[i].subject], s.byName["man"]) || try == 20 {
			c := s.clauseOf(i, topic, &filler{noun: s.byName["man"]})
			if c.object != nil && c.object.noun == s.byName["man"] {
				continue
			}
			return c
		}
	}
}
