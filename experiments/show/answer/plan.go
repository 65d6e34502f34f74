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
	t := render.NewTable("flows", "from", a.title(), append(a.notes(note),
		"The largest of each; regularisation spreads the rest over many small ones.")...)
	t.Plain("", 0, "brought by", "to", "received by")
	t.Plain("", 1, "% of mass")
	t.Plain("", 2, "cost")
	t.Plain("", 1, "% of distance")
	block := func(title string, flows []cmdlib.Flow) {
		for _, f := range flows {
			if len(f.From.Sources)+len(f.To.Sources) == 0 { // no word of either text brought it
				continue
			}
			share := 0.0
			if a.Distance > 0 {
				share = 100 * f.Mass * f.Cost / a.Distance
			}
			row := addFlow(t, title, f)
			row.Cells = append(row.Cells, render.Number(share))
		}
	}
	block(fmt.Sprintf("what stays, %.0f %% of the mass", 100*a.Stays), a.Kept)
	block(fmt.Sprintf("what moves, %.0f %% of the mass", 100*(1-a.Stays)), a.Flows)
	return t
}

// addFlow adds the row of a flow: what moves where, how much of it and at what cost.
func addFlow(t *render.Table, block string, f cmdlib.Flow) *render.Row {
	return t.Add(block, fmt.Sprintf("%d-%d", f.From.Bin, f.To.Bin), contextName(f.From), append(
		render.Texts(sourceWords(f.From), partner(f), sourceWords(f.To)),
		render.Number(100*f.Mass), render.Number(f.Cost))...)
}

// planTable shows the plan between the contexts with most mass.
func (a *Comparison) planTable(note string) *render.Table {
	t := render.NewTable("plan", "from", a.title(), append(a.notes(note),
		"Cells: % of all mass, from the contexts in the rows to these of "+strconv.Quote(a.To.Text)+":")...)
	t.Plain("", 0, "brought by")
	t.Plain("", 1, "mass")
	for j, c := range a.To.Contexts {
		t.Plain("", 2, strconv.Itoa(j+1))
		t.Notes = append(t.Notes, fmt.Sprintf("%d: %s; received by %s; mass %.1f",
			j+1, contextName(c), sourceWords(c), 100*c.Mass))
	}
	t.Plain("", 2, "others")
	for i, c := range a.From.Contexts {
		if len(c.Sources) == 0 && len(Brought(a.From.Contexts)) < len(a.From.Contexts) {
			continue
		}
		row, rest := addContext(t, "", strconv.Itoa(i+1), c), 100*c.Mass
		for j := range a.To.Contexts {
			moved := float64(100 * a.Moved[i][j])
			rest -= moved
			row.Cells = append(row.Cells, render.Number(moved))
		}
		row.Cells = append(row.Cells, render.Number(max(rest, 0)))
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
	t := render.NewTable("contexts", "contexts such as", title, notes...)
	t.Plain("", 0, "brought by")
	t.Plain("", 1, "% of mass")
	for i, c := range Brought(list) {
		addContext(t, "", strconv.Itoa(i), c)
	}
	return t
}

// addContext adds the row of a context: what brought it, and its mass.
func addContext(t *render.Table, block, key string, c cmdlib.Context) *render.Row {
	return t.Add(block, key, contextName(c), render.Cell{Text: sourceWords(c)}, render.Number(100*c.Mass))
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

// Overlap is what two words or texts have in common, and what each lacks: Lacks is what from has and to lacks, Adds the
// reverse.
type Overlap struct {
	*cmdlib.Overlap
	Sentences cmdlib.Combination `json:"sentences,omitempty"`
	Cost      float64            `json:"cost"`
	Shared    float64            `json:"shared"`
}

// OverlapOf returns the answer that an overlap in a space is.
func OverlapOf(s *cmdlib.Space, x *cmdlib.Overlap) *Overlap {
	a := &Overlap{Overlap: x, Cost: x.Partial.Cost, Shared: x.Moved}
	if !single(a.From) || !single(a.To) {
		a.Sentences = s.Settings.Sentence.Combination
	}
	return a
}

// Table shows what found a partner, and what did not on either side.
func (x *Overlap) Table() *render.Table {
	t := render.NewTable("overlap", "context", fmt.Sprintf("What %q and %q share", x.From.Text, x.To.Text),
		fmt.Sprintf("A context has a partner where mass can move to one for at most %.3g; exact partial "+
			"transport, in the units of the ground cost.", 2*x.Price),
		"The largest of each.")
	t.Plain("", 0, "brought by", "partner", "received by")
	t.Plain("", 1, "% of mass")
	t.Plain("", 2, "cost")
	for _, f := range x.Flows {
		addFlow(t, fmt.Sprintf("what both have, %.0f %% of the mass", 100*x.Shared), f)
	}
	alone := func(has, lacks, key string, contexts []cmdlib.Context) {
		for _, c := range contexts {
			row := addContext(t, fmt.Sprintf("what %q has and %q lacks, %.0f %%", has, lacks, 100*(1-x.Shared)),
				fmt.Sprintf("%s-%d", key, c.Bin), c)
			row.Cells = slices.Insert(append(row.Cells, render.Cell{}), 1, render.Texts("–", "–")...)
		}
	}
	alone(x.From.Text, x.To.Text, "from", x.Lacks)
	alone(x.To.Text, x.From.Text, "to", x.Adds)
	return t
}
