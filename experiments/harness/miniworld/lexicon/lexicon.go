// Package lexicon reads the words of the mini world, plain text in the folder words, and tells how similar they are.
// There are a taxonomy of nouns, verbs with their frames, adjectives, adverbs, times, names and everyday sentences.
package lexicon

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

//go:embed words/*.txt
var Words embed.FS

// A Noun is one node of the taxonomy: a sense with its synonyms, or a class
// without a word of its own.
type Noun struct {
	Name     string // unique
	Lemmas   []NounForm
	Hidden   bool // a class without a word
	General  bool // too general to stand for a hyponym
	Parent   int  // −1 at the root
	Children []int
	end      int // the node's descendants are the nodes number+1 … end−1
	depth    int
	Topics   uint32
	Place    string // preposition of a place or time, or ""
	Weight   uint32 // relative frequency among nouns of a class
	Owned    bool   // "my car", "anna ' s car"
	Family   bool   // a relative: "my brother"
	Body     bool   // a part of the body: "her hand"
	Abstract bool   // below (abstract): mass nouns go without an article
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

// A Verb is one sense with its synonyms.
type Verb struct {
	Group  string
	Lemmas []VerbForm
	Frames []int
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
	Verb        int
	Subject     int // numbers of class sets; object −1 if there is none
	Object      int
	Complements []Complement
	Must        bool // a complement is obligatory
	Topics      uint32
	Weight      uint32
}

// A Complement is a place of a frame that a preposition leads to.
type Complement struct {
	Preposition string
	Set         int
	Bare        bool // no article
}

// An Adjectives group describes the nouns of a set.
type Adjectives struct {
	Name   string
	Set    int
	Topics uint32 // 0: any
	Words  [][]string
}

// A Topic is what a sentence is about.
type Topic struct {
	Name    string
	Weight  uint32
	related uint32
}

// A Lexicon is the content of the word lists. Nouns, frames and sets are named by their numbers,
// sets of topics are masks of bits.
type Lexicon struct {
	Topics     []Topic
	Nouns      []Noun
	ByName     map[string]int
	Verbs      []Verb
	groups     []string
	Frames     []Frame
	Sets       [][]int // class sets: sorted numbers of nouns
	setNumber  map[string]int
	Adjectives []Adjectives
	Adverbs    map[string][][]string // by verb group
	Times      map[string][]string   // by tense
	Surnames   []string
	Unknown    []string
	Everyday   []Pattern

	// Sets of nouns.
	Places, Calendar, Speakers, FirstNames int

	files fs.FS
	file  string // that is read
	line  int    // from 1, of the file; 0 for it as a whole
}

// A fault is an error of a word list, which what reads it panics with and Load returns.
type fault struct{ error }

// expect ends Load with what is wrong where it reads, unless something holds.
func (x *Lexicon) expect(ok bool, format string, args ...any) {
	if ok {
		return
	}
	file := x.file
	if x.line > 0 {
		file = fmt.Sprintf("%s:%d", file, x.line)
	}
	panic(fault{fmt.Errorf("miniworld: words/%s: %s", file, fmt.Sprintf(format, args...))})
}

// lines calls f for each line of a word list that is neither empty nor a comment.
func (x *Lexicon) lines(file string, f func(line string)) {
	data, err := fs.ReadFile(x.files, "words/"+file)
	if err != nil {
		panic(fault{fmt.Errorf("miniworld: %w", err)})
	}
	x.file = file
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimRight(line, " \t")
		if line != "" && !strings.HasPrefix(line, "#") {
			x.line = i + 1
			f(line)
		}
	}
	x.line = 0
}

// Load reads and checks the word lists, the files words/*.txt.
func Load(files fs.FS) (x *Lexicon, err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case fault:
			x, err = nil, v.error
		default:
			panic(v)
		}
	}()
	x = &Lexicon{
		files:  files,
		ByName: map[string]int{}, setNumber: map[string]int{},
		Adverbs: map[string][][]string{}, Times: map[string][]string{},
	}
	x.readTopics()
	x.readNouns()
	x.readVerbs()
	x.readAdjectives()
	x.readAdverbs()
	x.readTimes()
	x.Surnames, x.Unknown = x.readNames("names.txt"), x.readNames("unknown.txt")
	x.readEveryday()
	return x, nil
}

func (x *Lexicon) readNames(file string) (names []string) {
	x.lines(file, func(line string) {
		for _, w := range strings.Fields(line) {
			x.expectWord(w)
			x.expect(!slices.Contains(names, w), "%q is there twice", w)
			names = append(names, w)
		}
	})
	x.expect(len(names) > 0, "no name")
	return names
}

// IsWord tells whether w is made of the letters a to z.
func IsWord(w string) bool {
	return w != "" && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == ""
}

func (x *Lexicon) expectWord(w string) { x.expect(IsWord(w), "%q is not a lower-case word", w) }

// weight reads a weight, which has so many bits.
func (x *Lexicon) weight(text string, bits int) uint32 {
	w, err := strconv.ParseUint(text, 10, bits)
	x.expect(err == nil && w > 0, "weight %q is not a positive integer", text)
	return uint32(w)
}

func (x *Lexicon) readTopics() {
	related := map[string][]string{}
	x.lines("topics.txt", func(line string) {
		head, tail, ok := strings.Cut(line, ":")
		f := strings.Fields(head)
		x.expect(ok && len(f) == 2, "expected \"name weight : related topics\", found %q", line)
		_, twice := related[f[0]]
		x.expect(!twice && IsWord(f[0]), "topic %q is there twice or not a word", f[0])
		x.expect(len(x.Topics) < 32, "more than 32 topics")
		related[f[0]] = strings.Fields(tail)
		x.Topics = append(x.Topics, Topic{Name: f[0], Weight: x.weight(f[1], 16)})
	})
	for t := range x.Topics {
		for _, name := range related[x.Topics[t].Name] {
			u := x.topic(name)
			x.Topics[t].related |= 1 << u
			x.Topics[u].related |= 1 << t
		}
	}
}

// topic returns the number of a topic.
func (x *Lexicon) topic(name string) int {
	t := slices.IndexFunc(x.Topics, func(t Topic) bool { return t.Name == name })
	x.expect(t >= 0, "no topic %q in topics.txt", name)
	return t
}

// topicSet reads topic names; "any" and "-" stand for none in particular.
func (x *Lexicon) topicSet(names string) (set uint32) {
	if names == "any" || names == "-" {
		return 0
	}
	for name := range strings.FieldsSeq(names) {
		set |= 1 << x.topic(name)
	}
	return set
}

func (x *Lexicon) readNouns() {
	var open []int // the node that is open at each depth
	x.lines("nouns.txt", func(line string) {
		depth := len(line) - len(strings.TrimLeft(line, "\t"))
		line = line[depth:]
		x.expect(depth <= len(open) && (depth > 0 || len(x.Nouns) == 0), "indented by %d tabs below %d levels",
			depth, len(open))
		open = open[:depth]
		up := &Noun{}
		parent := -1
		if depth > 0 {
			parent = open[depth-1]
			up = &x.Nouns[parent]
		}
		topics, place := up.Topics, up.Place
		if head, tail, ok := strings.Cut(line, " !"); ok {
			x.expect(tail == "-" || IsWord(tail), "%q after \"!\" is not a preposition", tail)
			line, place = head, strings.TrimPrefix(tail, "-")
		}
		if head, tail, ok := strings.Cut(line, " @"); ok {
			line, topics = head, x.topicSet(tail)
		}
		for position, entry := range strings.Split(line, ", ") {
			node := Noun{Parent: parent, depth: depth, Topics: topics, Place: place, Weight: 10000 / uint32(position+6)}
			x.readNoun(&node, strings.TrimSpace(entry))
			_, twice := x.ByName[node.Name]
			x.expect(!twice, "%q is there twice: tell its senses apart as in \"word#name\"", node.Name)
			id := len(x.Nouns)
			x.ByName[node.Name] = id
			if parent >= 0 {
				up = &x.Nouns[parent]
				up.Children = append(up.Children, id)
				node.Owned = up.Owned || ownable[node.Name]
				node.Family = up.Family || node.Name == "relative"
				node.Body = up.Body || node.Name == "body part"
				node.Abstract = up.Abstract || node.Name == "abstract"
			}
			x.Nouns = append(x.Nouns, node)
			open = append(open[:depth], id)
		}
	})
	x.expect(len(x.Nouns) > 0, "empty")
	for i := len(x.Nouns) - 1; i >= 0; i-- {
		node := &x.Nouns[i]
		node.end = max(node.end, i+1)
		if node.Parent >= 0 {
			up := &x.Nouns[node.Parent]
			up.end = max(up.end, node.end)
		}
	}
	for _, name := range []string{
		"relative", "body part", "abstract", "person", "man", "woman", "male name", "female name", "calendar",
		"location", "pet",
	} {
		_, ok := x.ByName[name]
		x.expect(ok, "no class %q, which the grammar needs", name)
	}
	x.Places, x.Calendar = x.set("location, -region, region", nil), x.set("calendar, -day, -week, -month, -year", nil)
	x.Speakers = x.set("person, -baby, -toddler, -team, -audience", nil)
	x.FirstNames = x.set("male name, female name", nil)
}

// ownable are the classes whose nouns take "my" or "anna ' s".
var ownable = map[string]bool{
	"artifact": true, "pet": true, "relative": true, "friend": true, "neighbor": true, "body part": true,
	"house": true, "apartment": true, "room": true, "store": true, "garden": true, "meal": true, "dish-meal": true,
	"lives": true, "hobby": true, "farm mammal": true, "document": true, "sports-coach": true, "teacher": true,
}

// readNoun parses one entry of nouns.txt, such as "mouse#mouse-animal/mice = x".
func (x *Lexicon) readNoun(node *Noun, entry string) {
	if rest, ok := strings.CutPrefix(entry, "("); ok {
		name, ok := strings.CutSuffix(rest, ")")
		x.expect(ok && name != "", "expected \"(name)\", found %q", entry)
		node.Name, node.Hidden = name, true
		return
	}
	entry, node.General = strings.CutPrefix(entry, "?")
	for i, lemma := range strings.Split(entry, " = ") {
		var form NounForm
		lemma, form.Unique = strings.CutPrefix(lemma, "*")
		form.Mass = strings.HasPrefix(lemma, "~")
		form.PluralOnly = strings.HasPrefix(lemma, "+")
		form.Proper = strings.HasPrefix(lemma, "^")
		lemma, plural, _ := strings.Cut(strings.TrimLeft(lemma, "~+^"), "/")
		lemma, tag, tagged := strings.Cut(lemma, "#")
		x.expect(IsWord(lemma) && (plural == "" || IsWord(plural)) && (!tagged || tag != "" && i == 0),
			"cannot read %q in %q", lemma, entry)
		if i == 0 {
			node.Name = cmp.Or(tag, lemma)
		}
		if form.Singular, form.Plural = lemma, cmp.Or(plural, withS(lemma)); form.PluralOnly {
			form.Plural = lemma
		}
		node.Lemmas = append(node.Lemmas, form)
	}
}

// Under tells whether a is b or lies below it.
func (x *Lexicon) Under(a, b int) bool { return a >= b && a < x.Nouns[b].end }

// Is tells whether a noun is of a class.
func (x *Lexicon) Is(noun int, class string) bool { return x.Under(noun, x.ByName[class]) }

// Has tells whether a set has a noun.
func (x *Lexicon) Has(set, noun int) bool {
	_, ok := slices.BinarySearch(x.Sets[set], noun)
	return ok
}

// set returns the number of the class set that a list such as "person, -child"
// describes: all nouns with a word of these classes; "=class" is the word alone.
func (x *Lexicon) set(list string, defined map[string]string) int {
	if n, ok := x.setNumber[list]; ok {
		return n
	}
	member := make([]bool, len(x.Nouns))
	var add func(list string, value bool)
	add = func(list string, value bool) {
		for name := range strings.SplitSeq(list, ",") {
			name, without := strings.CutPrefix(strings.TrimSpace(name), "-")
			value := value != without
			if inner, ok := defined[name]; ok {
				add(inner, value)
				continue
			}
			name, alone := strings.CutPrefix(name, "=")
			node, ok := x.ByName[name]
			x.expect(ok, "no class %q in nouns.txt", name)
			last := x.Nouns[node].end
			if alone {
				last = node + 1
			}
			for i := node; i < last; i++ {
				member[i] = value && !x.Nouns[i].Hidden
			}
		}
	}
	add(list, true)
	var set []int
	for i, in := range member {
		if in {
			set = append(set, i)
		}
	}
	x.expect(len(set) > 0, "no noun belongs to %q", list)
	n := len(x.Sets)
	x.Sets = append(x.Sets, set)
	x.setNumber[list] = n
	return n
}

func (x *Lexicon) readVerbs() {
	defined := map[string]string{}
	group := ""
	seen := map[string]bool{}
	x.lines("verbs.txt", func(line string) {
		if name, ok := header(line); ok {
			group = name
			x.groups = append(x.groups, name)
			return
		}
		if rest, ok := strings.CutPrefix(line, "define "); ok {
			name, list, ok := strings.Cut(rest, " = ")
			x.expect(ok, "expected \"define name = classes\", found %q", line)
			defined[name] = list
			return
		}
		if rest, ok := strings.CutPrefix(line, "\t"); ok {
			x.expect(len(x.Verbs) > 0, "a frame before the first verb")
			x.readFrame(rest, defined)
			return
		}
		x.expect(group != "", "a verb before the first group")
		v := Verb{Group: group}
		for entry := range strings.SplitSeq(line, " = ") {
			form := x.verbForms(entry)
			x.expect(!seen[form.Base], "%q is there twice", form.Base)
			seen[form.Base] = true
			v.Lemmas = append(v.Lemmas, form)
		}
		x.Verbs = append(x.Verbs, v)
	})
	for _, v := range x.Verbs {
		x.expect(len(v.Frames) > 0, "%q has no frame", v.Lemmas[0].Base)
	}
	for t, topic := range x.Topics {
		x.expect(slices.ContainsFunc(x.Frames, func(f Frame) bool { return f.Topics>>t&1 == 1 }),
			"no frame has the topic %q", topic.Name)
	}
}

func header(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, "[")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, "]")
}

// readFrame reads a frame of the last verb.
func (x *Lexicon) readFrame(line string, defined map[string]string) {
	verb := len(x.Verbs) - 1
	f := Frame{Verb: verb, Object: -1, Weight: 1}
	if head, tail, ok := strings.Cut(line, " *"); ok {
		line, f.Weight = head, x.weight(tail, 8)
	}
	part := strings.Split(line, " : ")
	x.expect(len(part) == 3, "expected \"subjects > objects : complements : topics\", found %q", line)
	subject, object, ok := strings.Cut(part[0], " > ")
	x.expect(ok, "no \" > \" between subjects and objects in %q", part[0])
	f.Subject = x.set(subject, defined)
	if object != "-" {
		f.Object = x.set(object, defined)
	}
	if part[1] != "-" {
		for c := range strings.SplitSeq(part[1], ", ") {
			c, must := strings.CutPrefix(c, "!")
			f.Must = f.Must || must
			preposition, class, ok := strings.Cut(c, " ")
			x.expect(ok, "complement %q is not a preposition and a class", c)
			class, bare := strings.CutPrefix(class, "=")
			f.Complements = append(f.Complements, Complement{preposition, x.set(class, defined), bare})
		}
	}
	f.Topics = x.topicSet(part[2])
	x.expect(f.Topics != 0, "no topic")
	x.Verbs[verb].Frames = append(x.Verbs[verb].Frames, len(x.Frames))
	x.Frames = append(x.Frames, f)
}

func (x *Lexicon) readAdjectives() {
	x.lines("adjectives.txt", func(line string) {
		if strings.HasPrefix(line, "[") {
			name, rest, ok := strings.Cut(line[1:], "] ")
			classes, topics, ok2 := strings.Cut(rest, " : ")
			x.expect(ok && ok2, "expected \"[group] classes : topics\", found %q", line)
			x.Adjectives = append(x.Adjectives, Adjectives{
				Name: name, Set: x.set(classes, nil), Topics: x.topicSet(topics),
			})
			return
		}
		x.expect(len(x.Adjectives) > 0, "adjectives before the first group")
		g := &x.Adjectives[len(x.Adjectives)-1]
		g.Words = append(g.Words, x.synonyms(line)...)
	})
	for _, g := range x.Adjectives {
		x.expect(len(g.Words) > 0, "group %q has no adjective", g.Name)
	}
}

// synonyms reads "word = synonym, word".
func (x *Lexicon) synonyms(line string) (entries [][]string) {
	for entry := range strings.SplitSeq(line, ", ") {
		same := strings.Split(entry, " = ")
		for _, w := range same {
			x.expectWord(w)
		}
		entries = append(entries, same)
	}
	return entries
}

func (x *Lexicon) readAdverbs() {
	var open []string
	x.lines("adverbs.txt", func(line string) {
		if list, ok := header(line); ok {
			open = strings.Split(list, ", ")
			for _, g := range open {
				x.expect(slices.Contains(x.groups, g), "no group %q in verbs.txt", g)
			}
			return
		}
		for _, g := range open {
			x.Adverbs[g] = append(x.Adverbs[g], x.synonyms(line)...)
		}
	})
}

func (x *Lexicon) readTimes() {
	tenses := []string{"past", "present", "future"}
	x.lines("times.txt", func(line string) {
		tense, list, ok := strings.Cut(line, " : ")
		x.expect(ok && slices.Contains(tenses, tense), "expected \"past|present|future : phrases\", found %q", line)
		x.Times[tense] = append(x.Times[tense], strings.Split(list, ", ")...)
	})
	for _, tense := range tenses {
		x.expect(len(x.Times[tense]) > 0, "no phrase for the %s", tense)
	}
}
