// Package answer says what a space tells of two words or texts by one of its
// methods, and of what that number is made: one view for whatever shows it.
package answer

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/experiments/render"
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

	cosine      *cmdlib.Cosine
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
}

func side(text string, terms []cmdlib.Term) Side {
	s := Side{Text: text}
	for _, t := range terms {
		s.Terms = append(s.Terms, Term{t.Text, t.Weight})
		if !t.Known {
			s.Unknown = append(s.Unknown, t.Text)
		}
	}
	return s
}

// Cosine returns what a space tells by vectors.
func Cosine(ctx context.Context, s *cmdlib.Space, from, to string) (*Answer, error) {
	c, err := s.Cosine(ctx, from, to)
	if err != nil {
		return nil, err
	}
	a := &Answer{
		Method: s.Default(from, to), From: side(from, c.From), To: side(to, c.To), Distance: c.Distance(), Cosine: c.Value,
		Pairs: c.Pairs, Removed: c.Removed, cosine: c,
	}
	if a.Standing, err = c.Standing(ctx); err != nil {
		return nil, err
	}
	if s.Calibration != nil && a.Standing.Texts {
		people := s.Calibration.At(c.Value)
		a.People, a.Most, a.calibration = &people, s.Calibration.Highest, s.Calibration
	}
	return a, nil
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

// Table shows the n pairs of words that bring most, what all
// others bring, and what components take: they sum to the cosine.
func (a *Answer) Table(n int) *render.Table {
	t := &render.Table{
		ID: "pairs", Label: "word",
		Title: fmt.Sprintf("%q and %q: cosine %.4f, distance %.4f", a.From.Text, a.To.Text, a.Cosine, a.Distance),
		Columns: []render.Column{
			{Name: "and", Unmarked: true}, {Name: "brings", Digits: 4, Unmarked: true}, {Name: "% of the cosine", Digits: 1, Unmarked: true},
		},
	}
	row := func(key, label, other string, value float64) render.Row {
		cells := []render.Cell{{Text: other}, {Value: &value}, {Text: "–"}}
		if a.Cosine > 0 {
			share := 100 * value / a.Cosine
			cells[2] = render.Cell{Value: &share}
		}
		return render.Row{Key: key, Label: label, Cells: cells}
	}
	top := a.cosine.Largest(n)
	rest := a.cosine.PairsAmount()
	var pairs, sums render.Block
	for _, at := range top {
		value := a.Pairs[at[0]][at[1]]
		rest -= value
		pairs.Rows = append(pairs.Rows, row(fmt.Sprintf("%d-%d", at[0], at[1]), a.From.Terms[at[0]].Word, a.To.Terms[at[1]].Word, value))
	}
	if others := len(a.From.Terms)*len(a.To.Terms) - len(top); others > 0 {
		sums.Rows = append(sums.Rows, row("others", fmt.Sprintf("%d other pairs", others), "", rest))
	}
	removed := 0.0
	for _, x := range a.Removed {
		removed += x
	}
	sums.Rows = append(sums.Rows, row("removed", "in common with all texts", "", removed), row("sum", "sum: the cosine", "", a.Cosine))
	pairs.Title, sums.Title = "the pairs of words that bring most", "and"
	t.Blocks = []render.Block{pairs, sums}
	for _, note := range a.Notes() {
		t.Notes = append(t.Notes, strings.ToUpper(note[:1])+note[1:]+".")
	}
	if unknown := a.Unknown(); unknown != "" {
		t.Notes = append(t.Notes, "Unknown words have vectors of their own, which only the same word shares: "+unknown+".")
	}
	return t
}
