package lexicon

import "strings"

// A Pattern is a line of everyday.txt.
type Pattern struct {
	Weight uint32
	Topic  int // −1: any
	Parts  []Part
}

// A PartKind says what stands at a place of a pattern.
type PartKind int

// The kinds of parts: a word, a noun of a class as it is said there, a verb phrase without its
// subject, a first name, or a pronoun.
const (
	Literal PartKind = iota
	BareNoun
	NounWithA
	NounWithThe
	PluralNoun
	AdjectiveNoun
	DoVerb
	DoingVerb
	FirstName
	He
)

// A Part of a pattern is a word, or a place to be filled.
type Part struct {
	Kind PartKind
	Word string // of a Literal
	Set  int    // of nouns
}

func (x *Lexicon) readEveryday() {
	x.lines("everyday.txt", func(line string) {
		head, body, ok := strings.Cut(line, " : ")
		f := strings.Fields(head)
		x.expect(ok && len(f) == 2, "expected \"weight topic : pattern\", found %q", line)
		p := Pattern{Weight: x.weight(f[0], 8), Topic: -1}
		if f[1] != "any" {
			p.Topic = x.topic(f[1])
		}
		for body != "" {
			before, rest, open := strings.Cut(body, "{")
			for w := range strings.FieldsSeq(before) {
				p.Parts = append(p.Parts, Part{Word: w})
			}
			if !open {
				break
			}
			slot, after, closed := strings.Cut(rest, "}")
			x.expect(closed, "\"{\" without \"}\"")
			p.Parts = append(p.Parts, x.readSlot(slot))
			body = after
		}
		x.Everyday = append(x.Everyday, p)
	})
	x.expect(len(x.Everyday) > 0, "no pattern")
}

var slots = map[string]PartKind{"do": DoVerb, "doing": DoingVerb, "name": FirstName, "he": He}

func (x *Lexicon) readSlot(slot string) Part {
	if kind, ok := slots[slot]; ok {
		return Part{Kind: kind}
	}
	q := Part{Kind: BareNoun}
	for prefix, kind := range map[string]PartKind{"a ": NounWithA, "the ": NounWithThe, "adjective ": AdjectiveNoun} {
		if rest, ok := strings.CutPrefix(slot, prefix); ok {
			slot, q.Kind = rest, kind
			break
		}
	}
	if rest, ok := strings.CutSuffix(slot, "+"); ok {
		slot, q.Kind = rest, PluralNoun
	}
	q.Set = x.set(slot, nil)
	return q
}
