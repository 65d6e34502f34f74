package cmdlib

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// RandomPairs is the number of pairs that a Standing compares with, Places how many neighbours it looks at.
const (
	RandomPairs = 500
	Places      = 100
)

// randomTolerance is the marginal error at which the problems of random texts stop: what is missing then
// costs less than this part of the largest cost, which is less than one random pair differs from the next.
const randomTolerance = 1e-3

// Standing tells what a distance means in its space.
type Standing struct {
	// Closer is the share of RandomPairs random pairs that are farther from each other.
	Closer float64 `json:"closer_than"`
	// Texts tells that these are pairs of texts with as many words as the two that are compared, else they
	// are pairs of words.
	Texts bool `json:"texts,omitempty"`
	// To is the place of the text moved to among the words nearest to the one moved from, 1 the nearest, and
	// From the place of that among the words nearest to it: 0 beyond Places and for what is not a word.
	To   int `json:"to_place,omitempty"`
	From int `json:"from_place,omitempty"`

	fromWord, toWord bool // which have a place: words that are not the same
}

// Text is the standing of two texts as a sentence without its full stop.
func (s *Standing) Text(from, to string) string {
	kind := "pairs of words"
	if s.Texts {
		kind = "pairs of texts as long"
	}
	text := fmt.Sprintf("closer than %.1f %% of random %s", 100*s.Closer, kind)
	switch s.Closer {
	case 0:
		text = fmt.Sprintf("farther apart than each of %d random %s", RandomPairs, kind)
	case 1:
		text = fmt.Sprintf("closer than each of %d random %s", RandomPairs, kind)
	}
	place := func(at int, of, among string) string {
		if at == 0 {
			return fmt.Sprintf("%s is not among the %d words nearest to %s", of, Places, among)
		}
		return fmt.Sprintf("%s is number %d of the words nearest to %s", of, at, among)
	}
	if s.toWord {
		text += "; " + place(s.To, to, from)
	}
	if s.fromWord {
		text += "; " + place(s.From, from, to)
	}
	return text
}

// Standing returns what the distance means: how it stands among those of random pairs, by the same method, and among
// the nearest words. Random pairs of words are of all that have an estimate, or a vector, each as likely as another;
// the words of random texts are as likely as they are frequent. They are always the same.
//
// It is to be asked while the space is open, and an error for what no space returned. Other errors are those of
// Compare.
func (c *Comparison) Standing(ctx context.Context) (*Standing, error) {
	if c.space == nil {
		return nil, errors.New("cmdlib: no space returned this, which could tell what it means")
	}
	from, to := lengths(&c.from, &c.to)
	words := from == 0 && to == 0
	fromWord, toWord := c.from.word() >= 0, c.to.word() >= 0
	same := words && c.from.word() == c.to.word()
	draw := c.space.randomDistances
	if c.Vectors() {
		from, to = averaged(c.From.Terms), averaged(c.To.Terms)
		fromWord, toWord = len(c.From.Terms) == 1, len(c.To.Terms) == 1
		if words = fromWord && toWord; words {
			from, to = 0, 0
		}
		same = words && c.From.Terms[0] == c.To.Terms[0]
		draw = c.encoder.random
		if c.x.bag != nil { // which no words are searched by
			fromWord, toWord = false, false
		}
	}
	random, err := c.space.remembered(ctx, randomPairs{c.Method, from, to}, draw)
	if err != nil {
		return nil, err
	}

	farther := len(random) - sort.Search(len(random), func(i int) bool { return random[i] > c.Distance })
	standing := &Standing{
		Closer: float64(farther) / float64(max(len(random), 1)), Texts: !words,
		fromWord: fromWord && !same, toWord: toWord && !same,
	}
	if standing.toWord {
		if standing.To, err = c.place(ctx, &c.from, &c.to); err != nil {
			return nil, err
		}
	}
	if standing.fromWord {
		standing.From, err = c.place(ctx, &c.to, &c.from)
	}
	return standing, err
}

// place returns the place of a word among the Places words nearest to text, or 0. By transport, words that a bound
// shows to be farther need no problem.
func (c *Comparison) place(ctx context.Context, text, word *reading) (int, error) {
	s := c.space
	if c.Vectors() {
		of, with := c.x, c.y
		if text == &c.to {
			of, with = c.y, c.x
		}
		near, err := c.encoder.nearest(ctx, of, Places)
		if err != nil {
			return 0, err
		}
		sought := with.terms[0].Text
		return 1 + slices.IndexFunc(near.Nearest, func(n Neighbour) bool { return n.Word == sought }), nil
	}
	query, err := s.compared(ctx, *text)
	if err != nil {
		return 0, err
	}
	own, err := ot.Distances(ctx, s.Engine, s.moving(query[0].Histogram, s.row(word.word())))
	if err != nil {
		return 0, err
	}
	run := &search{Space: s, query: query[0].Histogram, n: Places, within: own[0].Cost, ids: s.others(text.word())}
	if err := run.run(ctx); err != nil {
		return 0, err
	}
	return 1 + slices.IndexFunc(run.nearest, func(c found) bool { return c.Position == int64(word.word()) }), nil
}

// randomPairs are random pairs of texts of so many words, or of single words with 0 and 0, compared by a method.
type randomPairs struct {
	method   string
	from, to int
}

// remembered returns the distances that draw makes of random pairs, once. Those of spaces that have learned words are
// made again.
func (s *Space) remembered(
	ctx context.Context, pairs randomPairs, draw func(ctx context.Context, from, to int) ([]float64, error),
) ([]float64, error) {
	if s.learned != nil {
		return draw(ctx, pairs.from, pairs.to)
	}
	key := randomKey{pairs, s.Settings.Transport, s.Settings.Sentence}
	s.nearby.mu.Lock()
	random := s.nearby.random[key]
	s.nearby.mu.Unlock()
	if random != nil {
		return random, nil
	}
	// Two that ask for the same at once both compute it, and find the same.
	random, err := draw(ctx, pairs.from, pairs.to)
	if err != nil {
		return nil, err
	}
	s.nearby.mu.Lock()
	defer s.nearby.mu.Unlock()
	if len(s.nearby.random) >= mostRemembered {
		clear(s.nearby.random)
	}
	s.nearby.random[key] = random
	return random, nil
}

// randomKey is what the distances of random pairs depend on.
type randomKey struct {
	randomPairs
	transport ot.Settings
	sentence  SentenceSettings
}

// mostRemembered is the number of lists of random distances that are kept.
const mostRemembered = 256

// randomDistances returns the distances of RandomPairs random pairs of texts of so many words, in ascending order.
// With 0 and 0 it is of words compared by their own histograms. See Standing for how they are drawn. It panics at
// other numbers below 1.
func (s *Space) randomDistances(ctx context.Context, fromWords, toWords int) ([]float64, error) {
	words := fromWords == 0 && toWords == 0
	if !words && (fromWords < 1 || toWords < 1) {
		panic(fmt.Sprintf("cmdlib: random texts of %d and %d words", fromWords, toWords))
	}
	if words && s.random != nil && s.random.Transport == s.Settings.Transport {
		distances := make([]float64, len(s.random.Distances))
		for i, d := range s.random.Distances {
			distances[i] = float64(d)
		}
		return distances, nil
	}
	if _, err := s.estimates(); err != nil {
		return nil, err
	}
	draw := s.drawing(s.known, fromWords, toWords)
	if len(draw.ids) == 0 {
		return nil, fmt.Errorf("cmdlib: no word of the space has an estimate")
	}
	var from chosenWords
	var texts []sentence.Sentence
	p := s.problem(ot.Histograms{K: s.Cost.K}, nil)
	for i := range int32(RandomPairs) {
		p.Pairs = append(p.Pairs, ot.Pair{Source: 2 * i, Target: 2*i + 1})
		for _, n := range []int{fromWords, toWords} {
			if words {
				p.Rows.Data = append(p.Rows.Data, s.row(draw.any())...)
				continue
			}
			text := make(sentence.Sentence, n)
			for w := range text {
				text[w] = from.add(draw.frequent())
			}
			texts = append(texts, text)
		}
	}
	if !words {
		combiner, err := s.combiner(from.ids)
		if err != nil {
			return nil, err
		}
		if p.Rows, err = combiner.Combine(ctx, texts); err != nil {
			return nil, err
		}
		p.Tol = max(p.Tol, randomTolerance)
	}
	results, err := ot.Distances(ctx, s.Engine, p)
	if err != nil {
		return nil, err
	}
	distances := make([]float64, len(results))
	for i, r := range results {
		distances[i] = r.Cost
	}
	slices.Sort(distances)
	return distances, nil
}

// drawing draws words.
type drawing struct {
	ids    []int32
	below  []int64 // the counts of ids up to each
	random *rand.Rand
}

// drawing draws of the words that has holds for, for random pairs of texts of so many words.
func (s *Space) drawing(has func(id int32) bool, fromWords, toWords int) *drawing {
	d := &drawing{random: rand.New(rand.NewPCG(1, uint64(fromWords)<<32|uint64(toWords)))}
	total := int64(0)
	for id := range int32(len(s.Words)) {
		if has(id) {
			total += max(s.Counts[id], 1)
			d.ids, d.below = append(d.ids, id), append(d.below, total)
		}
	}
	return d
}

// any draws a word, each as likely as another.
func (d *drawing) any() int32 { return d.ids[d.random.IntN(len(d.ids))] }

// frequent draws a word that is as likely as it is frequent.
func (d *drawing) frequent() int32 {
	at, _ := slices.BinarySearch(d.below, 1+d.random.Int64N(d.below[len(d.below)-1]))
	return d.ids[at]
}

// randomWords are what randomDistances returns of pairs of words, rounded, and the settings that they were solved
// with. They are drawn when a space is written, so that asking is quick.
type randomWords struct {
	Transport ot.Settings `json:"transport"`
	Distances []float32   `json:"distances"`
}

// check returns an error for what drawWords does not return.
func (r *randomWords) check() error {
	if r == nil {
		return nil
	}
	if len(r.Distances) != RandomPairs || !slices.IsSorted(r.Distances) || r.Distances[0] < 0 {
		return fmt.Errorf("the distances of random words are not %d ascending numbers from 0",
			RandomPairs)
	}
	return nil
}

// drawWords computes what a space keeps.
func (s *Space) drawWords(ctx context.Context) (*randomWords, error) {
	distances, err := s.randomDistances(ctx, 0, 0)
	if err != nil {
		return nil, err
	}
	r := &randomWords{Transport: s.Settings.Transport, Distances: make([]float32, len(distances))}
	for i, d := range distances {
		r.Distances[i] = float32(d)
	}
	return r, nil
}
