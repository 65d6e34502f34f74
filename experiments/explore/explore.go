// Package explore shows what a space says of two words or texts while they are typed. It shows their distance and
// what it means, the words and contexts behind it, each side's neighbours, and pictures that can be saved and made
// again by a command. An Explorer answers; Handler is the same as a page with its requests, for a browser.
package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot"
	"contextmover/experiments/paper/figures"
	"contextmover/experiments/show/answer"
	"contextmover/experiments/show/figure"
	"contextmover/internal/printable"
)

// MostWords is the number of words that a text may have here, mostBytes its length.
const (
	MostWords = 100
	mostBytes = 4000
)

// The slider goes from the space's λ divided by smaller to λ times
// larger. Beyond that distances tell nothing new, or take too long.
const (
	smaller = 20
	larger  = 10
	// rounded allows for the two digits that the page gives λ.
	rounded = 1.1
)

// mostSolved is the usual bound of an Explorer. More iterations leave fewer problems, but
// leastSolved. At the usual λ about 128 are needed; at ten times that bounds rule nothing out.
const (
	mostSolved  = 1024
	leastSolved = 50
)

// Question is what is asked of a space.
type Question struct {
	From, To string
	// Method is one of cmdlib.Askable; empty for that of transport where Reg or Sentences are given, else for what the
	// space records as its default.
	Method string
	// Solution's λ is within what the slider has; 0 and an empty combination are the space's.
	Solution
}

// Solution is what distances by transport are computed with.
type Solution struct {
	Reg float64 `json:"reg"` // λ
	// Sentences says how the words of a text combine: a key of Combinations.
	Sentences string `json:"sentences"`
}

// Combinations are the names of the ways to combine words, as --sentences has them.
var Combinations = map[string]cmdlib.Combination{
	"average": cmdlib.Average, "barycenter": cmdlib.Barycenter, "debiased": cmdlib.DebiasedBarycenter,
}

// combinationName is the key of a combination.
func combinationName(c cmdlib.Combination) string {
	for name, combination := range Combinations {
		if combination == c {
			return name
		}
	}
	panic(fmt.Sprintf("explore: a combination %q without a name", c))
}

// A Mistake is an error of who asks, in words for them.
type Mistake struct {
	// Field is what to mend: "from", "to" or empty.
	Field string
	err   error
}

func (m *Mistake) Error() string {
	text := strings.TrimSuffix(printable.Message(m.err), ".")
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

func (m *Mistake) Unwrap() error { return m.err }

func mistake(field, format string, args ...any) error {
	return &Mistake{field, fmt.Errorf(format, args...)}
}

// Explorer answers questions about a space. It may be used from several goroutines at once.
type Explorer struct {
	space *cmdlib.Space
	draw  *figures.OfSpace // without a map, which is made beside it
	name  string
	// flags are those of the commands that ask this space.
	flags []string
	// mostSolved bounds the transport problems of a search over all words, at the space's own number of iterations.
	mostSolved int

	mapped *figures.OfSpace
	engine ot.Engine     // prepared for the cost of the space
	ready  chan struct{} // closed once mapped has its map, or mapErr says why not
	mapErr error
}

// New returns an explorer of the space that draw draws, with its engine. Flags are those with which commands
// find the same space. It begins to make the map of the contexts, until ctx ends.
func New(ctx context.Context, draw *figures.OfSpace, flags ...string) *Explorer {
	x := &Explorer{space: draw.Space, draw: draw, mapped: draw.Asked(draw.Space), name: draw.Name, flags: flags,
		engine: draw.Engine.Prepare(draw.Space.Cost), mostSolved: mostSolved, ready: make(chan struct{})}
	go func() {
		defer close(x.ready)
		x.mapErr = x.mapped.Map(ctx)
	}()
	return x
}

// Wait waits until the explorer needs its space no more of itself, as before the space is closed.
func (x *Explorer) Wait() { <-x.ready }

// asked is a question that has been checked, with the space that answers it.
type asked struct {
	Question
	*cmdlib.Space
	override cmdlib.Override
}

// ask checks a question.
func (x *Explorer) ask(q Question) (*asked, error) {
	for _, side := range []struct{ field, name, text string }{{"from", "first", q.From}, {"to", "second", q.To}} {
		if strings.TrimSpace(side.text) == "" {
			return nil, mistake(side.field, "The %s text is empty: type a word or a sentence.", side.name)
		}
		if len(side.text) > mostBytes {
			return nil, mistake(side.field, "The %s text is too long: expected at most %d letters.",
				side.name, mostBytes)
		}
		if n := len(corpus.Tokenise(side.text)); n > MostWords {
			return nil, mistake(side.field, "The %s text has %d words: expected at most %d, more cannot be seen.",
				side.name, n, MostWords)
		}
	}
	own := x.space.Settings
	o := cmdlib.Override{MostSolved: x.mostSolved}
	if q.Reg != 0 && q.Reg != own.Transport.Reg {
		lowest, highest := own.Transport.Reg/smaller, own.Transport.Reg*larger
		if !(q.Reg >= lowest/rounded && q.Reg <= highest*rounded) {
			return nil, mistake("", "The λ %v is out of range: expected %.2g to %.2g for this space, whose own is "+
				"%v.", q.Reg, lowest, highest, own.Transport.Reg)
		}
		o.Reg = q.Reg
		if q.Reg < own.Transport.Reg {
			// A smaller λ takes as many times the iterations.
			o.MostSolved = max(int(float64(x.mostSolved)*q.Reg/own.Transport.Reg), leastSolved)
		}
	}
	if q.Sentences != "" {
		c, ok := Combinations[q.Sentences]
		if !ok {
			return nil, mistake("", "%q is no way to combine words: expected average, barycenter or debiased.",
				q.Sentences)
		}
		if c != own.Sentence.Combination {
			o.Combination = c
		}
	}
	switch o.Method = q.Method; {
	case q.Method != "":
	case q.Reg != 0 || q.Sentences != "":
		o.Combination = cmp.Or(Combinations[q.Sentences], own.Sentence.Combination)
	default:
		o.Method = x.space.Default(q.From, q.To)
	}
	space, err := x.space.Asked(o, x.engine)
	if err != nil {
		return nil, &Mistake{"", err}
	}
	return &asked{q, space, o}, nil
}

// plain makes a mistake of an error about unknown words.
func plain(q Question, err error) error {
	var unknown *cmdlib.UnknownError
	if !errors.As(err, &unknown) {
		return err
	}
	field := "from"
	if unknown.Text == q.To || slices.Equal(unknown.Words, corpus.Tokenise(q.To)) ||
		slices.Equal(unknown.Words, []string{q.To}) {
		field = "to"
	}
	return &Mistake{field, err}
}

// Answer is what is told at once.
type Answer struct {
	Distance float64 `json:"distance"`
	// Method is what was compared by, Sum the sum that the distance is one minus: nil of methods of transport.
	Method string       `json:"method"`
	Sum    *answer.View `json:"sum,omitempty"`
	// Warning says that the distance is not to be trusted, and why.
	Warning string `json:"warning,omitempty"`
	// Solution is what was used.
	Solution
	From Side `json:"from"`
	To   Side `json:"to"`
	// Contexts are the clusters with most of the mass of two single words, side by side; none where a text is compared.
	Contexts []Shared `json:"contexts,omitempty"`
	// Command prints the same.
	Command string `json:"command"`
	// Views are the pictures, as Draw names them, with the commands that make them.
	Views []View `json:"views"`
}

// Side is one of the two.
type Side struct {
	Unknown  []string         `json:"unknown,omitempty"`
	Contexts []cmdlib.Context `json:"contexts,omitempty"`
}

// Shared is a cluster of contexts and the mass that each of two words has there.
type Shared struct {
	Name []string `json:"name"`
	From float64  `json:"from"`
	To   float64  `json:"to"`
}

// View is a picture.
type View struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	// Says tells what is seen.
	Says    string `json:"says"`
	Command string `json:"command"`
}

// views are the pictures: their names, which are those of the commands, and titles.
var views = []View{
	{
		Name: wordByWord, Title: "Word by word",
		Says: "The words by their contexts. Bars and numbers: the share of the mass that a word brings. Colours: " +
			"what it costs to move it. Bands: the largest flows.",
	},
	{Name: "density", Title: "Place on the map of contexts", Says: "All contexts of the space, near ones side by " +
		"side, and where each of the two has its mass."},
	{Name: "flow", Title: "The plan between contexts", Says: "What moves from the strongest contexts of the first " +
		"to those of the second. Wider bands: more mass."},
}

// wordByWord is the view of texts that two single words do not have.
const wordByWord = "sentences"

const (
	// sumPairs is the number of pairs of words told of a cosine.
	sumPairs = 12
	// sideContexts is the number of contexts told of each side, sharedContexts that of those side by side.
	sideContexts   = 5
	sharedContexts = 12
)

// Ask tells the distance and what is behind it. A question that cannot be answered is a *Mistake.
func (x *Explorer) Ask(ctx context.Context, q Question) (*Answer, error) {
	s, err := x.ask(q)
	if err != nil {
		return nil, err
	}
	c, err := answer.Explain(ctx, s.Space, q.From, q.To, sideContexts)
	if err != nil {
		return nil, plain(q, err)
	}
	if c.Sum != nil {
		if err := c.Stand(ctx); err != nil {
			return nil, err
		}
		a := &Answer{
			Distance: c.Distance, Method: c.Method, Sum: c.View(sumPairs), From: Side{Unknown: c.From.Unknown},
			To: Side{Unknown: c.To.Unknown}, Command: x.command(s, []string{"repro", "explain"}),
		}
		// The contexts are those of the same words, unless they have vectors alone.
		e, err := s.ByTransport().Explain(ctx, q.From, q.To, sideContexts)
		switch {
		case errors.As(err, new(*cmdlib.UnknownError)):
			return a, nil
		case len(c.From.Terms)+len(c.To.Terms) > 2:
			a.Views = x.pictures(s, views[:1])
		case err == nil:
			a.Contexts, a.Views = shared(s, e), x.pictures(s, views[1:2])
		}
		return a, err
	}
	e := c.Of
	a := &Answer{
		Distance: e.Distance, Method: e.Method,
		Solution: Solution{s.Settings.Transport.Reg, combinationName(s.Settings.Sentence.Combination)},
		From:     Side{e.From.Unknown, answer.Brought(e.From.Contexts)},
		To:       Side{e.To.Unknown, answer.Brought(e.To.Contexts)},
		Command:  x.command(s, []string{"repro", "explain"}),
	}
	if !ot.Settled(e.MarginalError, 0) {
		a.Warning = fmt.Sprintf("Transport has not converged (marginal error %.2g): do not trust this number. A "+
			"larger λ helps.", e.MarginalError)
	}
	if len(e.From.Words)+len(e.From.Unknown)+len(e.To.Words)+len(e.To.Unknown) == 2 {
		a.Contexts = shared(s, e)
	}
	a.Views = x.pictures(s, views)
	if a.Contexts != nil {
		a.Views = a.Views[1:]
	}
	return a, nil
}

// pictures are some of the views, with their commands.
func (x *Explorer) pictures(s *asked, some []View) []View {
	some = slices.Clone(some)
	for i, v := range some {
		some[i].Command = x.command(s, []string{"repro", "figure", v.Name}, "--out", v.Name+".svg")
	}
	return some
}

// shared returns the clusters where the two of an explanation have most mass, those first where the first has more.
func shared(s *asked, e *cmdlib.Comparison) []Shared {
	a, b := e.From.Histogram, e.To.Histogram
	bins := make([]int, len(a))
	for i := range bins {
		bins[i] = i
	}
	bins = slices.DeleteFunc(bins, func(bin int) bool {
		_, telling := s.Name(bin, 1)
		return !telling || a[bin] == 0 && b[bin] == 0
	})
	slices.SortStableFunc(bins, func(i, j int) int { return cmp.Compare(max(a[j], b[j]), max(a[i], b[i])) })
	bins = bins[:min(sharedContexts, len(bins))]
	slices.SortStableFunc(bins, func(i, j int) int { return cmp.Compare(a[j]-b[j], a[i]-b[i]) })
	var list []Shared
	for _, bin := range bins {
		name, _ := s.Name(bin, 3)
		list = append(list, Shared{name, float64(a[bin]), float64(b[bin])})
	}
	return list
}

// Standing is what a distance means.
type Standing struct {
	*cmdlib.Standing
	Text string `json:"text"`
}

// Near are the words nearest to one side.
type Near struct {
	Words []cmdlib.Neighbour `json:"words"`
	// Note says which words were left out, if any were.
	Note string `json:"note,omitempty"`
}

// neighbours is the number of words told for each side.
const neighbours = 10

// Standing tells what the distance means. It takes a little longer than Ask.
func (x *Explorer) Standing(ctx context.Context, q Question) (*Standing, error) {
	s, err := x.ask(q)
	if err != nil {
		return nil, err
	}
	c, err := s.Compare(ctx, q.From, q.To)
	if err != nil {
		return nil, plain(q, err)
	}
	standing, err := c.Standing(ctx)
	if err != nil {
		return nil, err
	}
	return &Standing{standing, standing.Text(quoted(q.From), quoted(q.To))}, nil
}

// Near tells the words nearest to a side, "from" or "to". It takes a little longer than Ask.
func (x *Explorer) Near(ctx context.Context, q Question, side string) (*Near, error) {
	s, err := x.ask(q)
	if err != nil {
		return nil, err
	}
	text, ok := map[string]string{"from": q.From, "to": q.To}[side]
	if !ok {
		return nil, mistake("", "There is no side %q: expected from or to.", side)
	}
	found, err := s.Neighbours(ctx, text, neighbours)
	if err != nil {
		return nil, plain(q, err)
	}
	n := &Near{Words: found.Nearest}
	if found.Unfinished {
		n.Note = fmt.Sprintf("Of %d words the likeliest %d were compared: all would take long at this λ.",
			found.Compared, found.Solved)
	}
	return n, nil
}

// quoted is a text as it is named in a sentence.
func quoted(text string) string {
	const most = 40
	text = strings.Join(strings.Fields(text), " ")
	if letters := []rune(text); len(letters) > most {
		text = strings.TrimRight(string(letters[:most]), " ") + "…"
	}
	return "“" + text + "”"
}

// flowContexts is the number of contexts that a flow shows of each side.
const flowContexts = 10

// Draw draws a view. One that is not there is a *Mistake, as in Ask.
func (x *Explorer) Draw(ctx context.Context, view string, q Question) (*figure.Figure, error) {
	s, err := x.ask(q)
	if err != nil {
		return nil, err
	}
	draw := x.draw
	if view == "density" {
		draw = x.mapped
		select {
		case <-x.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if x.mapErr != nil {
			return nil, x.mapErr
		}
	}
	draw = draw.Asked(s.Space)
	var f *figure.Figure
	switch view {
	case "sentences":
		f, err = draw.Sentences(ctx, view, q.From, q.To)
	case "flow":
		f, err = draw.Flow(ctx, view, q.From, q.To, flowContexts)
	case "density":
		f, err = draw.Density(ctx, view, []string{q.From, q.To})
	default:
		return nil, mistake("", "There is no view %q.", view)
	}
	if err != nil {
		return nil, plain(q, err)
	}
	return f, nil
}

// command is the command that asks the same.
func (x *Explorer) command(s *asked, words []string, more ...string) string {
	words = append(words, x.flags...)
	name, reg := s.Default(s.From, s.To), s.override.Reg
	if words[1] == "figure" {
		// So that words of a profile are drawn as they are asked here.
		name, reg = s.ByTransport().DefaultMethod(), s.Settings.Transport.Reg
	}
	if reg != 0 {
		name += ",reg=" + strconv.FormatFloat(reg, 'g', -1, 64)
	}
	words = append(words, "--method", name)
	words = append(words, more...)
	if strings.HasPrefix(s.From, "-") || strings.HasPrefix(s.To, "-") {
		words = append(words, "--")
	}
	words = append(words, s.From, s.To)
	for i, w := range words {
		words[i] = printable.Shell(w)
	}
	return strings.Join(words, " ")
}

// Examples are pairs of texts whose words are all in the space, from small to large. The page begins with the first.
func (x *Explorer) Examples() [][2]string {
	known := slices.DeleteFunc([][2]string{
		{"rock", "music"}, {"violin", "she played the piano"},
		{"a cat chased the mouse", "the kitten ran after a rat"},
	}, func(pair [2]string) bool {
		return slices.ContainsFunc(corpus.Tokenise(pair[0]+" "+pair[1]), func(w string) bool { return !x.space.Has(w) })
	})
	if len(known) > 0 {
		return known
	}
	var found []string
	for _, word := range x.space.Words {
		if len(word) > 3 && x.space.Has(word) && len(corpus.Tokenise(word)) == 1 {
			if found = append(found, word); len(found) == 2 {
				return [][2]string{[2]string(found)}
			}
		}
	}
	return [][2]string{{x.space.Words[0], x.space.Words[len(x.space.Words)-1]}}
}
