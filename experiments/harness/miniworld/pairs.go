package miniworld

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"contextmover/experiments/harness/miniworld/lexicon"
)

// A SentenceGroup is a named group of sentence-pair sets.
type SentenceGroup struct {
	Name string
	Sets []SentenceSet
}

// A SentenceSet is a named list of sentence pairs.
type SentenceSet struct {
	Name  string
	Pairs []SentencePair
}

// A SentencePair is two tokenised sentences with their similarity, 0 to 5 in
// steps of 0.2. Truth is the similarity in [0, 1] that the raters saw.
type SentencePair struct {
	Score float64
	A, B  string
	Truth float64
}

// A recipe says how the pairs of a set come about. What it does not say is usual.
type recipe struct {
	group, set string
	pairs      int
	edits      []string // of a role: see change
	clauses    [2]int   // clauses of the first and the second sentence
	shortest   int      // tokens of a sentence
	most       int
	fresh      uint32 // of 1000 pairs, how many have sentences made independently
	sameTopic  uint32 // and, of those, how many on one topic
	reorder    bool   // say one sentence in the passive or with the time or place in front; swap roles now and then
	homograph  int    // 1: pairs around a word with several senses, 2: and edited ones
}

var recipes = []recipe{
	{
		group: "mini-val", set: "mixed", pairs: 250,
		edits: strings.Fields("synonym sister up topic other drop"), fresh: 200,
	},
	{
		group: "mini-val", set: "stories",
		edits: strings.Fields("synonym sister topic other drop"), clauses: [2]int{2, 2}, shortest: 10, most: 25,
		fresh: 200,
	},
	{
		group: "mini-paraphrase", set: "synonyms",
		edits: strings.Fields("synonym synonym synonym topic other"), fresh: 150,
	},
	{
		group: "mini-paraphrase", set: "word-order",
		edits: strings.Fields("synonym topic other drop"), shortest: 6, most: 18, fresh: 150, reorder: true,
	},
	{
		group: "mini-topic", set: "same-topic",
		edits: strings.Fields("topic topic other sister"), fresh: 600, sameTopic: 700,
	},
	{
		group: "mini-topic", set: "changes",
		edits: strings.Fields("topic other other synonym"), most: 18, fresh: 150, sameTopic: 500,
	},
	{group: "mini-sense", set: "homographs", edits: strings.Fields("synonym sister up"), homograph: 1},
	{
		group: "mini-sense", set: "contexts",
		edits: strings.Fields("synonym sister up topic other"), most: 18, homograph: 2,
	},
	{
		group: "mini-length", set: "long",
		edits: strings.Fields("synonym sister topic other drop"), clauses: [2]int{2, 2}, shortest: 14, most: 28,
		fresh: 150,
	},
	{
		group: "mini-length", set: "short-long",
		edits: strings.Fields("synonym sister topic drop"), clauses: [2]int{2, 1}, most: 28, fresh: 200,
	},
	{group: "mini-taxonomy", set: "hypernyms", edits: strings.Fields("up up synonym other"), fresh: 150},
	{group: "mini-taxonomy", set: "sisters", edits: strings.Fields("sister sister up other"), fresh: 150},
}

// usual returns a recipe with the usual values of what it does not say.
func (r recipe) usual() recipe {
	r.pairs, r.shortest, r.most = cmp.Or(r.pairs, 200), cmp.Or(r.shortest, 5), cmp.Or(r.most, 16)
	r.sameTopic, r.clauses = cmp.Or(r.sameTopic, 600), cmp.Or(r.clauses, [2]int{1, 1})
	return r
}

// sentenceGroups makes the sets of all recipes; stream gives each its random numbers.
func sentenceGroups(stream func(name string) *teller) []SentenceGroup {
	var groups []SentenceGroup
	for i, r := range recipes {
		r = r.usual()
		s := &speaker{teller: stream("sts/" + r.group + "/" + r.set)}
		set := SentenceSet{Name: r.set}
		seen := map[string]bool{}
		for len(set.Pairs) < r.pairs {
			p, ok := s.pair(&r)
			if ok && !seen[p.A] && !seen[p.B] {
				seen[p.A], seen[p.B] = true, true
				set.Pairs = append(set.Pairs, p)
			}
		}
		if i == 0 || groups[len(groups)-1].Name != r.group {
			groups = append(groups, SentenceGroup{Name: r.group})
		}
		g := &groups[len(groups)-1]
		g.Sets = append(g.Sets, set)
	}
	return groups
}

// pair makes one pair; ok is false if it breaks the recipe's bounds.
func (s *speaker) pair(r *recipe) (p SentencePair, ok bool) {
	a, b := s.meanings(r)
	if a == nil || b == nil {
		return p, false
	}
	ya, yb := s.style(a[0]), s.style(b[0])
	if r.reorder {
		yb.fronted, yb.passive = true, b[0].object != nil && !s.Nouns[b[0].object.noun].Body && s.chance(700)
		if yb.passive {
			yb.progressive = false
		}
		ya.fronted, ya.passive = false, false
	}
	if s.chance(500) {
		a, b, ya, yb = b, a, yb, ya
	}
	p.A, p.B = s.text(a, ya), s.text(b, yb)
	for _, line := range []string{p.A, p.B} {
		if n := strings.Count(line, " ") + 1; n < r.shortest || n > r.most {
			return p, false
		}
	}
	if p.A == p.B {
		return p, false
	}
	p.Truth = meaningSimilarity(s.Lexicon, a, b)
	p.Score = s.rate(p.Truth, 5, 5, 0.7)
	return p, true
}

// rate returns the mean of the ratings of several raters, integers 0 … top: the
// truth times top plus noise of the given standard deviation, rounded.
func (t *teller) rate(truth float64, top, raters int, deviation float64) float64 {
	sum := 0
	for range raters {
		sum += t.rating(truth, top, deviation)
	}
	return float64(sum) / float64(raters)
}

func (t *teller) rating(truth float64, top int, deviation float64) int {
	// Three uniform numbers have variance ¼ around their mean.
	noise := float64(t.rng.Float64()) + float64(t.rng.Float64()) + float64(t.rng.Float64()) - 1.5
	v := math.Floor(float64(truth*float64(top)) + float64(2*deviation*noise) + 0.5)
	return int(min(max(v, 0), float64(top)))
}

func (s *speaker) text(m []*clause, y saying) string {
	s.out = s.out[:0]
	s.sentence(m[0], y)
	if len(m) > 1 {
		s.say(early(s.teller, conjunctions[:4])...)
		z := s.style(m[1])
		z.fronted = false
		s.sentence(m[1], z)
	}
	s.say(".")
	return string(s.finish(nil))
}

// meanings draws what the two sentences of a pair say.
func (s *speaker) meanings(r *recipe) (a, b []*clause) {
	topic := s.drawTopic()
	if r.homograph > 0 {
		return s.homographs(r)
	}
	for range r.clauses[0] {
		a = append(a, s.goldClause(topic))
	}
	if s.chance(r.fresh) {
		if !s.chance(r.sameTopic) {
			topic = s.drawTopic()
		}
		for i := range r.clauses[1] {
			c := s.goldClause(topic)
			if s.chance(300) { // another event with one of the same words
				f := a[min(i, len(a)-1)].subject
				if o := a[min(i, len(a)-1)].object; o != nil {
					f = o
				}
				if f.name == "" {
					if d := s.clauseWith(use{f.noun, f.lemma}); d != nil {
						c = d
					}
				}
			}
			b = append(b, c)
		}
		return a, b
	}
	keep := s.rng.Uint32N(850)
	for i := range r.clauses[1] {
		j := i
		if r.clauses[1] < r.clauses[0] && s.chance(350) {
			j = 1
		}
		b = append(b, s.edited(a[j], r.edits, keep))
	}
	if r.reorder && s.chance(150) {
		s.swap(b[0])
	}
	return a, b
}

// goldClause draws a clause for a sentence of a pair: sometimes about a person
// whose name the corpus lacks, sometimes a quality.
func (s *speaker) goldClause(topic int) *clause {
	if s.chance(100) {
		return s.qualityClause(topic)
	}
	c := s.clause(topic, nil)
	if s.chance(90) && s.Is(c.subject.noun, "person") {
		class := s.ByName[one(s.teller, []string{"male name", "female name"})]
		c.subject = &filler{noun: s.Nouns[class].Children[0], name: one(s.teller, s.Unknown)}
	}
	return c
}

func copyFiller(f *filler) *filler {
	if f == nil {
		return nil
	}
	g := *f
	return &g
}

// edited returns a clause made from c: each role is kept with a chance of keep in
// 1000, and changed by one of the edits otherwise.
func (s *speaker) edited(c *clause, edits []string, keep uint32) *clause {
	d := *c
	d.subject, d.object, d.comp, d.place, d.time = copyFiller(c.subject), copyFiller(c.object), copyFiller(c.comp),
		copyFiller(c.place), copyFiller(c.time)
	draw := func() (string, bool) {
		if s.chance(keep) {
			return "synonym", s.chance(550)
		}
		return one(s.teller, edits), true
	}
	change := func(f *filler, set int) {
		if f == nil {
			return
		}
		if e, ok := draw(); ok {
			s.change(f, set, c.topic, e)
		}
		if e, ok := draw(); ok && f.adj.word != "" {
			switch e {
			case "synonym":
				s.anotherWord(f.noun, &f.adj)
			case "drop":
				f.adj = adjective{}
			default:
				f.adj = s.describe(f.noun, c.topic)
			}
		}
		f.adj = s.fitting(f.noun, f.adj)
	}
	if c.frame < 0 {
		set := s.Speakers
		if !s.Is(c.subject.noun, "person") {
			set = -1
		}
		change(d.subject, set)
		if e, ok := draw(); ok {
			if e == "synonym" {
				s.anotherWord(d.subject.noun, &d.quality)
			} else if a := s.describe(d.subject.noun, c.topic); a.word != "" {
				d.quality = a
			}
		}
		if d.quality = s.fitting(d.subject.noun, d.quality); d.quality.word == "" {
			d.quality = c.quality
			d.subject = copyFiller(c.subject)
		}
		return &d
	}
	if e, ok := draw(); ok {
		s.changeVerb(&d, e)
	}
	f := &s.Frames[d.frame]
	change(d.subject, f.Subject)
	if d.object != nil {
		change(d.object, f.Object)
	}
	if d.comp != nil {
		if e, ok := draw(); ok && e == "drop" && !f.Must {
			d.comp, d.prep = nil, lexicon.Complement{}
		} else {
			change(d.comp, d.prep.Set)
			if d.prep.Bare {
				d.comp.adj, d.comp.plural = adjective{}, false
			}
		}
	}
	for _, extra := range []func(){
		func() { d.place = nil },
		func() { d.time, d.phrase = nil, "" },
		func() { d.adverb = [2]string{} },
		func() { d.negated = !d.negated },
	} {
		if !s.chance(keep) && s.chance(220) {
			extra()
		}
	}
	if d.place != nil {
		change(d.place, s.Places)
		d.place.plural = false
		if s.Nouns[d.place.noun].Place == "" {
			d.place = nil
		}
	}
	if d.object != nil && d.object.noun == d.subject.noun && d.object.name == d.subject.name {
		d.object = copyFiller(c.object)
	}
	return &d
}

// change makes another noun of a filler, by an edit:
//
//	synonym  another word for the same sense
//	sister   another noun of the class
//	up       a more general noun
//	topic    another noun that fits the role and the topic
//	other    one that fits the role, on any topic
//	drop     leave out what can be left out
func (s *speaker) change(f *filler, set, topic int, e string) {
	replace := func(n int) {
		if n == f.noun && f.name == "" || s.Nouns[n].Hidden {
			return
		}
		plural := f.plural
		*f = *s.fill(n, topic, 0)
		form := s.form(f)
		f.plural = form.PluralOnly || plural && !form.Mass && !form.Proper && !form.Unique
	}
	switch e {
	case "synonym":
		if k := len(s.Nouns[f.noun].Lemmas); k > 1 && f.name == "" {
			f.lemma = (f.lemma + 1 + s.rng.IntN(k-1)) % k
			form := s.form(f)
			f.plural = form.PluralOnly || f.plural && !form.Mass && !form.Proper
		}
	case "sister":
		if s.isName(f.noun) {
			replace(s.drawNoun(s.FirstNames, topic))
			return
		}
		if m := s.sister(f.noun); set < 0 || s.Has(set, m) {
			replace(m)
		}
	case "up":
		p := s.Nouns[f.noun].Parent
		for p >= 0 && s.Nouns[p].Hidden {
			p = s.Nouns[p].Parent
		}
		if p >= 0 && !s.Nouns[p].General {
			replace(p)
		}
	case "topic":
		if set >= 0 {
			replace(s.drawNoun(set, topic))
		}
	case "other":
		if set >= 0 {
			replace(s.drawNoun(set, s.drawTopic()))
		}
	}
}

// anotherWord replaces an adjective by a synonym, if it has one.
func (s *speaker) anotherWord(n int, a *adjective) {
	for entry := range s.synonyms(n, *a) {
		if len(entry) > 1 {
			if w := one(s.teller, entry); w != a.word {
				a.word = w
				return
			}
		}
	}
}

// synonyms yields the words for what an adjective says of a noun.
func (s *speaker) synonyms(n int, a adjective) iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		for _, i := range s.described[n] {
			g := &s.Lexicon.Adjectives[i]
			for _, entry := range g.Words {
				if g.Name == a.group && entry[0] == a.sense && !yield(entry) {
					return
				}
			}
		}
	}
}

// fitting returns a if the noun can be described so, otherwise no adjective.
func (s *speaker) fitting(n int, a adjective) adjective {
	for entry := range s.synonyms(n, a) {
		if slices.Contains(entry, a.word) {
			return a
		}
	}
	return adjective{}
}

// changeVerb replaces the verb by one that takes the same subject and object.
func (s *speaker) changeVerb(c *clause, e string) {
	if e == "synonym" {
		if k := len(s.Verbs[c.verb].Lemmas); k > 1 {
			c.lemma = (c.lemma + 1 + s.rng.IntN(k-1)) % k
		}
		return
	}
	if e == "drop" || e == "up" {
		return
	}
	var able []int
	for _, i := range s.usedBy[c.subject.noun] {
		f := &s.Frames[i]
		if f.Verb == c.verb || f.Must || (f.Object >= 0) != (c.object != nil) || f.Object >= 0 &&
			!s.Has(f.Object, c.object.noun) {
			continue
		}
		if e == "sister" && s.Verbs[f.Verb].Group != s.Verbs[c.verb].Group || e == "topic" &&
			f.Topics>>c.topic&1 == 0 {
			continue
		}
		able = append(able, i)
	}
	if len(able) == 0 {
		return
	}
	c.frame = one(s.teller, able)
	c.verb = s.Frames[c.frame].Verb
	c.lemma = s.pick(len(s.Verbs[c.verb].Lemmas))
	c.comp, c.prep, c.adverb = nil, lexicon.Complement{}, [2]string{}
}

// swap exchanges subject and object where the verb allows it: "the dog chased the
// cat" for "the cat chased the dog".
func (s *speaker) swap(c *clause) {
	if c.frame < 0 || c.object == nil {
		return
	}
	f := &s.Frames[c.frame]
	if s.Has(f.Subject, c.object.noun) && s.Has(f.Object, c.subject.noun) {
		c.subject, c.object = c.object, c.subject
	}
}

// homographs draws two sentences around a word with several senses: in different
// senses, in one sense, or the second without the word.
func (s *speaker) homographs(r *recipe) (a, b []*clause) {
	w := one(s.teller, s.ambiguous)
	i := s.rng.IntN(len(w))
	c := s.clauseWith(w[i])
	if c == nil {
		return nil, nil
	}
	v := s.rng.Uint32N(1000)
	var d *clause
	switch {
	case r.homograph == 2 && v < 500, v >= 850:
		d = s.edited(c, r.edits, s.rng.Uint32N(850))
	case v < 700:
		j := (i + 1 + s.rng.IntN(len(w)-1)) % len(w)
		d = s.clauseWith(w[j])
	default:
		d = s.clauseWith(w[i])
	}
	if d == nil {
		return nil, nil
	}
	return []*clause{c}, []*clause{d}
}

// A sense of a word: a noun and which of its synonyms the word is.
type use struct{ noun, lemma int }

// ambiguousWords lists the nouns with several senses, each of which the grammar
// uses as a subject or an object, in the order of nouns.txt.
func ambiguousWords(x *lexicon.Lexicon, t *tables) (list [][]use) {
	at := map[string]int{}
	for n := range x.Nouns {
		if len(t.usedBy[n])+len(t.doneTo[n]) == 0 {
			continue
		}
		for l, form := range x.Nouns[n].Lemmas {
			if form.Proper || form.PluralOnly {
				continue
			}
			k, ok := at[form.Singular]
			if !ok {
				k = len(list)
				at[form.Singular] = k
				list = append(list, nil)
			}
			list[k] = append(list[k], use{n, l})
		}
	}
	return slices.DeleteFunc(list, func(uses []use) bool { return len(uses) < 2 })
}

// clauseWith draws a clause with the word as subject or object, on one of the
// topics of the word if a frame has one.
func (s *speaker) clauseWith(u use) *clause {
	type way struct {
		frame  int
		object bool
	}
	var ways []way
	topics := s.Nouns[u.noun].Topics
	for pass := 0; pass < 2 && len(ways) == 0; pass++ {
		for k, list := range [][]int{s.usedBy[u.noun], s.doneTo[u.noun]} {
			for _, i := range list {
				if pass == 1 || s.Frames[i].Topics&topics != 0 {
					ways = append(ways, way{i, k == 1})
				}
			}
		}
	}
	if len(ways) == 0 {
		return nil
	}
	v := one(s.teller, ways)
	var on []int
	for t := range s.Topics {
		if m := s.Frames[v.frame].Topics; m>>t&1 == 1 && (topics == 0 || m&topics == 0 || topics>>t&1 == 1) {
			on = append(on, t)
		}
	}
	topic := one(s.teller, on)
	word := s.fill(u.noun, topic, 150)
	word.lemma = u.lemma
	form := s.form(word)
	word.plural = form.PluralOnly || word.plural && !form.Mass && !form.Unique
	if v.object {
		c := s.clauseOf(v.frame, topic, nil)
		if c.subject.noun == u.noun {
			return nil
		}
		c.object = word
		return c
	}
	return s.clauseOf(v.frame, topic, word)
}
