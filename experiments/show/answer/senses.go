package answer

import (
	"context"
	"fmt"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/usage"
	"contextmover/experiments/show/convergence"
	"contextmover/experiments/show/render"
	"contextmover/internal/printable"
)

// Senses are groups of the places where a word stands in a text.
type Senses struct {
	Word       string  `json:"word"`
	Silhouette float64 `json:"silhouette"`
	Unclear    int     `json:"unclear"`
	Senses     []Sense `json:"senses"`
	*convergence.Worst

	occurrences int
}

// Sense is one of the groups, with what is typical of it.
type Sense struct {
	Name        string             `json:"name"`
	Share       float64            `json:"share"`
	Occurrences int                `json:"occurrences"`
	Contexts    []cmdlib.Context   `json:"contexts"`
	Neighbours  []cmdlib.Neighbour `json:"neighbours"`
	Examples    []Place            `json:"examples"`
}

// What is shown of a sense.
const (
	senseContexts, senseNeighbours, senseExamples = 4, 8, 3
	// exampleWords is the number of words that an example shows on each side.
	exampleWords = 10
)

// SensesOf returns what is shown of the senses of a word that were found in a space among occurrences.
func SensesOf(
	ctx context.Context, s *cmdlib.Space, word string, found *usage.Senses, occurrences []corpus.Occurrence,
) (*Senses, error) {
	s = s.ByTransport()
	learned, names := found.Learn(s, word)
	a := &Senses{
		Word: word, Silhouette: found.Silhouette, Unclear: len(found.Unclear), occurrences: len(occurrences),
	}
	for i, sense := range found.Senses {
		card, err := learned.Explain(ctx, names[i], names[i], senseContexts)
		if err != nil {
			return nil, err
		}
		// Among the neighbours of a sense there is no other one.
		alone := s.Learn(map[string]*cmdlib.Estimate{names[i]: sense.Estimate})
		near, err := alone.Neighbours(ctx, names[i], senseNeighbours)
		if err != nil {
			return nil, err
		}
		var own []corpus.Occurrence
		for _, o := range sense.Occurrences {
			own = append(own, occurrences[o])
		}
		a.Senses = append(a.Senses, Sense{
			Name: names[i], Share: sense.Share, Occurrences: len(own), Contexts: card.From.Contexts,
			Neighbours: near.Nearest, Examples: occurring(own, senseExamples, exampleWords),
		})
	}
	return a, nil
}

// Table shows each sense with its share, neighbours and an example.
func (a *Senses) Table() *render.Table {
	t := render.NewTable("senses", "sense", "Senses of "+a.Word,
		fmt.Sprintf("%d occurrences, silhouette %.2f. There are always groups: whether they are "+
			"senses is for you to see.", a.occurrences, a.Silhouette))
	t.Plain("", 1, "share, %")
	t.Plain("", 0, "near", "example")
	for _, s := range a.Senses {
		row := t.Add("", s.Name, s.Name, render.Number(100*s.Share))
		row.Cells = append(row.Cells, render.Texts(Words(s.Neighbours), s.Examples[0].Text)...)
	}
	return t
}

// Place is a sentence of a text, or a part of one, and where it stands.
type Place struct {
	Path   string `json:"path"`
	Number int64  `json:"number"` // of the line
	Text   string `json:"text"`
	Equal  int    `json:"equal"` // sentences of this text
}

// occurring are the first sentences of different texts in which occurrences stand, most of them, each with the number
// of those that are equal to it, as far as n words on each side of what occurs.
func occurring(occurrences []corpus.Occurrence, most, n int) (list []Place) {
	seen, equal := make(map[Place]bool), make(map[string]int)
	for _, o := range occurrences {
		// A sentence stands as often in a list as what was looked for stands in it.
		if p := (Place{o.In.File, o.In.Line, o.In.Text, 0}); !seen[p] {
			seen[p] = true
			equal[o.In.Text]++
		}
	}
	for _, o := range occurrences {
		if number := equal[o.In.Text]; number > 0 && len(list) < most {
			list = append(list, Place{o.In.File, o.In.Line, o.Excerpt(n), number})
			equal[o.In.Text] = 0
		}
	}
	return list
}

// String is the place, the text and how often it stands in the text if that is more than once, with tabs between.
func (p Place) String() string {
	line := fmt.Sprintf("%s:%d\t%s", printable.Text(p.Path), p.Number, printable.Text(p.Text))
	if p.Equal > 1 {
		line += fmt.Sprintf("\t%d times", p.Equal)
	}
	return line
}
