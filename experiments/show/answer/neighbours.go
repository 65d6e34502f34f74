package answer

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"contextmover/cmdlib"
	"contextmover/cmdlib/search"
	"contextmover/experiments/show/convergence"
	"contextmover/experiments/show/render"
)

// Neighbours are the words nearest to a word or text.
type Neighbours struct {
	Text string `json:"text"`
	*cmdlib.Neighbours
	// Sentences says how a method of transport combined the words of a longer text; empty for single words.
	Sentences cmdlib.Combination `json:"sentences,omitempty"`
	*convergence.Worst
	Seconds float64 `json:"seconds"` // that the search took

	vectors bool
}

// Nearest returns the n words nearest to a word or text. Its errors are those of cmdlib.Space.Neighbours.
func Nearest(ctx context.Context, s *cmdlib.Space, text string, n int) (*Neighbours, error) {
	start := time.Now()
	found, err := s.Neighbours(ctx, text, n)
	if err != nil {
		return nil, err
	}
	a := &Neighbours{
		Text: text, Neighbours: found, Seconds: time.Since(start).Seconds(), vectors: s.ByVectors(text),
	}
	if !a.vectors && len(found.Words)+len(found.Unknown) != 1 {
		a.Sentences = s.Settings.Sentence.Combination
	}
	return a, nil
}

// Words are neighbours in a line.
func Words(list []cmdlib.Neighbour) string {
	var words []string
	for _, n := range list {
		words = append(words, n.Word)
	}
	return strings.Join(words, ", ")
}

// Left says of words that the space does not know what became of them; "" if there are none.
func (a *Neighbours) Left() string { return unknownWords(a.Unknown, a.vectors) }

// Table shows the words and how far they are.
func (a *Neighbours) Table() *render.Table {
	t := render.NewTable("neighbours", "word", fmt.Sprintf("Nearest to %q by %s", a.Text, a.Method))
	t.Plain("", 4, "distance")
	if left := a.Left(); left != "" {
		t.Notes = append(t.Notes, sentence(left))
	}
	for _, n := range a.Nearest {
		t.Add("", n.Word, n.Word, render.Number(n.Distance))
	}
	return t
}

// Found are the sentences or documents nearest to a query.
type Found struct {
	Query  string `json:"query"`
	Method string `json:"method"`
	*search.Found
	*convergence.Worst
	Seconds float64 `json:"seconds"` // that the search took
}

// Left says of words that the space does not know what became of them; "" if there are none.
func (a *Found) Left() string { return unknownWords(a.Unknown, false) }

// Table shows each sentence with its place and how far it is.
func (a *Found) Table() *render.Table {
	t := render.NewTable("found", "sentence", fmt.Sprintf("Nearest to %q by %s", a.Query, a.Method))
	t.Plain("", 0, "where")
	t.Plain("", 4, "distance")
	for i, h := range a.Nearest {
		where := render.Cell{Text: fmt.Sprintf("%s:%d", h.Path, h.Number)}
		t.Add("", strconv.Itoa(i), h.Text, where, render.Number(h.Distance))
	}
	if left := a.Left(); left != "" {
		t.Notes = append(t.Notes, sentence(left))
	}
	t.Notes = append(t.Notes, fmt.Sprintf("%d sentences are compared.", a.Compared))
	return t
}
