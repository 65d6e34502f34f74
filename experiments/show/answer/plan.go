package answer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"contextmover/cmdlib"
	"contextmover/experiments/show/render"
)

// title is that of what shows a plan.
func (a *Comparison) title() string {
	return fmt.Sprintf("From the contexts of %q to those of %q: distance %.4g", a.From.Text, a.To.Text, a.Distance)
}

// notes are what the distance means, and what became of unknown words.
func (a *Comparison) notes(first string) []string {
	notes := []string{first, fmt.Sprintf("Distance %.4g: %s.", a.Distance, a.Standing.Text(a.From.Text, a.To.Text))}
	if unknown := a.Unknown(); unknown != "" {
		notes = append(notes, sentence(unknown))
	}
	return notes
}

// flowTable shows the largest flows of a plan: what stays, and what makes the distance.
func (a *Comparison) flowTable(note string) *render.Table {
	t := &render.Table{
		ID: "flows", Label: "from", Title: a.title(),
		Columns: []render.Column{
			{Name: "brought by", Unmarked: true}, {Name: "to", Unmarked: true}, {Name: "received by", Unmarked: true},
			{Name: "% of mass", Digits: 1, Unmarked: true}, {Name: "cost", Digits: 2, Unmarked: true},
			{Name: "% of distance", Digits: 1, Unmarked: true},
		},
		Notes: append(a.notes(note),
			"The largest of each; regularisation spreads the rest over many small ones."),
	}
	block := func(title string, flows []cmdlib.Flow) {
		for _, f := range flows {
			if len(f.From.Sources)+len(f.To.Sources) == 0 { // no word of either text brought it
				continue
			}
			percent, share := 100*f.Mass, 0.0
			if a.Distance > 0 {
				share = 100 * f.Mass * f.Cost / a.Distance
			}
			t.Add(title, render.Row{
				Key: fmt.Sprintf("%d-%d", f.From.Bin, f.To.Bin), Label: contextName(f.From),
				Cells: []render.Cell{
					{Text: sourceWords(f.From)}, {Text: partner(f)}, {Text: sourceWords(f.To)},
					{Value: &percent}, {Value: &f.Cost}, {Value: &share},
				},
			})
		}
	}
	block(fmt.Sprintf("what stays, %.0f %% of the mass", 100*a.Stays), a.Kept)
	block(fmt.Sprintf("what moves, %.0f %% of the mass", 100*(1-a.Stays)), a.Flows)
	return t
}

// planTable shows the plan between the contexts with most mass.
func (a *Comparison) planTable(note string) *render.Table {
	t := &render.Table{
		ID: "plan", Label: "from", Title: a.title(),
		Columns: []render.Column{
			{Name: "brought by", Unmarked: true}, {Name: "mass", Digits: 1, Unmarked: true},
		},
		Notes: append(a.notes(note),
			"Cells: % of all mass, from the contexts in the rows to these of "+strconv.Quote(a.To.Text)+":"),
	}
	for j, c := range a.To.Contexts {
		t.Plain("", 2, strconv.Itoa(j+1))
		t.Notes = append(t.Notes, fmt.Sprintf("%d: %s; received by %s; mass %.1f",
			j+1, contextName(c), sourceWords(c), 100*c.Mass))
	}
	t.Plain("", 2, "others")
	for i, c := range a.From.Contexts {
		if !slices.ContainsFunc(Brought(a.From.Contexts), func(b cmdlib.Context) bool { return b.Bin == c.Bin }) {
			continue
		}
		mass := 100 * c.Mass
		row := render.Row{
			Key: strconv.Itoa(i + 1), Label: contextName(c),
			Cells: []render.Cell{{Text: sourceWords(c)}, {Value: &mass}},
		}
		rest := mass
		for j := range a.To.Contexts {
			moved := float64(100 * a.Moved[i][j])
			rest -= moved
			row.Cells = append(row.Cells, render.Cell{Value: &moved})
		}
		rest = max(rest, 0)
		row.Cells = append(row.Cells, render.Cell{Value: &rest})
		t.Add("", row)
	}
	return t
}

// Brought are the contexts that a word brought: one that none did tells nothing. Of a space that does not keep what
// brought them they are all.
func Brought(list []cmdlib.Context) []cmdlib.Context {
	bare := func(c cmdlib.Context) bool { return len(c.Sources) == 0 }
	if shown := slices.DeleteFunc(slices.Clone(list), bare); len(shown) > 0 {
		return shown
	}
	return list
}

// Contexts is a table of the contexts of a word or text: their names, what brought them, and their mass.
func Contexts(title string, list []cmdlib.Context, notes ...string) *render.Table {
	t := &render.Table{ID: "contexts", Label: "contexts such as", Title: title, Notes: notes, Columns: []render.Column{
		{Name: "brought by", Unmarked: true}, {Name: "% of mass", Digits: 1, Unmarked: true},
	}}
	for i, c := range Brought(list) {
		percent := 100 * c.Mass
		t.Add("", render.Row{Key: strconv.Itoa(i), Label: contextName(c), Cells: []render.Cell{
			{Text: sourceWords(c)}, {Value: &percent},
		}})
	}
	return t
}

// partner is where a flow goes to.
func partner(f cmdlib.Flow) string {
	if f.From.Bin == f.To.Bin {
		return "the same"
	}
	return contextName(f.To)
}

func contextName(c cmdlib.Context) string { return strings.Join(c.Name, " ") }

// sourceWords are the words behind a context, the strongest first.
func sourceWords(c cmdlib.Context) string {
	var words []string
	for _, s := range c.Sources[:min(3, len(c.Sources))] {
		words = append(words, fmt.Sprintf("%s %.0f%%", s.Word, 100*s.Share))
	}
	if len(words) == 0 {
		return "–"
	}
	return strings.Join(words, ", ")
}

// Overlap is what two words or texts have in common, and what each lacks.
type Overlap struct {
	From      Side               `json:"from"`
	To        Side               `json:"to"`
	Sentences cmdlib.Combination `json:"sentences,omitempty"`
	Price     float64            `json:"price"`
	Cost      float64            `json:"cost"`
	Shared    float64            `json:"shared"`
	Flows     []cmdlib.Flow      `json:"flows"`
	Lacks     []cmdlib.Context   `json:"lacks"` // what from has and to lacks
	Adds      []cmdlib.Context   `json:"adds"`  // the reverse
}

// OverlapOf returns the answer that an overlap in a space is.
func OverlapOf(s *cmdlib.Space, x *cmdlib.Overlap) *Overlap {
	a := &Overlap{
		From: side(s, x.From), To: side(s, x.To), Price: x.Price, Cost: x.Cost, Shared: x.Moved, Flows: x.Flows,
		Lacks: x.Lacks, Adds: x.Adds,
	}
	if a.From.Contexts, a.To.Contexts = nil, nil; !a.From.single() || !a.To.single() {
		a.Sentences = s.Settings.Sentence.Combination
	}
	return a
}

// Table shows what found a partner, and what did not on either side.
func (x *Overlap) Table() *render.Table {
	t := &render.Table{
		ID: "overlap", Label: "context",
		Title: fmt.Sprintf("What %q and %q share", x.From.Text, x.To.Text),
		Columns: []render.Column{
			{Name: "brought by", Unmarked: true}, {Name: "partner", Unmarked: true},
			{Name: "received by", Unmarked: true},
			{Name: "% of mass", Digits: 1, Unmarked: true}, {Name: "cost", Digits: 2, Unmarked: true},
		},
		Notes: []string{
			fmt.Sprintf("A context has a partner where mass can move to one for at most %.3g; exact partial "+
				"transport, in the units of the ground cost.", 2*x.Price),
			"The largest of each.",
		},
	}
	for _, f := range x.Flows {
		percent := 100 * f.Mass
		t.Add(fmt.Sprintf("what both have, %.0f %% of the mass", 100*x.Shared), render.Row{
			Key: fmt.Sprintf("%d-%d", f.From.Bin, f.To.Bin), Label: contextName(f.From),
			Cells: []render.Cell{
				{Text: sourceWords(f.From)}, {Text: partner(f)}, {Text: sourceWords(f.To)}, {Value: &percent},
				{Value: &f.Cost},
			},
		})
	}
	alone := func(has, lacks, key string, contexts []cmdlib.Context) {
		for _, c := range contexts {
			percent := 100 * c.Mass
			t.Add(fmt.Sprintf("what %q has and %q lacks, %.0f %%", has, lacks, 100*(1-x.Shared)), render.Row{
				Key: fmt.Sprintf("%s-%d", key, c.Bin), Label: contextName(c),
				Cells: []render.Cell{{Text: sourceWords(c)}, {Text: "–"}, {Text: "–"}, {Value: &percent}, {}},
			})
		}
	}
	alone(x.From.Text, x.To.Text, "from", x.Lacks)
	alone(x.To.Text, x.From.Text, "to", x.Adds)
	return t
}
