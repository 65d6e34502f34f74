// Package lexicon reads the words of the mini world, plain text in the folder words, and tells how similar they are.
// There are a taxonomy of nouns, verbs with their frames, adjectives, adverbs, times, names and everyday sentences.
package lexicon

import (
	"embed"
	"fmt"
	"io/fs"
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

// A Verb is one sense with its synonyms.
type Verb struct {
	Group  string
	Lemmas []VerbForm
	Frames []int
}

// A VerbForm is one of the synonyms of a verb.
type VerbForm struct{ Base, Third, Past, Participle, Gerund string }

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
	files      fs.FS
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
}

// Fault is an error in a word list; line 0 stands for the file as a whole.
func Fault(file string, line int, format string, args ...any) error {
	if line > 0 {
		file = fmt.Sprintf("%s:%d", file, line)
	}
	return fmt.Errorf("miniworld: words/%s: %s", file, fmt.Sprintf(format, args...))
}

// lines calls f for each line of a word list that is neither empty nor a comment.
func (x *Lexicon) lines(file string, f func(number int, line string) error) error {
	data, err := fs.ReadFile(x.files, "words/"+file)
	if err != nil {
		return fmt.Errorf("miniworld: %w", err)
	}
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimRight(line, " \t")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := f(i+1, line); err != nil {
			return err
		}
	}
	return nil
}

// Load reads and checks the word lists, the files words/*.txt.
func Load(files fs.FS) (*Lexicon, error) {
	x := &Lexicon{
		files:  files,
		ByName: map[string]int{}, setNumber: map[string]int{},
		Adverbs: map[string][][]string{}, Times: map[string][]string{},
	}
	for _, step := range []func() error{
		x.readTopics, x.readNouns, x.readVerbs, x.readAdjectives, x.readAdverbs, x.readTimes,
		func() (err error) { x.Surnames, err = x.readNames("names.txt"); return },
		func() (err error) { x.Unknown, err = x.readNames("unknown.txt"); return },
		x.readEveryday,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (x *Lexicon) readNames(file string) (names []string, err error) {
	seen := map[string]bool{}
	err = x.lines(file, func(n int, line string) error {
		for _, w := range strings.Fields(line) {
			if !IsWord(w) {
				return Fault(file, n, "%q is not a lower-case word", w)
			}
			if seen[w] {
				return Fault(file, n, "%q is there twice", w)
			}
			seen[w] = true
			names = append(names, w)
		}
		return nil
	})
	if err == nil && len(names) == 0 {
		err = Fault(file, 0, "no name")
	}
	return names, err
}

// IsWord tells whether w is made of the letters a to z.
func IsWord(w string) bool {
	for _, c := range w {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return w != ""
}

func (x *Lexicon) readTopics() error {
	const file = "topics.txt"
	number := map[string]int{}
	related := map[int][]string{}
	lineOf := map[int]int{}
	err := x.lines(file, func(n int, line string) error {
		head, tail, ok := strings.Cut(line, ":")
		f := strings.Fields(head)
		if !ok || len(f) != 2 {
			return Fault(file, n, "expected \"name weight : related topics\", found %q", line)
		}
		w, err := strconv.ParseUint(f[1], 10, 16)
		if err != nil || w == 0 {
			return Fault(file, n, "weight %q is not a positive integer", f[1])
		}
		if _, twice := number[f[0]]; twice || !IsWord(f[0]) {
			return Fault(file, n, "topic %q is there twice or not a word", f[0])
		}
		t := len(x.Topics)
		if t == 32 {
			return Fault(file, n, "more than 32 topics")
		}
		number[f[0]], related[t], lineOf[t] = t, strings.Fields(tail), n
		x.Topics = append(x.Topics, Topic{Name: f[0], Weight: uint32(w)})
		return nil
	})
	if err != nil {
		return err
	}
	for t := range x.Topics {
		for _, name := range related[t] {
			u, ok := number[name]
			if !ok {
				return Fault(file, lineOf[t], "no topic %q", name)
			}
			x.Topics[t].related |= 1 << u
			x.Topics[u].related |= 1 << t
		}
	}
	return nil
}

// topicSet reads topic names; "any" and "-" stand for none in particular.
func (x *Lexicon) topicSet(names []string) (uint32, error) {
	var set uint32
next:
	for _, name := range names {
		if name == "any" || name == "-" {
			if len(names) > 1 {
				return 0, fmt.Errorf("%q stands alone", name)
			}
			return 0, nil
		}
		for t := range x.Topics {
			if x.Topics[t].Name == name {
				set |= 1 << t
				continue next
			}
		}
		return 0, fmt.Errorf("no topic %q in topics.txt", name)
	}
	return set, nil
}

func (x *Lexicon) readNouns() error {
	const file = "nouns.txt"
	var open []int // the node that is open at each depth
	err := x.lines(file, func(n int, line string) error {
		depth := len(line) - len(strings.TrimLeft(line, "\t"))
		line = line[depth:]
		if depth > len(open) || depth == 0 && len(x.Nouns) > 0 {
			return Fault(file, n, "indented by %d tabs below %d levels", depth, len(open))
		}
		open = open[:depth]
		parent := -1
		var topics uint32
		place := ""
		if depth > 0 {
			parent = open[depth-1]
			topics, place = x.Nouns[parent].Topics, x.Nouns[parent].Place
		}
		if head, tail, ok := strings.Cut(line, " !"); ok {
			if tail == "-" {
				tail = ""
			} else if !IsWord(tail) {
				return Fault(file, n, "%q after \"!\" is not a preposition", tail)
			}
			line, place = head, tail
		}
		if head, tail, ok := strings.Cut(line, " @"); ok {
			var err error
			if topics, err = x.topicSet(strings.Fields(tail)); err != nil {
				return Fault(file, n, "%v", err)
			}
			line = head
		}
		for position, entry := range strings.Split(line, ", ") {
			node := Noun{Parent: parent, depth: depth, Topics: topics, Place: place, Weight: 10000 / uint32(position+6)}
			if err := node.read(strings.TrimSpace(entry)); err != nil {
				return Fault(file, n, "%v", err)
			}
			if _, twice := x.ByName[node.Name]; twice {
				return Fault(file, n, "%q is there twice: tell its senses apart as in \"word#name\"", node.Name)
			}
			id := len(x.Nouns)
			x.ByName[node.Name] = id
			if parent >= 0 {
				up := &x.Nouns[parent]
				up.Children = append(up.Children, id)
				node.Owned = up.Owned || ownable[node.Name]
				node.Family = up.Family || node.Name == "relative"
				node.Body = up.Body || node.Name == "body part"
				node.Abstract = up.Abstract || node.Name == "abstract"
			}
			x.Nouns = append(x.Nouns, node)
			open = append(open[:depth], id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(x.Nouns) == 0 {
		return Fault(file, 0, "empty")
	}
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
		if _, ok := x.ByName[name]; !ok {
			return Fault(file, 0, "no class %q, which the grammar needs", name)
		}
	}
	return nil
}

// ownable are the classes whose nouns take "my" or "anna ' s".
var ownable = map[string]bool{
	"artifact": true, "pet": true, "relative": true, "friend": true, "neighbor": true, "body part": true,
	"house": true, "apartment": true, "room": true, "store": true, "garden": true, "meal": true, "dish-meal": true,
	"lives": true, "hobby": true, "farm mammal": true, "document": true, "sports-coach": true, "teacher": true,
}

// read parses one entry of nouns.txt, such as "mouse#mouse-animal/mice = x".
func (node *Noun) read(entry string) error {
	if rest, ok := strings.CutPrefix(entry, "("); ok {
		name, ok := strings.CutSuffix(rest, ")")
		if !ok || name == "" {
			return fmt.Errorf("expected \"(name)\", found %q", entry)
		}
		node.Name, node.Hidden = name, true
		return nil
	}
	if rest, ok := strings.CutPrefix(entry, "?"); ok {
		entry, node.General = rest, true
	}
	for i, lemma := range strings.Split(entry, " = ") {
		var form NounForm
		lemma, form.Unique = strings.CutPrefix(lemma, "*")
		switch {
		case strings.HasPrefix(lemma, "~"):
			form.Mass = true
		case strings.HasPrefix(lemma, "+"):
			form.PluralOnly = true
		case strings.HasPrefix(lemma, "^"):
			form.Proper = true
		}
		lemma = strings.TrimLeft(lemma, "~+^")
		lemma, plural, _ := strings.Cut(lemma, "/")
		lemma, tag, tagged := strings.Cut(lemma, "#")
		if !IsWord(lemma) || plural != "" && !IsWord(plural) || tagged && (tag == "" || i > 0) {
			return fmt.Errorf("cannot read %q in %q", lemma, entry)
		}
		if i == 0 {
			node.Name = lemma
			if tagged {
				node.Name = tag
			}
		}
		form.Singular, form.Plural = lemma, plural
		if form.PluralOnly {
			form.Plural = lemma
		} else if plural == "" {
			form.Plural = pluralOf(lemma)
		}
		node.Lemmas = append(node.Lemmas, form)
	}
	return nil
}

// Under tells whether a is b or lies below it.
func (x *Lexicon) Under(a, b int) bool { return a >= b && a < x.Nouns[b].end }

// Set returns the number of the class set that a list such as "person, -child"
// describes: all nouns with a word of these classes; "=class" is the word alone.
func (x *Lexicon) Set(list string, defined map[string]string) (int, error) {
	if n, ok := x.setNumber[list]; ok {
		return n, nil
	}
	member := make([]bool, len(x.Nouns))
	var add func(list string, value bool) error
	add = func(list string, value bool) error {
		for _, name := range strings.Split(list, ",") {
			name, value := strings.TrimSpace(name), value
			if rest, ok := strings.CutPrefix(name, "-"); ok {
				name, value = rest, !value
			}
			if inner, ok := defined[name]; ok {
				if err := add(inner, value); err != nil {
					return err
				}
				continue
			}
			name, alone := strings.CutPrefix(name, "=")
			node, ok := x.ByName[name]
			if !ok {
				return fmt.Errorf("no class %q in nouns.txt", name)
			}
			last := x.Nouns[node].end
			if alone {
				last = node + 1
			}
			for i := node; i < last; i++ {
				member[i] = value && !x.Nouns[i].Hidden
			}
		}
		return nil
	}
	if err := add(list, true); err != nil {
		return 0, err
	}
	var set []int
	for i, in := range member {
		if in {
			set = append(set, i)
		}
	}
	if len(set) == 0 {
		return 0, fmt.Errorf("no noun belongs to %q", list)
	}
	n := len(x.Sets)
	x.Sets = append(x.Sets, set)
	x.setNumber[list] = n
	return n, nil
}

func (x *Lexicon) readVerbs() error {
	const file = "verbs.txt"
	defined := map[string]string{}
	group := ""
	seen := map[string]bool{}
	err := x.lines(file, func(n int, line string) error {
		if name, ok := header(line); ok {
			group = name
			x.groups = append(x.groups, name)
			return nil
		}
		if rest, ok := strings.CutPrefix(line, "define "); ok {
			name, list, ok := strings.Cut(rest, " = ")
			if !ok {
				return Fault(file, n, "expected \"define name = classes\", found %q", line)
			}
			defined[name] = list
			return nil
		}
		if rest, ok := strings.CutPrefix(line, "\t"); ok {
			if len(x.Verbs) == 0 {
				return Fault(file, n, "a frame before the first verb")
			}
			if err := x.readFrame(rest, defined); err != nil {
				return Fault(file, n, "%v", err)
			}
			return nil
		}
		if group == "" {
			return Fault(file, n, "a verb before the first group")
		}
		v := Verb{Group: group}
		for _, entry := range strings.Split(line, " = ") {
			form, err := verbForms(entry)
			if err != nil {
				return Fault(file, n, "%v", err)
			}
			if seen[form.Base] {
				return Fault(file, n, "%q is there twice", form.Base)
			}
			seen[form.Base] = true
			v.Lemmas = append(v.Lemmas, form)
		}
		x.Verbs = append(x.Verbs, v)
		return nil
	})
	if err != nil {
		return err
	}
	for i := range x.Frames {
		v := &x.Verbs[x.Frames[i].Verb]
		v.Frames = append(v.Frames, i)
	}
	for _, v := range x.Verbs {
		if len(v.Frames) == 0 {
			return Fault(file, 0, "%q has no frame", v.Lemmas[0].Base)
		}
	}
	return nil
}

func header(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, "[")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, "]")
}

func (x *Lexicon) readFrame(line string, defined map[string]string) error {
	f := Frame{Verb: len(x.Verbs) - 1, Object: -1, Weight: 1}
	if head, tail, ok := strings.Cut(line, " *"); ok {
		w, err := strconv.ParseUint(tail, 10, 8)
		if err != nil || w == 0 {
			return fmt.Errorf("weight %q is not a positive integer", tail)
		}
		line, f.Weight = head, uint32(w)
	}
	part := strings.Split(line, " : ")
	if len(part) != 3 {
		return fmt.Errorf("expected \"subjects > objects : complements : topics\", found %q", line)
	}
	subject, object, ok := strings.Cut(part[0], " > ")
	if !ok {
		return fmt.Errorf("no \" > \" between subjects and objects in %q", part[0])
	}
	var err error
	if f.Subject, err = x.Set(subject, defined); err != nil {
		return err
	}
	if object != "-" {
		if f.Object, err = x.Set(object, defined); err != nil {
			return err
		}
	}
	if part[1] != "-" {
		for _, c := range strings.Split(part[1], ", ") {
			if rest, ok := strings.CutPrefix(c, "!"); ok {
				f.Must, c = true, rest
			}
			preposition, class, ok := strings.Cut(c, " ")
			if !ok {
				return fmt.Errorf("complement %q is not a preposition and a class", c)
			}
			class, bare := strings.CutPrefix(class, "=")
			set, err := x.Set(class, defined)
			if err != nil {
				return err
			}
			f.Complements = append(f.Complements, Complement{preposition, set, bare})
		}
	}
	if f.Topics, err = x.topicSet(strings.Fields(part[2])); err != nil {
		return err
	}
	if f.Topics == 0 {
		return fmt.Errorf("no topic")
	}
	x.Frames = append(x.Frames, f)
	return nil
}

func (x *Lexicon) readAdjectives() error {
	const file = "adjectives.txt"
	err := x.lines(file, func(n int, line string) error {
		if strings.HasPrefix(line, "[") {
			name, rest, ok := strings.Cut(line[1:], "] ")
			classes, topics, ok2 := strings.Cut(rest, " : ")
			if !ok || !ok2 {
				return Fault(file, n, "expected \"[group] classes : topics\", found %q", line)
			}
			set, err := x.Set(classes, nil)
			if err != nil {
				return Fault(file, n, "%v", err)
			}
			mask, err := x.topicSet(strings.Fields(topics))
			if err != nil {
				return Fault(file, n, "%v", err)
			}
			x.Adjectives = append(x.Adjectives, Adjectives{Name: name, Set: set, Topics: mask})
			return nil
		}
		if len(x.Adjectives) == 0 {
			return Fault(file, n, "adjectives before the first group")
		}
		entries, err := synonyms(line)
		if err != nil {
			return Fault(file, n, "%v", err)
		}
		g := &x.Adjectives[len(x.Adjectives)-1]
		g.Words = append(g.Words, entries...)
		return nil
	})
	if err != nil {
		return err
	}
	for _, g := range x.Adjectives {
		if len(g.Words) == 0 {
			return Fault(file, 0, "group %q has no adjective", g.Name)
		}
	}
	return nil
}

// synonyms reads "word = synonym, word".
func synonyms(line string) ([][]string, error) {
	var entries [][]string
	for _, entry := range strings.Split(line, ", ") {
		same := strings.Split(entry, " = ")
		for _, w := range same {
			if !IsWord(w) {
				return nil, fmt.Errorf("%q is not a lower-case word", w)
			}
		}
		entries = append(entries, same)
	}
	return entries, nil
}

func (x *Lexicon) readAdverbs() error {
	const file = "adverbs.txt"
	var open []string
	return x.lines(file, func(n int, line string) error {
		if list, ok := header(line); ok {
			open = strings.Split(list, ", ")
			for _, g := range open {
				known := false
				for _, h := range x.groups {
					known = known || g == h
				}
				if !known {
					return Fault(file, n, "no group %q in verbs.txt", g)
				}
			}
			return nil
		}
		entries, err := synonyms(line)
		if err != nil {
			return Fault(file, n, "%v", err)
		}
		for _, g := range open {
			x.Adverbs[g] = append(x.Adverbs[g], entries...)
		}
		return nil
	})
}

func (x *Lexicon) readTimes() error {
	const file = "times.txt"
	err := x.lines(file, func(n int, line string) error {
		tense, list, ok := strings.Cut(line, " : ")
		if !ok || tense != "past" && tense != "present" && tense != "future" {
			return Fault(file, n, "expected \"past|present|future : phrases\", found %q", line)
		}
		x.Times[tense] = append(x.Times[tense], strings.Split(list, ", ")...)
		return nil
	})
	for _, tense := range []string{"past", "present", "future"} {
		if err == nil && len(x.Times[tense]) == 0 {
			err = Fault(file, 0, "no phrase for the %s", tense)
		}
	}
	return err
}
