// Package explore answers from a space about words and texts while they are typed: the neighbours and contexts of one,
// how far two are apart, what that means and which words and contexts are behind it, pictures that can be saved and
// made again by a command, and the sentences of a text that are nearest. An Explorer answers; Handler is the same as a
// page with its requests, for a browser.
package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/search"
	"contextmover/experiments/paper/figures"
	"contextmover/experiments/show/answer"
	"contextmover/experiments/show/figure"
	"contextmover/internal/atomicfile"
	"contextmover/internal/printable"
)

// MostWords is the number of words that a text may have here, mostBytes its length; mostSearched is the length of the
// text that is searched.
const (
	MostWords    = 100
	mostBytes    = 4000
	mostSearched = 100_000
)

// Question is what is asked of a space.
type Question struct {
	From string
	To   string // empty to ask about From alone
	// Method is one of cmdlib.Askable; empty for what the space records as its default.
	Method string
}

// Texts are the one or two that are asked about.
func (q Question) Texts() []string {
	if strings.TrimSpace(q.To) == "" {
		return []string{q.From}
	}
	return []string{q.From, q.To}
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
	flags  []string
	mapped *figures.OfSpace
	engine ot.Engine     // prepared for the cost of the space
	ready  chan struct{} // closed once mapped has its map, or mapErr says why not
	mapErr error
}

// New returns an explorer of the space that draw draws, with its engine. Flags are those with which commands
// find the same space. It begins to make the map of the contexts, until ctx ends.
func New(ctx context.Context, draw *figures.OfSpace, flags ...string) *Explorer {
	x := &Explorer{space: draw.Space, draw: draw, mapped: draw.With(draw.Space), name: draw.Name, flags: flags,
		engine: draw.Engine.Prepare(draw.Space.Cost), ready: make(chan struct{})}
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
}

// ask checks a question.
func (x *Explorer) ask(q Question) (*asked, error) {
	if strings.TrimSpace(q.From) == "" {
		return nil, mistake("from", "The first text is empty: type a word or a sentence.")
	}
	for _, side := range []struct{ field, name, text string }{{"from", "first", q.From}, {"to", "second", q.To}} {
		if len(side.text) > mostBytes {
			return nil, mistake(side.field, "The %s text is too long: expected at most %d letters.",
				side.name, mostBytes)
		}
		if n := len(corpus.Tokenise(side.text)); n > MostWords {
			return nil, mistake(side.field, "The %s text has %d words: expected at most %d, more cannot be seen.",
				side.name, n, MostWords)
		}
	}
	o := cmdlib.Options{Method: cmp.Or(q.Method, x.space.Default(q.Texts()...)), Engine: x.engine}
	space, err := x.space.With(o)
	if err != nil {
		return nil, &Mistake{"", err}
	}
	return &asked{q, space}, nil
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

// Answer is what is told at once. Of one word or text it has the contexts of From alone.
type Answer struct {
	Distance float64 `json:"distance"`
	// Method is what was compared by, Sum the sum that the distance is one minus: nil of methods of transport.
	Method string       `json:"method"`
	Sum    *answer.View `json:"sum,omitempty"`
	// Warning says that the distance is not to be trusted, and why.
	Warning string      `json:"warning,omitempty"`
	From    cmdlib.Side `json:"from"`
	To      cmdlib.Side `json:"to"`
	// Contexts are the clusters with most of the mass of two single words, side by side; none where a text is compared.
	Contexts []Shared `json:"contexts,omitempty"`
	// Command prints the same.
	Command string `json:"command"`
	// Views are the pictures, as Draw names them, with the commands that make them.
	Views []View `json:"views"`
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
		"side, and where the mass is."},
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
	texts := q.Texts()
	// The contexts are those of the same words, unless they have vectors alone.
	e, err := answer.Explain(ctx, s.ByTransport(), texts[0], texts[len(texts)-1], sideContexts)
	if s.ByVectors() && errors.As(err, new(*cmdlib.UnknownError)) {
		e, err = nil, nil
	}
	if err != nil {
		return nil, plain(q, err)
	}
	if e != nil {
		e.From.Contexts, e.To.Contexts = answer.Brought(e.From.Contexts), answer.Brought(e.To.Contexts)
	}
	if len(texts) == 1 {
		a := &Answer{Method: s.Default(), Command: x.command(s, []string{"repro", "neighbours"})}
		if e != nil {
			a.From, a.Views = e.From, x.pictures(s, "density")
		}
		return a, nil
	}

	c := e
	if s.ByVectors() {
		if c, err = answer.Explain(ctx, s.Space, q.From, q.To, sideContexts); err == nil {
			err = c.Stand(ctx)
		}
		if err != nil {
			return nil, plain(q, err)
		}
	}
	a := &Answer{
		Distance: c.Distance, Method: c.Method, Warning: c.Warning(), From: c.From, To: c.To,
		Command: x.command(s, []string{"repro", "explain"}),
	}
	if c.Sum != nil {
		a.Sum = c.View(sumPairs)
	}
	switch {
	case e == nil:
	case e.Single():
		a.Contexts = shared(s, e)
		if a.Views = x.pictures(s, "density"); c.Sum == nil {
			a.Views = x.pictures(s, "density", "flow")
		}
	case c.Sum != nil:
		a.Views = x.pictures(s, wordByWord)
	default:
		a.Views = x.pictures(s, wordByWord, "density", "flow")
	}
	return a, nil
}

// pictures are the views of some names, with their commands.
func (x *Explorer) pictures(s *asked, names ...string) (some []View) {
	for _, v := range views {
		if slices.Contains(names, v.Name) {
			v.Command = x.command(s, []string{"repro", "figure", v.Name}, "--out", v.Name+".svg")
			some = append(some, v)
		}
	}
	return some
}

// shared returns the clusters where the two of an explanation have most mass, those first where the first has more.
func shared(s *asked, e *answer.Comparison) []Shared {
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

// neighbours is the number of words told for each side, and of sentences found.
const neighbours = 10

// Standing tells what the distance means. It takes a little longer than Ask.
func (x *Explorer) Standing(ctx context.Context, q Question) (*Standing, error) {
	s, err := x.ask(q)
	if err != nil {
		return nil, err
	}
	c, err := answer.Compare(ctx, s.Space, q.From, q.To)
	if err == nil {
		err = c.Stand(ctx)
	}
	if err != nil {
		return nil, plain(q, err)
	}
	return &Standing{c.Standing, strings.Join(c.Notes(), "; ")}, nil
}

// Near tells the words nearest to a side, "from" or "to". It takes a little longer than Ask.
func (x *Explorer) Near(ctx context.Context, q Question, side string) ([]cmdlib.Neighbour, error) {
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
	return found.Nearest, nil
}

// Search finds the sentences of a text that are nearest to the first text of a question, as repro search does.
func (x *Explorer) Search(ctx context.Context, q Question, text string) (*search.Found, error) {
	if _, err := x.ask(q); err != nil {
		return nil, err
	}
	if len(text) > mostSearched {
		return nil, mistake("text", "The text is too long: expected at most %d letters. Search it with repro search "+
			"--in FILE.", mostSearched)
	}
	dir, release, err := atomicfile.Temporary("repro-explore", 0)
	if err != nil {
		return nil, err
	}
	defer release()
	in, at := corpus.Text{Files: []string{filepath.Join(dir, "text")}, SplitDots: true}, filepath.Join(dir, "index")
	if err := atomicfile.WriteBytes(in.Files[0], []byte(text)); err != nil {
		return nil, err
	}
	if in.Layout, err = corpus.DetectLayout(in.Files); err != nil {
		return nil, &Mistake{"text", err}
	}
	if _, err := search.Write(ctx, at, x.space, in, "", nil); err != nil {
		return nil, &Mistake{"text", err}
	}
	index, err := search.Open(at, x.space)
	if err != nil {
		return nil, err
	}
	defer index.Close()
	found, err := index.Search(ctx, q.From, search.Options{N: neighbours})
	return found, plain(q, err)
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
	draw = draw.With(s.Space)
	var f *figure.Figure
	switch view {
	case "sentences":
		f, err = draw.Sentences(ctx, view, q.From, q.To)
	case "flow":
		f, err = draw.Flow(ctx, view, q.From, q.To, flowContexts)
	case "density":
		f, err = draw.Density(ctx, view, q.Texts())
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
	space := s.Space
	if words[1] == "figure" {
		space = s.ByTransport() // so that words of a profile are drawn as they are asked here
	}
	words = append(words, "--method", space.Default())
	words = append(words, more...)
	if strings.HasPrefix(s.From, "-") || strings.HasPrefix(s.To, "-") {
		words = append(words, "--")
	}
	words = append(words, s.Texts()...)
	for i, w := range words {
		words[i] = printable.Shell(w)
	}
	return strings.Join(words, " ")
}

// Examples are a word and pairs of texts whose words are all in the space, from small to large. The page begins with
// the first.
func (x *Explorer) Examples() [][2]string {
	known := slices.DeleteFunc([][2]string{
		{"rock"}, {"rock", "music"}, {"a cat chased the mouse", "the kitten ran after a rat"},
	}, func(pair [2]string) bool {
		return slices.ContainsFunc(corpus.Tokenise(pair[0]+" "+pair[1]), func(w string) bool { return !x.space.Has(w) })
	})
	if len(known) == 0 {
		words := slices.DeleteFunc(slices.Clone(x.space.Words), func(w string) bool { return !x.space.Has(w) })
		return [][2]string{{words[len(words)/20], words[len(words)/10]}} // those before are function words
	}
	return known
}
