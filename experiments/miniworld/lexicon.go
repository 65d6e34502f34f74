package miniworld

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed words/*.txt
var words embed.FS

// A noun is one node of the taxonomy: a sense with its synonyms, or a class
// without a word of its own.
type noun struct {
	name     string // unique
	lemmas   []nounForm
	hidden   bool // a class without a word
	general  bool // too general to stand for a hyponym
	parent   int  // −1 at the root
	children []int
	end      int // the node's descendants are the nodes number+1 … end−1
	depth    int
	topics   uint32
	place    string // preposition of a place or time, or ""
	weight   uint32 // relative frequency among nouns of a class
	owned    bool   // "my car", "anna ' s car"
	family   bool   // a relative: "my brother"
	body     bool   // a part of the body: "her hand"
	abstract bool   // below (abstract): mass nouns go without an article
}

type nounForm struct {
	singular, plural         string
	unique                   bool
	mass, pluralOnly, proper bool
}

// A verb is one sense with its synonyms.
type verb struct {
	group  string
	lemmas []verbForm
	frames []int
}

type verbForm struct{ base, third, past, participle, gerund string }

// A frame is one way to use a verb.
type frame struct {
	verb        int
	subject     int // numbers of class sets; object −1 if there is none
	object      int
	complements []complement
	must        bool // a complement is obligatory
	topics      uint32
	weight      uint32
}

type complement struct {
	preposition string
	set         int
	bare        bool // no article
}

// An adjectives group describes the nouns of a set.
type adjectives struct {
	name   string
	set    int
	topics uint32 // 0: any
	words  [][]string
}

type topic struct {
	name    string
	weight  uint32
	related uint32
}

type lexicon struct {
	files      fs.FS
	topics     []topic
	nouns      []noun
	byName     map[string]int
	verbs      []verb
	groups     []string
	frames     []frame
	sets       [][]int // class sets: sorted numbers of nouns
	setNumber  map[string]int
	adjectives []adjectives
	adverbs    map[string][][]string // by verb group
	times      map[string][]string   // by tense
	surnames   []string
	unknown    []string
	everyday   []pattern
}

// fault is an error in a word list; line 0 stands for the file as a whole.
func fault(file string, line int, format string, args ...any) error {
	if line > 0 {
		file = fmt.Sprintf("%s:%d", file, line)
	}
	return fmt.Errorf("miniworld: words/%s: %s", file, fmt.Sprintf(format, args...))
}

// lines calls f for each line of a word list that is neither empty nor a comment.
func (x *lexicon) lines(file string, f func(number int, line string) error) error {
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

// load reads and checks the word lists, the files words/*.txt.
func load(files fs.FS) (*lexicon, error) {
	x := &lexicon{
		files:  files,
		byName: map[string]int{}, setNumber: map[string]int{},
		adverbs: map[string][][]string{}, times: map[string][]string{},
	}
	for _, step := range []func() error{
		x.readTopics, x.readNouns, x.readVerbs, x.readAdjectives, x.readAdverbs, x.readTimes,
		func() (err error) { x.surnames, err = x.readNames("names.txt"); return },
		func() (err error) { x.unknown, err = x.readNames("unknown.txt"); return },
		x.readEveryday,
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return x, nil
}

func (x *lexicon) readNames(file string) (names []string, err error) {
	seen := map[string]bool{}
	err = x.lines(file, func(n int, line string) error {
		for _, w := range strings.Fields(line) {
			if !isWord(w) {
				return fault(file, n, "%q is not a lower-case word", w)
			}
			if seen[w] {
				return fault(file, n, "%q is there twice", w)
			}
			seen[w] = true
			names = append(names, w)
		}
		return nil
	})
	if err == nil && len(names) == 0 {
		err = fault(file, 0, "no name")
	}
	return names, err
}

func isWord(w string) bool {
	for _, c := range w {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return w != ""
}

func (x *lexicon) readTopics() error {
	const file = "topics.txt"
	number := map[string]int{}
	related := map[int][]string{}
	lineOf := map[int]int{}
	err := x.lines(file, func(n int, line string) error {
		head, tail, ok := strings.Cut(line, ":")
		f := strings.Fields(head)
		if !ok || len(f) != 2 {
			return fault(file, n, "expected \"name weight : related topics\", found %q", line)
		}
		w, err := strconv.ParseUint(f[1], 10, 16)
		if err != nil || w == 0 {
			return fault(file, n, "weight %q is not a positive integer", f[1])
		}
		if _, twice := number[f[0]]; twice || !isWord(f[0]) {
			return fault(file, n, "topic %q is there twice or not a word", f[0])
		}
		t := len(x.topics)
		if t == 32 {
			return fault(file, n, "more than 32 topics")
		}
		number[f[0]], related[t], lineOf[t] = t, strings.Fields(tail), n
		x.topics = append(x.topics, topic{name: f[0], weight: uint32(w)})
		return nil
	})
	if err != nil {
		return err
	}
	for t := range x.topics {
		for _, name := range related[t] {
			u, ok := number[name]
			if !ok {
				return fault(file, lineOf[t], "no topic %q", name)
			}
			x.topics[t].related |= 1 << u
			x.topics[u].related |= 1 << t
		}
	}
	return nil
}

// topicSet reads topic names; "any" and "-" stand for none in particular.
func (x *lexicon) topicSet(names []string) (uint32, error) {
	var set uint32
next:
	for _, name := range names {
		if name == "any" || name == "-" {
			if len(names) > 1 {
				return 0, fmt.Errorf("%q stands alone", name)
			}
			return 0, nil
		}
		for t := range x.topics {
			if x.topics[t].name == name {
				set |= 1 << t
				continue next
			}
		}
		return 0, fmt.Errorf("no topic %q in topics.txt", name)
	}
	return set, nil
}

func (x *lexicon) readNouns() error {
	const file = "nouns.txt"
	var open []int // the node that is open at each depth
	err := x.lines(file, func(n int, line string) error {
		depth := len(line) - len(strings.TrimLeft(line, "\t"))
		line = line[depth:]
		if depth > len(open) || depth == 0 && len(x.nouns) > 0 {
			return fault(file, n, "indented by %d tabs below %d levels", depth, len(open))
		}
		open = open[:depth]
		parent := -1
		var topics uint32
		place := ""
		if depth > 0 {
			parent = open[depth-1]
			topics, place = x.nouns[parent].topics, x.nouns[parent].place
		}
		if head, tail, ok := strings.Cut(line, " !"); ok {
			if tail == "-" {
				tail = ""
			} else if !isWord(tail) {
				return fault(file, n, "%q after \"!\" is not a preposition", tail)
			}
			line, place = head, tail
		}
		if head, tail, ok := strings.Cut(line, " @"); ok {
			var err error
			if topics, err = x.topicSet(strings.Fields(tail)); err != nil {
				return fault(file, n, "%v", err)
			}
			line = head
		}
		for position, entry := range strings.Split(line, ", ") {
			node := noun{parent: parent, depth: depth, topics: topics, place: place, weight: 10000 / uint32(position+6)}
			if err := node.read(strings.TrimSpace(entry)); err != nil {
				return fault(file, n, "%v", err)
			}
			if _, twice := x.byName[node.name]; twice {
				return fault(file, n, "%q is there twice: tell its senses apart as in \"word#name\"", node.name)
			}
			id := len(x.nouns)
			x.byName[node.name] = id
			if parent >= 0 {
				up := &x.nouns[parent]
				up.children = append(up.children, id)
				node.owned = up.owned || ownable[node.name]
				node.family = up.family || node.name == "relative"
				node.body = up.body || node.name == "body part"
				node.abstract = up.abstract || node.name == "abstract"
			}
			x.nouns = append(x.nouns, node)
			open = append(open[:depth], id)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(x.nouns) == 0 {
		return fault(file, 0, "empty")
	}
	for i := len(x.nouns) - 1; i >= 0; i-- {
		node := &x.nouns[i]
		node.end = max(node.end, i+1)
		if node.parent >= 0 {
			up := &x.nouns[node.parent]
			up.end = max(up.end, node.end)
		}
	}
	for _, name := range []string{"relative", "body part", "abstract", "person", "man", "woman", "male name", "female name", "calendar", "location", "pet"} {
		if _, ok := x.byName[name]; !ok {
			return fault(file, 0, "no class %q, which the grammar needs", name)
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
func (node *noun) read(entry string) error {
	if rest, ok := strings.CutPrefix(entry, "("); ok {
		name, ok := strings.CutSuffix(rest, ")")
		if !ok || name == "" {
			return fmt.Errorf("expected \"(name)\", found %q", entry)
		}
		node.name, node.hidden = name, true
		return nil
	}
	if rest, ok := strings.CutPrefix(entry, "?"); ok {
		entry, node.general = rest, true
	}
	for i, lemma := range strings.Split(entry, " = ") {
		var form nounForm
		lemma, form.unique = strings.CutPrefix(lemma, "*")
		switch {
		case strings.HasPrefix(lemma, "~"):
			form.mass = true
		case strings.HasPrefix(lemma, "+"):
			form.pluralOnly = true
		case strings.HasPrefix(lemma, "^"):
			form.proper = true
		}
		lemma = strings.TrimLeft(lemma, "~+^")
		lemma, plural, _ := strings.Cut(lemma, "/")
		lemma, tag, tagged := strings.Cut(lemma, "#")
		if !isWord(lemma) || plural != "" && !isWord(plural) || tagged && (tag == "" || i > 0) {
			return fmt.Errorf("cannot read %q in %q", lemma, entry)
		}
		if i == 0 {
			node.name = lemma
			if tagged {
				node.name = tag
			}
		}
		form.singular, form.plural = lemma, plural
		if form.pluralOnly {
			form.plural = lemma
		} else if plural == "" {
			form.plural = pluralOf(lemma)
		}
		node.lemmas = append(node.lemmas, form)
	}
	return nil
}

// under tells whether a is b or lies below it.
func (x *lexicon) under(a, b int) bool { return a >= b && a < x.nouns[b].end }

// set returns the number of the class set that a list such as "person, -child"
// describes: all nouns with a word of these classes; "=class" is the word alone.
func (x *lexicon) set(list string, defined map[string]string) (int, error) {
	if n, ok := x.setNumber[list]; ok {
		return n, nil
	}
	member := make([]bool, len(x.nouns))
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
			node, ok := x.byName[name]
			if !ok {
				return fmt.Errorf("no class %q in nouns.txt", name)
			}
			last := x.nouns[node].end
			if alone {
				last = node + 1
			}
			for i := node; i < last; i++ {
				member[i] = value && !x.nouns[i].hidden
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
	n := len(x.sets)
	x.sets = append(x.sets, set)
	x.setNumber[list] = n
	return n, nil
}

func (x *lexicon) readVerbs() error {
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
				return fault(file, n, "expected \"define name = classes\", found %q", line)
			}
			defined[name] = list
			return nil
		}
		if rest, ok := strings.CutPrefix(line, "\t"); ok {
			if len(x.verbs) == 0 {
				return fault(file, n, "a frame before the first verb")
			}
			if err := x.readFrame(rest, defined); err != nil {
				return fault(file, n, "%v", err)
			}
			return nil
		}
		if group == "" {
			return fault(file, n, "a verb before the first group")
		}
		v := verb{group: group}
		for _, entry := range strings.Split(line, " = ") {
			form, err := verbForms(entry)
			if err != nil {
				return fault(file, n, "%v", err)
			}
			if seen[form.base] {
				return fault(file, n, "%q is there twice", form.base)
			}
			seen[form.base] = true
			v.lemmas = append(v.lemmas, form)
		}
		x.verbs = append(x.verbs, v)
		return nil
	})
	if err != nil {
		return err
	}
	for i := range x.frames {
		v := &x.verbs[x.frames[i].verb]
		v.frames = append(v.frames, i)
	}
	for _, v := range x.verbs {
		if len(v.frames) == 0 {
			return fault(file, 0, "%q has no frame", v.lemmas[0].base)
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

func (x *lexicon) readFrame(line string, defined map[string]string) error {
	f := frame{verb: len(x.verbs) - 1, object: -1, weight: 1}
	if head, tail, ok := strings.Cut(line, " *"); ok {
		w, err := strconv.ParseUint(tail, 10, 8)
		if err != nil || w == 0 {
			return fmt.Errorf("weight %q is not a positive integer", tail)
		}
		line, f.weight = head, uint32(w)
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
	if f.subject, err = x.set(subject, defined); err != nil {
		return err
	}
	if object != "-" {
		if f.object, err = x.set(object, defined); err != nil {
			return err
		}
	}
	if part[1] != "-" {
		for _, c := range strings.Split(part[1], ", ") {
			if rest, ok := strings.CutPrefix(c, "!"); ok {
				f.must, c = true, rest
			}
			preposition, class, ok := strings.Cut(c, " ")
			if !ok {
				return fmt.Errorf("complement %q is not a preposition and a class", c)
			}
			class, bare := strings.CutPrefix(class, "=")
			set, err := x.set(class, defined)
			if err != nil {
				return err
			}
			f.complements = append(f.complements, complement{preposition, set, bare})
		}
	}
	if f.topics, err = x.topicSet(strings.Fields(part[2])); err != nil {
		return err
	}
	if f.topics == 0 {
		return fmt.Errorf("no topic")
	}
	x.frames = append(x.frames, f)
	return nil
}

func (x *lexicon) readAdjectives() error {
	const file = "adjectives.txt"
	err := x.lines(file, func(n int, line string) error {
		if strings.HasPrefix(line, "[") {
			name, rest, ok := strings.Cut(line[1:], "] ")
			classes, topics, ok2 := strings.Cut(rest, " : ")
			if !ok || !ok2 {
				return fault(file, n, "expected \"[group] classes : topics\", found %q", line)
			}
			set, err := x.set(classes, nil)
			if err != nil {
				return fault(file, n, "%v", err)
			}
			mask, err := x.topicSet(strings.Fields(topics))
			if err != nil {
				return fault(file, n, "%v", err)
			}
			x.adjectives = append(x.adjectives, adjectives{name: name, set: set, topics: mask})
			return nil
		}
		if len(x.adjectives) == 0 {
			return fault(file, n, "adjectives before the first group")
		}
		entries, err := synonyms(line)
		if err != nil {
			return fault(file, n, "%v", err)
		}
		g := &x.adjectives[len(x.adjectives)-1]
		g.words = append(g.words, entries...)
		return nil
	})
	if err != nil {
		return err
	}
	for _, g := range x.adjectives {
		if len(g.words) == 0 {
			return fault(file, 0, "group %q has no adjective", g.name)
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
			if !isWord(w) {
				return nil, fmt.Errorf("%q is not a lower-case word", w)
			}
		}
		entries = append(entries, same)
	}
	return entries, nil
}

func (x *lexicon) readAdverbs() error {
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
					return fault(file, n, "no group %q in verbs.txt", g)
				}
			}
			return nil
		}
		entries, err := synonyms(line)
		if err != nil {
			return fault(file, n, "%v", err)
		}
		for _, g := range open {
			x.adverbs[g] = append(x.adverbs[g], entries...)
		}
		return nil
	})
}

func (x *lexicon) readTimes() error {
	const file = "times.txt"
	err := x.lines(file, func(n int, line string) error {
		tense, list, ok := strings.Cut(line, " : ")
		if !ok || tense != "past" && tense != "present" && tense != "future" {
			return fault(file, n, "expected \"past|present|future : phrases\", found %q", line)
		}
		x.times[tense] = append(x.times[tense], strings.Split(list, ", ")...)
		return nil
	})
	for _, tense := range []string{"past", "present", "future"} {
		if err == nil && len(x.times[tense]) == 0 {
			err = fault(file, 0, "no phrase for the %s", tense)
		}
	}
	return err
}
