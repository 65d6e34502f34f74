// Package answer says what a space finds of two words or texts by one of its
// methods, and of what that number is made: one view for whatever shows it.
package answer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/experiments/show/render"
)

// Answer is how far two words or texts are from each other by a cosine of vectors, and why. The number is the sum of
// Pairs, the part of each pair of words, and Removed.
type Answer struct {
	Method string `json:"method"`
	From   Side   `json:"from"`
	To     Side   `json:"to"`
	// Distance is 1 − Cosine.
	Distance float64          `json:"distance"`
	Cosine   float64          `json:"cosine"`
	Standing *cmdlib.Standing `json:"standing"`
	// People is what people say of pairs of texts with this cosine,
	// of 0 to Most; nil for words and in a space that does not know.
	People *float64 `json:"people,omitempty"`
	Most   float64  `json:"people_most,omitempty"`
	// Pairs[i][j] is what the words From.Terms[i] and To.Terms[j] bring to the cosine,
	// Removed what the components take that all texts have in common: one number a component.
	Pairs   [][]float64 `json:"pairs"`
	Removed []float64   `json:"removed"`

	// Links are pairs of words that mean the same, by their positions: an alignment of the texts, which says what the
	// number does not.
	Links [][2]int `json:"links"`

	cosine      *cmdlib.Comparison
	calibration *cmdlib.Calibration
}

// Side is one of the two.
type Side struct {
	Text string `json:"text"`
	// Terms are its words, Unknown those of them that the space does not know: they have vectors of their own.
	Terms   []Term   `json:"terms"`
	Unknown []string `json:"unknown,omitempty"`
}

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
	seen := Side{Text: of.Text, Unknown: of.Unknown}
	for _, t := range of.Terms {
		term := Term{Word: t.Text, Weight: t.Weight}
		if id, ok := s.ID(t.Text); ok {
			term.function = float64(s.Counts[id]) > functionWord*float64(all)
		}
		seen.Terms = append(seen.Terms, term)
	}
	return seen
}

// Cosine returns what a comparison by vectors tells, in the space that made it.
func Cosine(ctx context.Context, s *cmdlib.Space, c *cmdlib.Comparison) (*Answer, error) {
	a := &Answer{
		Method: c.Method, From: side(s, c.From), To: side(s, c.To),
		Distance: c.Distance, Cosine: c.Cosine,
		Pairs: c.Pairs, Removed: c.Removed, cosine: c,
	}
	var err error
	if a.Standing, err = c.Standing(ctx); err != nil {
		return nil, err
	}
	if err := a.align(ctx, s); err != nil {
		return nil, err
	}
	if s.Calibration != nil && a.Standing.Texts {
		people := s.Calibration.At(c.Cosine)
		a.People, a.Most, a.calibration = &people, s.Calibration.Highest, s.Calibration
	}
	return a, nil
}

// align sets the links.
func (a *Answer) align(ctx context.Context, s *cmdlib.Space) error {
	aligned, err := s.Align(ctx, a.From.Text, a.To.Text)
	if err != nil {
		return err
	}
	a.Links = [][2]int{}
	for _, l := range aligned.Links {
		a.Links = append(a.Links, [2]int{l.Source, l.Target})
	}
	return nil
}

// linked lists the words of two texts that mean the same, without pairs of function words; "" for single words and
// where nothing is linked.
func (a *Answer) linked() string {
	if len(a.Links) == 0 || len(a.From.Terms)+len(a.To.Terms) == 2 {
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
func (a *Answer) Notes() []string {
	notes := []string{a.Standing.Text(a.From.Text, a.To.Text)}
	if a.calibration != nil {
		notes = append(notes, a.calibration.Text(a.Cosine))
	}
	return notes
}

// Unknown tells of words that have vectors of their own; "" if there are none.
func (a *Answer) Unknown() string {
	unknown := slices.Concat(a.From.Unknown, a.To.Unknown)
	slices.Sort(unknown)
	return strings.Join(slices.Compact(unknown), " ")
}

// View is an answer as it is shown: on a terminal, a page or in a notebook. Pairs and Sums add up to the cosine.
type View struct {
	Title string `json:"title"`
	// Pairs are those of words that bring most, Sums what all others bring, what components take, and the cosine.
	Pairs []Part `json:"pairs"`
	Sums  []Part `json:"sums"`
	// Notes say what the number means, a sentence each.
	Notes []string `json:"notes"`
}

// Part is what a pair of words, or several, brings to the cosine.
type Part struct {
	From   string  `json:"from"`
	To     string  `json:"to,omitempty"`
	Brings float64 `json:"brings"`
	// Percent is that of the cosine, nil where that is not above 0.
	Percent *float64 `json:"percent,omitempty"`
}

// Text is what a part brings, and of how much, as all renderings write it.
func (p Part) Text() (brings, percent string) {
	brings, percent = fmt.Sprintf("%.4f", p.Brings), "–"
	if p.Percent != nil {
		percent = fmt.Sprintf("%.1f", *p.Percent)
	}
	return strings.Replace(brings, "-", "−", 1), strings.Replace(percent, "-", "−", 1)
}

// View shows the n pairs of words that bring most, what all
// others bring, and what components take: they sum to the cosine.
func (a *Answer) View(n int) *View {
	v := &View{Title: fmt.Sprintf("%q and %q: cosine %.4f, distance %.4f",
		a.From.Text, a.To.Text, a.Cosine, a.Distance)}
	part := func(from, to string, value float64) Part {
		p := Part{From: from, To: to, Brings: value}
		if a.Cosine > 0 {
			share := 100 * value / a.Cosine
			p.Percent = &share
		}
		return p
	}
	top := a.cosine.Largest(n)
	rest := a.cosine.PairsAmount()
	for _, at := range top {
		value := a.Pairs[at[0]][at[1]]
		rest -= value
		v.Pairs = append(v.Pairs, part(a.From.Terms[at[0]].Word, a.To.Terms[at[1]].Word, value))
	}
	if others := len(a.From.Terms)*len(a.To.Terms) - len(top); others > 0 {
		v.Sums = append(v.Sums, part(fmt.Sprintf("%d other pairs", others), "", rest))
	}
	removed := 0.0
	for _, x := range a.Removed {
		removed += x
	}
	v.Sums = append(v.Sums, part("in common with all texts", "", removed), part("sum: the cosine", "", a.Cosine))
	if len(a.From.Terms) == 1 && len(a.To.Terms) == 1 {
		v.Notes = append(v.Notes,
			"One pair of words explains nothing: the method average shows which contexts both have.")
	}
	if note := a.linked(); note != "" {
		v.Notes = append(v.Notes, note)
	}
	for _, note := range a.Notes() {
		v.Notes = append(v.Notes, strings.ToUpper(note[:1])+note[1:]+".")
	}
	if unknown := a.Unknown(); unknown != "" {
		v.Notes = append(v.Notes,
			"Unknown words have vectors of their own, which only the same word shares: "+unknown+".")
	}
	return v
}

// Columns are the headers of the columns of a view.
func Columns() []string { return []string{"word", "and", "brings", "% of the cosine"} }

// Table is the view for a terminal.
func (a *Answer) Table(n int) *render.Table {
	v, columns := a.View(n), Columns()
	t := &render.Table{
		ID: "pairs", Label: columns[0], Title: v.Title, Notes: v.Notes,
		Columns: []render.Column{
			{Name: columns[1], Unmarked: true}, {Name: columns[2], Digits: 4, Unmarked: true},
			{Name: columns[3], Digits: 1, Unmarked: true},
		},
	}
	block := func(title string, parts []Part) {
		for i, p := range parts {
			share := render.Cell{Text: "–"}
			if p.Percent != nil {
				share = render.Cell{Value: p.Percent}
			}
			t.Add(title, render.Row{
				Key: fmt.Sprintf("%s-%d", title, i), Label: p.From,
				Cells: []render.Cell{{Text: p.To}, {Value: &parts[i].Brings}, share},
			})
		}
	}
	block("the pairs of words that bring most", v.Pairs)
	block("and", v.Sums)
	return t
}
