// Package lexicon reads the words of the mini world, plain text in the folder words, and tells how similar they are.
// There are a taxonomy of nouns, verbs with their frames, adjectives, everyday sentences, and lists of other words.
package lexicon

import (
	"cmp"
	"embed"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

//go:embed words/*.txt
var words embed.FS

// A Noun is one node of the taxonomy: a sense with its synonyms, or a class
// without a word of its own.
type Noun struct {
	Name     string // unique
	Lemmas   []NounForm
	Hidden   bool // a class without a word
	General  bool // too general to stand for a hyponym
	Parent   *Noun
	Children []*Noun
	depth    int
	Topics   uint32
	Place    string // preposition of a place or time, or ""
	Weight   uint32 // relative frequency among nouns of a class

	// What the grammar uses the noun with: as the subject and the object of verbs, and with adjectives.
	UsedBy, DoneTo []*Frame
	Described      []*Adjectives
}

// Is tells whether the noun is of a class.
func (n *Noun) Is(class string) bool {
	for ; n != nil; n = n.Parent {
		if n.Name == class {
			return true
		}
	}
	return false
}

// Above returns the more general nouns that have a word, the nearest first.
func (n *Noun) Above() (above []*Noun) {
	for n = n.Parent; n != nil; n = n.Parent {
		if !n.Hidden {
			above = append(above, n)
		}
	}
	return above
}

// A NounForm is one of the synonyms of a noun: how it is said, and whether it is said with an
// article or in the plural.
type NounForm struct {
	Singular, Plural         string
	Unique                   bool
	Mass, PluralOnly, Proper bool
}

// Said returns the word in the singular or the plural.
func (f NounForm) Said(plural bool) string {
	if plural {
		return f.Plural
	}
	return f.Singular
}

// Counted tells whether the word has a singular with "a" and a plural.
func (f NounForm) Counted() bool { return !f.Mass && !f.Proper && !f.PluralOnly }

// A Verb is one sense with its synonyms.
type Verb struct {
	Group  string
	Lemmas []VerbForm
	Topics uint32 // of all its frames
}

// A VerbForm is one of the synonyms of a verb.
type VerbForm struct{ Base, Third, Past, Participle, Gerund string }

// Finite returns the word in a tense, of a subject with the base form or with the third person.
func (f VerbForm) Finite(tense string, base bool) string {
	switch {
	case tense == "past":
		return f.Past
	case base:
		return f.Base
	}
	return f.Third
}

// A Frame is one way to use a verb.
type Frame struct {
	Verb            *Verb
	Subject, Object []*Noun // no object for some
	Complements     []Complement
	Must            bool // a complement is obligatory
	Topics          uint32
	Weight          uint32
}

// A Complement is a place of a frame that a preposition leads to.
type Complement struct {
	Preposition string
	Nouns       []*Noun
	Bare        bool // no article
}

// Adjectives are a group that describes the same nouns; each entry is some synonyms.
type Adjectives struct {
	Name   string
	Topics uint32 // 0: any
	Words  [][]string
}

// A Topic is what a sentence is about.
type Topic struct {
	Name    string
	Bit     uint32 // the set of this topic alone
	Weight  uint32
	related uint32
}

// A Pattern is a line of everyday.txt.
type Pattern struct {
	Weight uint32
	Topic  uint32   // 0: any
	Parts  []string // words and, at odd places, what to put between them
}

// A Lexicon is the content of the word lists. Sets of topics are masks of bits.
type Lexicon struct {
	Topics     []Topic
	Nouns      []*Noun
	Verbs      []*Verb
	Frames     []*Frame
	Adjectives []*Adjectives
	Everyday   []Pattern
	// Lists are adverbs by the group of the verb, phrases of time by tense, and names. Each entry is some synonyms.
	Lists map[string][][]string

	classes map[string][]*Noun
}

// Load reads the word lists.
func Load() *Lexicon {
	x := &Lexicon{Lists: map[string][][]string{}, classes: map[string][]*Noun{}}
	x.readTopics()
	x.readNouns()
	x.readVerbs()
	x.readAdjectives()
	for line := range lines("everyday.txt") {
		head, body := cut(line, " : ")
		weight, topic := cut(head, " ")
		x.Everyday = append(x.Everyday, Pattern{
			number(weight), x.topics(topic), strings.Split(strings.ReplaceAll(body, "}", "{"), "{"),
		})
	}
	var users []string
	for line := range lines("lists.txt") {
		if strings.HasPrefix(line, "[") {
			users = strings.Split(strings.Trim(line, "[]"), ", ")
			continue
		}
		for _, user := range users {
			x.Lists[user] = append(x.Lists[user], synonyms(line)...)
		}
	}
	return x
}

// lines yields the lines of a word list that are neither empty nor a comment.
func lines(file string) iter.Seq[string] {
	return func(yield func(string) bool) {
		text, err := words.ReadFile("words/" + file)
		if err != nil {
			panic(err)
		}
		for line := range strings.SplitSeq(string(text), "\n") {
			if line != "" && line[0] != '#' && !yield(line) {
				return
			}
		}
	}
}

// cut returns what is before and after a separator that the text has.
func cut(text, separator string) (before, after string) {
	before, after, ok := strings.Cut(text, separator)
	if !ok {
		panic(fmt.Sprintf("miniworld: no %q in %q of the word lists", separator, text))
	}
	return before, after
}

func number(text string) uint32 {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		panic(err)
	}
	return uint32(n)
}

// synonyms reads "word = synonym, word".
func synonyms(line string) (entries [][]string) {
	for entry := range strings.SplitSeq(line, ", ") {
		entries = append(entries, strings.Split(entry, " = "))
	}
	return entries
}

func (x *Lexicon) readTopics() {
	for line := range lines("topics.txt") {
		f := strings.Fields(line)
		t := Topic{f[0], 1 << len(x.Topics), number(f[1]), x.topics(f[2:]...)}
		for i := range x.Topics {
			if x.Topics[i].Bit&t.related != 0 {
				x.Topics[i].related |= t.Bit
			}
		}
		x.Topics = append(x.Topics, t)
	}
}

// topics returns the set of the topics with these names; "any" is none in particular.
func (x *Lexicon) topics(names ...string) (set uint32) {
	for _, name := range names {
		if name != "any" {
			set |= x.Topics[slices.IndexFunc(x.Topics, func(t Topic) bool { return t.Name == name })].Bit
		}
	}
	return set
}

func (x *Lexicon) readNouns() {
	open := []*Noun{{Hidden: true}} // the parent of each depth
	for line := range lines("nouns.txt") {
		text := strings.TrimLeft(line, "\t")
		depth := len(line) - len(text)
		parent := open[depth]
		topics, place := parent.Topics, parent.Place
		if head, tail, ok := strings.Cut(text, " !"); ok {
			text, place = head, strings.Trim(tail, "-")
		}
		if head, tail, ok := strings.Cut(text, " @"); ok {
			text, topics = head, x.topics(strings.Fields(tail)...)
		}
		for position, entry := range strings.Split(text, ", ") {
			n := readNoun(entry)
			n.Parent, n.depth, n.Topics, n.Place, n.Weight = parent, depth, topics, place, 10000/uint32(position+6)
			parent.Children = append(parent.Children, n)
			open = append(open[:depth+1], n)
			x.Nouns = append(x.Nouns, n)
			if !n.Hidden {
				x.classes["="+n.Name] = []*Noun{n}
				for p := n; p != nil; p = p.Parent {
					x.classes[p.Name] = append(x.classes[p.Name], n)
				}
			}
		}
	}
}

// readNoun reads one entry of nouns.txt, such as "mouse#mouse-animal/mice = x".
func readNoun(entry string) *Noun {
	if strings.HasPrefix(entry, "(") {
		return &Noun{Name: strings.Trim(entry, "()"), Hidden: true}
	}
	n := new(Noun)
	entry, n.General = strings.CutPrefix(entry, "?")
	for lemma := range strings.SplitSeq(entry, " = ") {
		var form NounForm
		lemma, form.Unique = strings.CutPrefix(lemma, "*")
		lemma, form.Mass = strings.CutPrefix(lemma, "~")
		lemma, form.PluralOnly = strings.CutPrefix(lemma, "+")
		lemma, form.Proper = strings.CutPrefix(lemma, "^")
		lemma, plural, _ := strings.Cut(lemma, "/")
		lemma, tag, _ := strings.Cut(lemma, "#")
		n.Name = cmp.Or(n.Name, tag, lemma)
		if form.Singular, form.Plural = lemma, cmp.Or(plural, withS(lemma)); form.PluralOnly {
			form.Plural = lemma
		}
		n.Lemmas = append(n.Lemmas, form)
	}
	return n
}

// Class returns the nouns of a class that have a word, in the order of nouns.txt; of "=noun" that noun alone.
func (x *Lexicon) Class(name string) []*Noun {
	class := x.classes[name]
	if len(class) == 0 {
		panic(fmt.Sprintf("miniworld: no class %q in nouns.txt", name))
	}
	return class
}

// set returns the nouns that a list such as "person, -child" describes, in the order of nouns.txt.
func (x *Lexicon) set(list string) []*Noun {
	member := map[*Noun]bool{}
	for name := range strings.SplitSeq(list, ", ") {
		name, without := strings.CutPrefix(name, "-")
		for _, n := range x.Class(name) {
			member[n] = !without
		}
	}
	return slices.DeleteFunc(slices.Clone(x.Nouns), func(n *Noun) bool { return !member[n] })
}

func (x *Lexicon) readVerbs() {
	group := ""
	for line := range lines("verbs.txt") {
		if rest, ok := strings.CutPrefix(line, "define "); ok {
			name, list := cut(rest, " = ")
			x.classes[name] = x.set(list)
			continue
		}
		if strings.HasPrefix(line, "[") {
			group = strings.Trim(line, "[]")
			continue
		}
		if rest, ok := strings.CutPrefix(line, "\t"); ok {
			x.readFrame(x.Verbs[len(x.Verbs)-1], rest)
			continue
		}
		v := &Verb{Group: group}
		for entry := range strings.SplitSeq(line, " = ") {
			v.Lemmas = append(v.Lemmas, verbForms(entry))
		}
		x.Verbs = append(x.Verbs, v)
	}
}

// readFrame reads a frame of a verb.
func (x *Lexicon) readFrame(v *Verb, line string) {
	f := &Frame{Verb: v, Weight: 1}
	if head, tail, ok := strings.Cut(line, " *"); ok {
		line, f.Weight = head, number(tail)
	}
	roles, line := cut(line, " : ")
	complements, topics := cut(line, " : ")
	subject, object := cut(roles, " > ")
	f.Subject, f.Topics = x.set(subject), x.topics(strings.Fields(topics)...)
	if object != "-" {
		f.Object = x.set(object)
	}
	if complements != "-" {
		for c := range strings.SplitSeq(complements, ", ") {
			c, must := strings.CutPrefix(c, "!")
			f.Must = f.Must || must
			preposition, class := cut(c, " ")
			class, bare := strings.CutPrefix(class, "=")
			f.Complements = append(f.Complements, Complement{preposition, x.Class(class), bare})
		}
	}
	for _, n := range f.Subject {
		n.UsedBy = append(n.UsedBy, f)
	}
	for _, n := range f.Object {
		n.DoneTo = append(n.DoneTo, f)
	}
	v.Topics |= f.Topics
	x.Frames = append(x.Frames, f)
}

func (x *Lexicon) readAdjectives() {
	var open *Adjectives
	for line := range lines("adjectives.txt") {
		if !strings.HasPrefix(line, "[") {
			open.Words = append(open.Words, synonyms(line)...)
			continue
		}
		name, rest := cut(line[1:], "] ")
		classes, topics := cut(rest, " : ")
		open = &Adjectives{Name: name, Topics: x.topics(strings.Fields(topics)...)}
		for _, n := range x.set(classes) {
			n.Described = append(n.Described, open)
		}
		x.Adjectives = append(x.Adjectives, open)
	}
}
