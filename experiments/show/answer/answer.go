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
	"contextmover/experiments/show/convergence"
	"contextmover/experiments/show/render"
)

// Comparison is how far two words or texts are from each other, and with what Explain adds, why.
type Comparison struct {
	Method   string           `json:"method"`
	From     Side             `json:"from"`
	To       Side             `json:"to"`
	Distance float64          `json:"distance"`
	Standing *cmdlib.Standing `json:"standing"`

	// Sentences says how a method of transport combined the words of a longer text; empty for single words.
	Sentences cmdlib.Combination `json:"sentences,omitempty"`
	*Sum
	*Plan
	*convergence.Worst // of the problems that were solved, if that is asked for

	// Compared is what the space returned.
	Compared    *cmdlib.Comparison `json:"-"`
	calibration *cmdlib.Calibration
}

// Sum is a similarity of vectors, of which the distance is 1 minus: the sum of Pairs, the part of each pair of words,
// and Removed.
type Sum struct {
	// Kind is what it is: a "cosine", or the "similarity" of nearest words.
	Kind       string  `json:"kind"`
	Similarity float64 `json:"similarity"`
	// People is what people say of pairs of texts with this similarity,
	// of 0 to Most; nil for words and in a space that does not know.
	People *float64 `json:"people,omitempty"`
	Most   float64  `json:"people_most,omitempty"`
	// Pairs[i][j] is what the words From.Terms[i] and To.Terms[j] bring to it,
	// Removed what the components take that all texts have in common: one number a component.
	Pairs   [][]float64 `json:"pairs"`
	Removed []float64   `json:"removed"`
	// Links are pairs of words that mean the same, by their positions: an alignment of the texts, which says what the
	// number does not. Only an explanation has them.
	Links [][2]int `json:"links,omitempty"`
}

// Plan is the transport plan of an explanation, as in cmdlib.Comparison: Moved and Costs have a row for each of
// From.Contexts and a column for each of To.Contexts.
type Plan struct {
	Stays float64       `json:"stays"`
	Kept  []cmdlib.Flow `json:"kept"`
	Flows []cmdlib.Flow `json:"flows"`
	Moved [][]float64   `json:"plan"`
	Costs [][]float64   `json:"costs"`
}

// Side is one of the two.
type Side struct {
	Text string `json:"text"`
	// Terms are its words where vectors are compared, with those of Unknown, which have vectors of their own; Words are
	// those with an estimate where contexts are, without those of Unknown.
	Terms   []Term   `json:"terms,omitempty"`
	Words   []string `json:"words,omitempty"`
	Unknown []string `json:"unknown,omitempty"`
	// Contexts are those with most mass, of an explanation by transport.
	Contexts []cmdlib.Context `json:"contexts,omitempty"`
}

// single reports whether the side is one word, to a method of transport.
func (s Side) single() bool { return len(s.Words)+len(s.Unknown) == 1 }

// Term is a word and its weight.
type Term struct {
	Word   string  `json:"word"`
	Weight float64 `json:"weight"`

	function bool // it is as frequent as function words are
}

// functionWord is the share of all words of a corpus from which on a word is taken for a function word, such as "the".
const functionWord = 1.0 / 300

func side(s *cmdlib.Space, of cmdlib.Side) Side {
	all := int64(0)
	for _, n := range s.Counts {
		all += n
	}
	seen := Side{Text: of.Text, Words: of.Words, Unknown: of.Unknown, Contexts: of.Contexts}
	for _, t := range of.Terms {
		term := Term{Word: t.Text, Weight: t.Weight}
		if id, ok := s.ID(t.Text); ok {
			term.function = float64(s.Counts[id]) > functionWord*float64(all)
		}
		seen.Terms = append(seen.Terms, term)
	}
	return seen
}

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
	a := &Comparison{
		Method: c.Method, From: side(s, c.From), To: side(s, c.To), Distance: c.Distance, Compared: c,
		calibration: s.Calibration,
	}
	switch {
	case c.Vectors():
		a.Sum = &Sum{Kind: "cosine", Similarity: c.Similarity, Pairs: c.Pairs, Removed: c.Removed}
		if c.Removed == nil {
			a.Kind = "similarity"
		}
		a.From.Words, a.To.Words = nil, nil
		return a
	case c.Plan != nil:
		a.Plan = &Plan{Stays: c.Stays, Kept: c.Kept, Flows: c.Flows, Moved: c.Moved, Costs: c.Costs}
	}
	if !a.From.single() || !a.To.single() {
		a.Sentences = s.Settings.Sentence.Combination
	}
	return a
}

// Stand finds out what the number means, which takes comparisons with other words or texts. Notes, View and Table are
// to be asked for after it. Its errors are those of cmdlib.Comparison.Standing.
func (a *Comparison) Stand(ctx context.Context) (err error) {
	a.Standing, err = a.Compared.Standing(ctx)
	if err != nil || a.Sum == nil || a.calibration == nil || !a.Standing.Texts {
		return err
	}
	if cmp.Or(a.calibration.Method, cmdlib.SIF) != a.Method {
		return nil
	}
	people := a.calibration.At(a.Similarity)
	a.People, a.Most = &people, a.calibration.Highest
	return nil
}

// linked lists the words of two texts that mean the same, without pairs of function words; "" for single words and
// where nothing is linked.
func (a *Comparison) linked() string {
	if len(a.From.Terms)+len(a.To.Terms) == 2 {
		return ""
	}
	var words []string
	for _, l := range a.Links {
		from, to := a.From.Terms[l[0]], a.To.Terms[l[1]]
		if !from.function || !to.function {
			words = append(words, from.Word+" – "+to.Word)
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
	if a.Sum != nil && a.People != nil {
		notes = append(notes, a.calibration.Text(a.Similarity))
	}
	return notes
}

// Unknown says of words that the space does not know what became of them; "" if there are none.
func (a *Comparison) Unknown() string {
	unknown := slices.Concat(a.From.Unknown, a.To.Unknown)
	slices.Sort(unknown)
	return unknownWords(slices.Compact(unknown), a.Sum != nil)
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
	Kind  string `json:"kind"` // that of Sum
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
	top := a.Compared.Largest(n)
	rest := a.Compared.PairsAmount()
	for _, at := range top {
		value := a.Pairs[at[0]][at[1]]
		rest -= value
		v.Pairs = append(v.Pairs, part(a.From.Terms[at[0]].Word, a.To.Terms[at[1]].Word, value))
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
	case a.From.single() && a.To.single():
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
