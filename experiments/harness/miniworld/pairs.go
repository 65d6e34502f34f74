package miniworld

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"contextmover/experiments/harness/miniworld/lexicon"
)

// A Set is a named list of pairs.
type Set struct {
	Name  string
	Pairs []Pair
}

// A Pair is two words, or two tokenised sentences.
type Pair struct {
	A, B string
	// Relation is, in sets of hypernymy, hyper (B is a hypernym of A), reversed, coord, random, attri or event; of
	// graded pairs, which tell to what degree A is a kind of B, it is hyp-1 … hyp-4, r-hyp-1 … r-hyp-4, cohyp, syn or
	// no-rel.
	Relation string
	// Truth is the similarity, relatedness or degree in [0, 1] that the raters saw.
	Truth   float64
	Ratings []float64
}

// Mean returns the mean of the ratings.
func (p Pair) Mean() float64 { return stat.Mean(p.Ratings, nil) }

// Deviation returns the standard deviation of the ratings.
func (p Pair) Deviation() float64 { return stat.PopStdDev(p.Ratings, nil) }

// rate returns ratings, integers 0 … top: the truth times top plus noise of the given standard deviation, rounded.
func (t *teller) rate(truth, top float64, raters int, deviation float64) (ratings []float64) {
	for range raters {
		// Three uniform numbers have variance ¼ around their mean.
		noise := float64(t.Float64()) + float64(t.Float64()) + float64(t.Float64()) - 1.5
		v := math.Floor(float64(truth*top) + float64(2*deviation*noise) + 0.5)
		ratings = append(ratings, min(max(v, 0), top))
	}
	return ratings
}

// A recipe says how the pairs of a set of sentences come about. What it does not say is usual.
type recipe struct {
	set       string // group/name
	pairs     int
	edits     string // of a role: see change
	clauses   [2]int // clauses of the first and the second sentence
	shortest  int    // tokens of a sentence
	most      int
	fresh     uint32 // of 1000 pairs, how many have sentences made independently
	sameTopic uint32 // and, of those, how many on one topic
	reorder   bool   // say one sentence in the passive or with the time or place in front; swap roles now and then
	homograph int    // 1: pairs around a word with several senses, 2: and edited ones
}

var recipes = []recipe{
	{set: "mini-val/mixed", pairs: 250, edits: "synonym sister up topic other drop", fresh: 200},
	{
		set: "mini-val/stories", edits: "synonym sister topic other drop", clauses: [2]int{2, 2}, shortest: 10,
		most: 25, fresh: 200,
	},
	{set: "mini-paraphrase/synonyms", edits: "synonym synonym synonym topic other", fresh: 150},
	{
		set: "mini-paraphrase/word-order", edits: "synonym topic other drop", shortest: 6, most: 18, fresh: 150,
		reorder: true,
	},
	{set: "mini-topic/same-topic", edits: "topic topic other sister", fresh: 600, sameTopic: 700},
	{set: "mini-topic/changes", edits: "topic other other synonym", most: 18, fresh: 150, sameTopic: 500},
	{set: "mini-sense/homographs", edits: "synonym sister up", homograph: 1},
	{set: "mini-sense/contexts", edits: "synonym sister up topic other", most: 18, homograph: 2},
	{
		set: "mini-length/long", edits: "synonym sister topic other drop", clauses: [2]int{2, 2}, shortest: 14,
		most: 28, fresh: 150,
	},
	{set: "mini-length/short-long", edits: "synonym sister topic drop", clauses: [2]int{2, 1}, most: 28, fresh: 200},
	{set: "mini-taxonomy/hypernyms", edits: "up up synonym other", fresh: 150},
	{set: "mini-taxonomy/sisters", edits: "sister sister up other", fresh: 150},
}

// sentenceSets makes the sets of all recipes; stream gives each its random numbers.
func sentenceSets(stream func(name string) *teller) (sets []Set) {
	for _, r := range recipes {
		r.pairs, r.shortest, r.most = cmp.Or(r.pairs, 200), cmp.Or(r.shortest, 5), cmp.Or(r.most, 16)
		r.sameTopic, r.clauses = cmp.Or(r.sameTopic, 600), cmp.Or(r.clauses, [2]int{1, 1})
		s := &speaker{teller: stream("sts/" + r.set)}
		s.ambiguous = ambiguousWords(s.Nouns)
		set, seen := Set{Name: r.set}, map[string]bool{}
		for len(set.Pairs) < r.pairs {
			if p, good := s.pair(&r); good && !seen[p.A] && !seen[p.B] {
				seen[p.A], seen[p.B] = true, true
				set.Pairs = append(set.Pairs, p)
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// pair makes one pair; it is not good if it breaks the recipe's bounds.
func (s *speaker) pair(r *recipe) (p Pair, good bool) {
	a, b := s.meanings(r)
	if a == nil {
		return p, false
	}
	ya, yb := s.style(a[0]), s.style(b[0])
	if r.reorder {
		yb.fronted, yb.passive = true, canBePassive(b[0]) && s.chance(700)
		yb.progressive = yb.progressive && !yb.passive
		ya.fronted, ya.passive = false, false
	}
	if s.chance(500) {
		a, b, ya, yb = b, a, yb, ya
	}
	p.A, p.B = s.text(a, ya), s.text(b, yb)
	short, long := strings.Count(p.A, " ")+1, strings.Count(p.B, " ")+1
	if short > long {
		short, long = long, short
	}
	if p.A == p.B || short < r.shortest || long > r.most {
		return p, false
	}
	p.Truth = meaningSimilarity(s.Lexicon, a, b)
	p.Ratings = s.rate(p.Truth, 5, 5, 0.7)
	return p, true
}

func (s *speaker) text(m []*clause, y saying) string {
	s.out = s.out[:0]
	s.sentence(m[0], y)
	if len(m) > 1 {
		s.say(early(s, conjunctions[:4])...)
		z := s.style(m[1])
		z.fronted = false
		s.sentence(m[1], z)
	}
	s.say(".")
	return s.line()
}

// meanings draws what the two sentences of a pair say, or returns nil.
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
				f := cmp.Or(a[i].object, a[i].subject)
				if f.name == "" {
					c = cmp.Or(s.clauseWith(use{f.noun, f.form}), c)
				}
			}
			b = append(b, c)
		}
		return a, b
	}
	keep := s.Uint32N(850)
	for i := range r.clauses[1] {
		if r.clauses[1] < r.clauses[0] && s.chance(350) {
			i = 1
		}
		b = append(b, s.edited(a[i], r.edits, keep))
	}
	if c := b[0]; r.reorder && s.chance(150) && c.frame != nil && slices.Contains(c.frame.Subject, c.object.noun) &&
		slices.Contains(c.frame.Object, c.subject.noun) {
		c.subject, c.object = c.object, c.subject // "the dog chased the cat" for "the cat chased the dog"
	}
	return a, b
}

// goldClause draws a clause for a sentence of a pair: sometimes about a person
// whose name the corpus lacks, sometimes a quality.
func (s *speaker) goldClause(topic uint32) *clause {
	if s.chance(100) {
		return s.qualityClause(topic)
	}
	c := s.clause(topic)
	if s.chance(90) && c.subject.noun.Is("person") {
		class := one(s, []string{"male name", "female name"})
		c.subject = filler{noun: s.Class(class)[0], name: one(s, s.Lists["unknown name"])[0]}
	}
	return c
}

// edited returns a clause made from c: each role is kept with a chance of keep in
// 1000, and changed by one of the edits otherwise.
func (s *speaker) edited(c *clause, edits string, keep uint32) *clause {
	d := *c
	draw := func() string {
		switch {
		case !s.chance(keep):
			return one(s, strings.Fields(edits))
		case s.chance(550):
			return "synonym"
		}
		return ""
	}
	change := func(f *filler, able []*lexicon.Noun) {
		if f.noun == nil {
			return
		}
		s.change(f, able, c.topic, draw())
		edit := draw()
		if edit == "drop" {
			f.adj = adjective{}
		}
		f.adj = s.reworded(f.adj, f.noun, c.topic, edit)
	}
	if c.frame == nil {
		var able []*lexicon.Noun
		if c.subject.noun.Is("person") {
			able = s.Class("speaker")
		}
		change(&d.subject, able)
		if d.quality = s.reworded(c.quality, d.subject.noun, c.topic, draw()); d.quality.word == "" {
			d.quality, d.subject = c.quality, c.subject
		}
		return &d
	}
	s.changeVerb(&d, draw())
	change(&d.subject, d.frame.Subject)
	change(&d.object, d.frame.Object)
	if d.comp.noun != nil {
		if draw() == "drop" && !d.frame.Must {
			d.comp, d.prep = filler{}, lexicon.Complement{}
		} else {
			change(&d.comp, d.prep.Nouns)
			if d.prep.Bare {
				d.comp.adj, d.comp.plural = adjective{}, false
			}
		}
	}
	lose := func() bool { return !s.chance(keep) && s.chance(220) }
	if lose() {
		d.place = filler{}
	}
	if lose() {
		d.time, d.phrase = filler{}, ""
	}
	if lose() {
		d.adverb = adjective{}
	}
	d.negated = d.negated != lose()
	if change(&d.place, s.Class("location")); d.place.noun != nil {
		d.place.plural = false
		if d.place.noun.Place == "" {
			d.place = filler{}
		}
	}
	if d.object.noun == d.subject.noun && d.object.name == d.subject.name {
		d.object = c.object
	}
	return &d
}

// change makes another noun of a filler, by an edit:
//
//	synonym  another word for the same sense
//	sister   another noun of the class
//	up       a more general noun
//	topic    another noun that is able to fill the role and fits the topic
//	other    one that is able to fill the role, on any topic
//	drop     leave out what can be left out
func (s *speaker) change(f *filler, able []*lexicon.Noun, topic uint32, edit string) {
	var n *lexicon.Noun
	switch {
	case edit == "synonym":
		f.form = another(s, f.noun.Lemmas, f.form)
		f.inflect(f.plural)
	case edit == "sister" && s.isName(f.noun):
		n = s.drawNoun(s.Class("first name"), topic)
	case edit == "sister":
		if m := s.sister(f.noun); able == nil || slices.Contains(able, m) {
			n = m
		}
	case edit == "up":
		if above := f.noun.Above(); len(above) > 0 && !above[0].General {
			n = above[0]
		}
	case edit == "topic" && able != nil:
		n = s.drawNoun(able, topic)
	case edit == "other" && able != nil:
		n = s.drawNoun(able, s.drawTopic())
	}
	if n != nil && (n != f.noun || f.name != "") {
		plural := f.plural
		*f = s.fill(n, topic, 0)
		f.inflect(plural)
	}
}

// reworded returns an adjective, if there is one, by a synonym or, for other edits than that, another one: none if
// the noun cannot be described so.
func (s *speaker) reworded(a adjective, n *lexicon.Noun, topic uint32, edit string) adjective {
	switch {
	case a.word == "" || edit == "":
	case edit == "synonym":
		for _, entry := range synonyms(n, a) {
			if len(entry) > 1 {
				if word := one(s, entry); word != a.word {
					a.word = word
					break
				}
			}
		}
	default:
		a = s.describe(n, topic)
	}
	if slices.Contains(slices.Concat(synonyms(n, a)...), a.word) {
		return a
	}
	return adjective{}
}

// synonyms are the words for what an adjective says of a noun.
func synonyms(n *lexicon.Noun, a adjective) (entries [][]string) {
	for _, g := range n.Described {
		for _, entry := range g.Words {
			if g.Name == a.group && entry[0] == a.sense {
				entries = append(entries, entry)
			}
		}
	}
	return entries
}

// changeVerb replaces the verb by one that takes the same subject and object.
func (s *speaker) changeVerb(c *clause, edit string) {
	verb := c.frame.Verb
	switch edit {
	case "synonym":
		c.verb = another(s, verb.Lemmas, c.verb)
		return
	case "drop", "up", "":
		return
	}
	able := those(c.subject.noun.UsedBy, func(f *lexicon.Frame) bool {
		return f.Verb != verb && !f.Must && (f.Object == nil && c.object.noun == nil ||
			slices.Contains(f.Object, c.object.noun)) &&
			(edit != "sister" || f.Verb.Group == verb.Group) && (edit != "topic" || f.Topics&c.topic != 0)
	})
	if len(able) == 0 {
		return
	}
	c.frame = one(s, able)
	c.verb = common(s, c.frame.Verb.Lemmas)
	c.comp, c.prep, c.adverb = filler{}, lexicon.Complement{}, adjective{}
}

// homographs draws two sentences around a word with several senses: in different
// senses, in one sense, or the second without the word.
func (s *speaker) homographs(r *recipe) (a, b []*clause) {
	word := one(s, s.ambiguous)
	first := one(s, word)
	c := s.clauseWith(first)
	if c == nil {
		return
	}
	v := s.Uint32N(1000)
	var d *clause
	switch {
	case r.homograph == 2 && v < 500, v >= 850:
		d = s.edited(c, r.edits, s.Uint32N(850))
	case v < 700:
		d = s.clauseWith(another(s, word, first))
	default:
		d = s.clauseWith(first)
	}
	if d == nil {
		return
	}
	return []*clause{c}, []*clause{d}
}

// A use is a sense of a word: a noun and which of its synonyms the word is.
type use struct {
	noun *lexicon.Noun
	form lexicon.NounForm
}

// ambiguousWords lists the words with several senses, each of which the grammar
// uses as a subject or an object, in the order of nouns.txt.
func ambiguousWords(nouns []*lexicon.Noun) (list [][]use) {
	at := map[string]int{}
	for _, n := range those(nouns, inUse) {
		for _, form := range n.Lemmas {
			if form.Proper || form.PluralOnly {
				continue
			}
			k, ok := at[form.Singular]
			if !ok {
				k = len(list)
				at[form.Singular] = k
				list = append(list, nil)
			}
			list[k] = append(list[k], use{n, form})
		}
	}
	return those(list, func(uses []use) bool { return len(uses) > 1 })
}

// inUse tells whether a noun is the subject or the object of a verb.
func inUse(n *lexicon.Noun) bool { return len(n.UsedBy)+len(n.DoneTo) > 0 }

// clauseWith draws a clause with the word as subject or object, on one of the
// topics of the word if a frame has one.
func (s *speaker) clauseWith(u use) *clause {
	type way struct {
		frame  *lexicon.Frame
		object bool
	}
	var ways []way
	for k, frames := range [][]*lexicon.Frame{u.noun.UsedBy, u.noun.DoneTo} {
		for _, f := range frames {
			ways = append(ways, way{f, k == 1})
		}
	}
	ways = prefer(ways, func(w way) bool { return w.frame.Topics&u.noun.Topics != 0 })
	if len(ways) == 0 {
		return nil
	}
	w := one(s, ways)
	topics := cmp.Or(w.frame.Topics&u.noun.Topics, w.frame.Topics)
	topic := one(s, those(s.Topics, func(t lexicon.Topic) bool { return topics&t.Bit != 0 })).Bit
	f := s.fill(u.noun, topic, 150)
	f.form = u.form
	f.inflect(f.plural)
	if !w.object {
		return s.clauseOf(w.frame, topic, f)
	}
	c := s.clauseOf(w.frame, topic, filler{})
	if c.subject.noun == u.noun {
		return nil
	}
	c.object = f
	return c
}
