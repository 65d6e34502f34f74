package ask

import (
	"fmt"
	"math"
	"strconv"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/convergence"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/answer"
	"contextmover/experiments/show/render"
)

// Explain is repro explain.
type Explain struct {
	From     string  `arg:"" help:"A word or, in quotes, a text."`
	To       string  `arg:"" help:"Another."`
	Contexts int     `default:"6" placeholder:"N" help:"Show the N contexts with most mass on each side, or the N largest terms (default ${default})."`
	Partial  float64 `placeholder:"ρ" help:"Show what the one has that the other lacks: the contexts without a partner nearer than 2ρ, in the units of the ground cost."`
	methodFlags
	spaceFlags
}

func (c *Explain) Help() string {
	return "Two single words are explained by transport: the contexts of each, and what moves from which to which. " +
		"Of texts it shows the terms that add up to the number that repro distance prints: pairs of words, or with a " +
		"method of transport the contexts that move, and the words that brought them. " + methodHelp + sentencesHelp
}

// single tells whether a text is one word to the space.
func single(s *cmdlib.Space, text string) bool { return s.Has(text) || len(corpus.Tokenise(text)) == 1 }

func (c *Explain) Run(e *cli.Env) error {
	if c.Contexts < 1 {
		return cli.BadUsage("--contexts=%d: expected at least 1", c.Contexts)
	}
	if !(c.Partial >= 0) || c.Partial > math.MaxFloat32 {
		return cli.BadUsage("--partial=%v: expected a positive number", c.Partial)
	}
	s, monitor, err := c.openBy(e, c.methodFlags, c.From, c.To)
	if err != nil {
		return err
	}
	defer s.Close()
	if c.Partial != 0 {
		if c.Method != "" && s.ByVectors(c.From, c.To) {
			return cli.BadUsage("--partial: expected no --method %s, as it is of transport", c.Method)
		}
		return c.overlap(e, s.Space)
	}
	words, by := single(s.Space, c.From) && single(s.Space, c.To), s.Space
	if words && c.Method == "" {
		by = s.ByTransport()
	}
	x, err := by.Explain(e, c.From, c.To, c.Contexts)
	if err != nil {
		return c.asked(err)
	}
	if x.Vectors() {
		return c.byVectors(e, s.Space, x)
	}
	leftOut(c.From, x.From.Unknown)
	leftOut(c.To, x.To.Unknown)
	convergence.Warn(monitor, hint)
	worst := convergence.Of(monitor)
	standing, err := x.Standing(e)
	if err != nil {
		return err
	}
	if c.JSON {
		j := compared(s.Space, worst, side(x.From, true), side(x.To, true), x.Cost, standing)
		j.Stays, j.Kept, j.Flows, j.Plan, j.Costs = x.Stays, x.Kept, x.Flows, x.Moved, x.Costs
		return e.JSON(j)
	}
	t := flowTable(x, standing)
	if words {
		t = planTable(x, standing)
	}
	t.Notes = append([]string{fmt.Sprintf("It explains what repro distance prints with --method %s.",
		s.ByTransport().DefaultMethod())}, t.Notes...)
	return e.Table(t)
}

// byVectors explains by pairs of words.
func (c *Explain) byVectors(e *cli.Env, s *cmdlib.Space, x *cmdlib.Comparison) error {
	a, err := answer.Cosine(e, s, x)
	if err != nil {
		return err
	}
	ownVectors(a)
	if c.JSON {
		return e.JSON(a)
	}
	t := a.Table(c.Contexts)
	t.Notes = append([]string{fmt.Sprintf("It explains what repro distance prints with --method %s: %.6g, 1 − the "+
		"cosine.", a.Method, a.Distance)}, t.Notes...)
	return e.Table(t)
}

// planTable shows the plan between the contexts with most mass.
func planTable(x *cmdlib.Comparison, standing *cmdlib.Standing) *render.Table {
	t := &render.Table{
		ID: "plan", Label: "from",
		Title: fmt.Sprintf("From the contexts of %q to those of %q: distance %.4g", x.From.Text, x.To.Text, x.Cost),
		Columns: []render.Column{
			{Name: "brought by", Unmarked: true}, {Name: "mass", Digits: 1, Unmarked: true},
		},
		Notes: []string{
			standingNote(x, standing),
			"Cells: % of all mass, from the contexts in the rows to these of " + strconv.Quote(x.To.Text) + ":",
		},
	}
	for j, c := range x.To.Contexts {
		t.Plain("", 2, strconv.Itoa(j+1))
		t.Notes = append(t.Notes, fmt.Sprintf("%d: %s; received by %s; mass %.1f",
			j+1, contextName(c), sourceWords(c), 100*c.Mass))
	}
	t.Plain("", 2, "others")
	for i, c := range x.From.Contexts {
		if len(c.Sources) == 0 { // no word of the text brought it
			continue
		}
		mass := 100 * c.Mass
		row := render.Row{
			Key: strconv.Itoa(i + 1), Label: contextName(c),
			Cells: []render.Cell{{Text: sourceWords(c)}, {Value: &mass}},
		}
		rest := mass
		for j := range x.To.Contexts {
			moved := float64(100 * x.Moved[i][j])
			rest -= moved
			row.Cells = append(row.Cells, render.Cell{Value: &moved})
		}
		rest = max(rest, 0)
		row.Cells = append(row.Cells, render.Cell{Value: &rest})
		t.Add("", row)
	}
	return t
}

// overlap shows what the two sides have in common and what each lacks.
func (c *Explain) overlap(e *cli.Env, s *cmdlib.Space) error {
	x, err := s.Overlap(e, c.From, c.To, c.Partial, c.Contexts)
	if err != nil {
		return c.asked(err)
	}
	leftOut(c.From, x.From.Unknown)
	leftOut(c.To, x.To.Unknown)
	if c.JSON {
		return e.JSON(jsonOverlap{
			From: side(x.From, false), To: side(x.To, false),
			Sentences: combined(s, len(x.From.Words)+len(x.From.Unknown), len(x.To.Words)+len(x.To.Unknown)),
			Price:     x.Price, Cost: x.Cost, Shared: x.Moved, Flows: x.Flows, Lacks: x.Lacks, Adds: x.Adds,
		})
	}
	return e.Table(overlapTable(x))
}

// jsonOverlap is an overlap in JSON.
type jsonOverlap struct {
	From      jsonSide           `json:"from"`
	To        jsonSide           `json:"to"`
	Sentences cmdlib.Combination `json:"sentences,omitempty"`
	Price     float64            `json:"price"`
	Cost      float64            `json:"cost"`
	Shared    float64            `json:"shared"`
	Flows     []cmdlib.Flow      `json:"flows"`
	Lacks     []cmdlib.Context   `json:"lacks"` // what from has and to lacks
	Adds      []cmdlib.Context   `json:"adds"`  // the reverse
}

// overlapTable shows what found a partner, and what did not on either side.
func overlapTable(x *cmdlib.Overlap) *render.Table {
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
		percent, partner := 100*f.Mass, contextName(f.To)
		if f.From.Bin == f.To.Bin {
			partner = "the same"
		}
		t.Add(fmt.Sprintf("what both have, %.0f %% of the mass", 100*x.Moved), render.Row{
			Key: fmt.Sprintf("%d-%d", f.From.Bin, f.To.Bin), Label: contextName(f.From),
			Cells: []render.Cell{
				{Text: sourceWords(f.From)}, {Text: partner}, {Text: sourceWords(f.To)}, {Value: &percent},
				{Value: &f.Cost},
			},
		})
	}
	alone := func(has, lacks, key string, contexts []cmdlib.Context) {
		for _, c := range contexts {
			percent := 100 * c.Mass
			t.Add(fmt.Sprintf("what %q has and %q lacks, %.0f %%", has, lacks, 100*(1-x.Moved)), render.Row{
				Key: fmt.Sprintf("%s-%d", key, c.Bin), Label: contextName(c),
				Cells: []render.Cell{{Text: sourceWords(c)}, {Text: "–"}, {Text: "–"}, {Value: &percent}, {}},
			})
		}
	}
	alone(x.From.Text, x.To.Text, "from", x.Lacks)
	alone(x.To.Text, x.From.Text, "to", x.Adds)
	return t
}
