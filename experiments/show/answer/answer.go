// Package answer has the answers of a space as they are shown: each is one struct, which is JSON for programs and the
// browser, and has one Table for terminals and notebooks.
package answer

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/ot"
	"contextmover/experiments/show/convergence"
	"contextmover/experiments/show/render"
)

// Comparison is how far two words or texts are from each other, and with what Explain adds, why.
type Comparison struct {
	*cmdlib.Comparison
	Standing *cmdlib.Standing `json:"standing"`
	// Sentences says how a method of transport combined the words of a longer text; empty for single words.
	Sentences cmdlib.Combination `json:"sentences,omitempty"`

	// Kind is what a similarity of vectors is: a "cosine", or the "similarity" of nearest words.
	Kind string `json:"kind,omitempty"`
	// People is what people say of pairs of texts with this similarity,
	// of 0 to Most; nil for words and in a space that does not know.
	People *float64 `json:"people,omitempty"`
	Most   float64  `json:"people_most,omitempty"`
	// Links are pairs of words that mean the same, by their positions: an alignment of the texts, which says what the
	// number does not. Only an explanation by vectors has them.
	Links [][2]int `json:"links,omitempty"`

	*convergence.Worst // of the problems that were solved, if that is asked for

	space *cmdlib.Space
}

// Single reports whether two single words are compared, by a method of transport.
func (a *Comparison) Single() bool { return single(a.From) && single(a.To) }

// single reports whether a side is one word, to a method of transport.
func single(s cmdlib.Side) bool { return len(s.Words)+len(s.Unknown) == 1 }

// Compare returns how far two words or texts are from each other. Stand says what that means. Its errors are those of
// cmdlib.Space.Compare.
func Compare(ctx context.Context, s *cmdlib.Space, from, to string) (*Comparison, error) {
	c, err := s.Compare(ctx, from, to)
	if err != nil {
		return nil, err
	}
	return compared(s, c), nil
}

// Explain returns what Compare returns, and why: words that mean the same, or n contexts of each side and n flows of
// each kind. Its errors are those of cmdlib.Space.Explain.
func Explain(ctx context.Context, s *cmdlib.Space, from, to string, n int) (*Comparison, error) {
	c, err := s.Explain(ctx, from, to, n)
	if err != nil {
		return nil, err
	}
	a := compared(s, c)
	if a.Sum == nil {
		return a, nil
	}
	aligned, err := cmdlib.Align(ctx, s, from, to)
	if err != nil {
		return nil, err
	}
	for _, l := range aligned.Links {
		a.Links = append(a.Links, [2]int{l.Source, l.Target})
	}
	return a, nil
}

func compared(s *cmdlib.Space, c *cmdlib.Comparison) *Comparison {
	a := &Comparison{Comparison: c, space: s}
	switch {
	case c.Sum != nil && c.Removed == nil:
		a.Kind = "similarity"
	case c.Sum != nil:
		a.Kind = "cosine"
	case !a.Single():
		a.Sentences = s.Settings.Sentence.Combination
	}
	return a
}

// Stand finds out what the number means, which takes comparisons with other words or texts. Notes, View and Table are
// to be asked for after it. Its errors are those of cmdlib.Comparison.Standing.
func (a *Comparison) Stand(ctx context.Context) (err error) {
	a.Standing, err = a.Comparison.Standing(ctx)
	calibration := a.space.Calibration
	if err != nil || a.Sum == nil || calibration == nil || !a.Standing.Texts ||
		cmp.Or(calibration.Method, cmdlib.SIF) != a.Method {
		return err
	}
	people := calibration.At(a.Similarity)
	a.People, a.Most = &people, calibration.Highest
	return nil
}

// linked lists the words of two texts that mean the same, without pairs of function words; "" for single words and
// where nothing is linked.
func (a *Comparison) linked() string {
	if len(a.From.Terms)+len(a.To.Terms) == 2 {
		return ""
	}
	all := int64(0)
	for _, n := range a.space.Counts {
		all += n
	}
	// A function word, such as "the", is one in 300 of all words or more.
	function := func(t cmdlib.Term) bool {
		id, ok := a.space.ID(t.Text)
		return ok && 300*a.space.Counts[id] > all
	}
	var words []string
	for _, l := range a.Links {
		if from, to := a.From.Terms[l[0]], a.To.Terms[l[1]]; !function(from) || !function(to) {
			words = append(words, from.Text+" – "+to.Text)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "Alignment of words, by partial transport between them: " + strings.Join(words, ", ") + "."
}

// Notes are what the number means, a sentence each without a full stop.
func (a *Comparison) Notes() []string {
	notes := []string{a.Standing.Text(a.From.Text, a.To.Text)}
	if a.People != nil {
		notes = append(notes, a.space.Calibration.Text(a.Similarity))
	}
	return notes
}

// Unknown says of words that the space does not know what became of them; "" if there are none.
func (a *Comparison) Unknown() string {
	unknown := slices.Concat(a.From.Unknown, a.To.Unknown)
	slices.Sort(unknown)
	return unknownWords(slices.Compact(unknown), a.Sum != nil)
}

// Warning says that a distance by transport is not to be trusted, and why; "" if it is.
func (a *Comparison) Warning() string {
	if a.Sum != nil || ot.Settled(a.Result.MarginalError, 0) {
		return ""
	}
	return fmt.Sprintf("Warning: %s; the marginals are off by %.1e after %d iterations.",
		convergence.Unconverged, a.Result.MarginalError, a.Result.Iterations)
}

// unknownWords says what became of words that the space does not know; "" if there are none.
func unknownWords(words []string, vectors bool) string {
	switch {
	case len(words) == 0:
		return ""
	case vectors:
		return "unknown words have vectors of their own, which only the same word shares: " + strings.Join(words, " ")
	}
	return "unknown words are left out: " + strings.Join(words, " ")
}

// View is a similarity of vectors as it is shown. Pairs and Sums add up to it.
type View struct {
	Kind  string `json:"kind"` // that of Comparison
	Title string `json:"title"`
	// Pairs are those of words that bring most, Sums what all others bring, what components take, and the sum.
	Pairs []Part `json:"pairs"`
	Sums  []Part `json:"sums"`
	// Notes say what the number means, a sentence each.
	Notes []string `json:"notes"`
}

// Part is what a pair of words, or several, brings to the similarity.
type Part struct {
	From   string  `json:"from"`
	To     string  `json:"to,omitempty"`
	Brings float64 `json:"brings"`
	// Percent is that of the similarity, nil where that is not above 0.
	Percent *float64 `json:"percent,omitempty"`
}

// View shows the n pairs of words that bring most, what all others bring, and what components take. It is of a
// comparison of vectors, and panics for another one.
func (a *Comparison) View(n int) *View {
	v := &View{Kind: a.Kind, Title: fmt.Sprintf("%q and %q: %s %.4f, distance %.4f",
		a.From.Text, a.To.Text, a.Kind, a.Similarity, a.Distance)}
	part := func(from, to string, value float64) Part {
		p := Part{From: from, To: to, Brings: value}
		if a.Similarity > 0 {
			share := 100 * value / a.Similarity
			p.Percent = &share
		}
		return p
	}
	top := a.Largest(n)
	rest := a.PairsAmount()
	for _, at := range top {
		value := a.Pairs[at[0]][at[1]]
		rest -= value
		v.Pairs = append(v.Pairs, part(a.From.Terms[at[0]].Text, a.To.Terms[at[1]].Text, value))
	}
	others := -len(top)
	for _, row := range a.Pairs {
		for _, x := range row {
			if x != 0 {
				others++
			}
		}
	}
	if others > 0 {
		v.Sums = append(v.Sums, part(fmt.Sprintf("others: %d", others), "", rest))
	}
	if a.Removed != nil {
		removed := 0.0
		for _, x := range a.Removed {
			removed += x
		}
		v.Sums = append(v.Sums, part("in common with all texts", "", removed))
	}
	v.Sums = append(v.Sums, part("sum: the "+a.Kind, "", a.Similarity))
	for _, note := range append(a.Notes(), a.linked(), a.Unknown()) {
		if note != "" {
			v.Notes = append(v.Notes, sentence(note))
		}
	}
	return v
}

// sentence is a note with a capital letter and a full stop.
func sentence(note string) string {
	return strings.ToUpper(note[:1]) + strings.TrimSuffix(note[1:], ".") + "."
}

// Table shows the number, what it is made of, and what it means: of a cosine the n pairs of words that bring most; of
// the transport of two single words the plan between their contexts, of that of texts its largest flows. It is of what
// Explain returns.
func (a *Comparison) Table(n int) *render.Table {
	explains := "It explains what repro distance prints with --method " + a.Method
	switch {
	case a.Sum != nil:
		notes := []string{fmt.Sprintf("%s: %.6g, 1 − the %s.", explains, a.Distance, a.Kind)}
		if len(a.From.Terms) == 1 && len(a.To.Terms) == 1 {
			notes = append(notes, "One pair of words explains nothing: --method average shows the contexts.")
		}
		return a.View(n).Table(notes...)
	case a.Single():
		return a.planTable(explains + ".")
	}
	return a.flowTable(explains + ".")
}

// Table shows the view, with more notes before its own.
func (v *View) Table(notes ...string) *render.Table {
	t := render.NewTable("pairs", "word", v.Title, append(notes, v.Notes...)...)
	t.Plain("", 0, "and")
	t.Plain("", 4, "brings")
	t.Plain("", 1, "% of the "+v.Kind)
	block := func(title string, parts []Part) {
		for i, p := range parts {
			share := render.Cell{Text: "–"}
			if p.Percent != nil {
				share = render.Cell{Value: p.Percent}
			}
			t.Add(title, fmt.Sprintf("%s-%d", title, i), p.From,
				render.Cell{Text: p.To}, render.Number(p.Brings), share)
		}
	}
	block("the pairs of words that bring most", v.Pairs)
	block("and", v.Sums)
	return t
}
