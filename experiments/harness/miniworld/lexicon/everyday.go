package lexicon

import (
	"strconv"
	"strings"
)

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

func (x *Lexicon) readEveryday() error {
	const file = "everyday.txt"
	err := x.lines(file, func(n int, line string) error {
		head, body, ok := strings.Cut(line, " : ")
		f := strings.Fields(head)
		if !ok || len(f) != 2 {
			return Fault(file, n, "expected \"weight topic : pattern\", found %q", line)
		}
		w, err := strconv.ParseUint(f[0], 10, 8)
		if err != nil || w == 0 {
			return Fault(file, n, "weight %q is not a positive integer", f[0])
		}
		p := Pattern{Weight: uint32(w), Topic: -1}
		if f[1] != "any" {
			for t := range x.Topics {
				if x.Topics[t].Name == f[1] {
					p.Topic = t
				}
			}
			if p.Topic < 0 {
				return Fault(file, n, "no topic %q in topics.txt", f[1])
			}
		}
		for body != "" {
			before, rest, open := strings.Cut(body, "{")
			for _, w := range strings.Fields(before) {
				p.Parts = append(p.Parts, Part{Word: w})
			}
			if !open {
				break
			}
			slot, after, closed := strings.Cut(rest, "}")
			if !closed {
				return Fault(file, n, "\"{\" without \"}\"")
			}
			q, err := x.readSlot(slot)
			if err != nil {
				return Fault(file, n, "%v", err)
			}
			p.Parts = append(p.Parts, q)
			body = after
		}
		x.Everyday = append(x.Everyday, p)
		return nil
	})
	if err == nil && len(x.Everyday) == 0 {
		err = Fault(file, 0, "no pattern")
	}
	return err
}

func (x *Lexicon) readSlot(slot string) (Part, error) {
	switch slot {
	case "do":
		return Part{Kind: DoVerb}, nil
	case "doing":
		return Part{Kind: DoingVerb}, nil
	case "name":
		return Part{Kind: FirstName}, nil
	case "he":
		return Part{Kind: He}, nil
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
	var err error
	q.Set, err = x.Set(slot, nil)
	return q, err
}
