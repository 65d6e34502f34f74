package ask

import (
	"fmt"
	"strings"

	"contextmover/cmdlib"
	"contextmover/experiments/harness/convergence"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/answer"
	"contextmover/experiments/show/render"
	"contextmover/internal/printable"
)

// Distance is repro distance.
type Distance struct {
	From  string `arg:"" optional:"" help:"A word or, in quotes, a text."`
	To    string `arg:"" optional:"" help:"Another."`
	Pairs string `placeholder:"FILE.tsv" help:"Instead of two texts: pairs of them, one a line, separated by a tab, as score reads them."`
	batchFlags
	methodFlags
	spaceFlags
}

func (c *Distance) Help() string {
	return methodHelp + "With --pairs, distances.txt has a distance a line, or \"unknown\" for a pair of which a " +
		"text has no known word. " + batchHelp + " repro explain shows what the number is made of. " + sentencesHelp
}

// jsonSide is a side of a comparison in JSON.
type jsonSide struct {
	Text     string           `json:"text"`
	Words    []string         `json:"words"`
	Unknown  []string         `json:"unknown,omitempty"`
	Contexts []cmdlib.Context `json:"contexts,omitempty"`
}

func (s jsonSide) len() int { return len(s.Words) + len(s.Unknown) }

// jsonComparison is a distance in JSON, and with Flows what explains it.
type jsonComparison struct {
	From      jsonSide           `json:"from"`
	To        jsonSide           `json:"to"`
	Sentences cmdlib.Combination `json:"sentences,omitempty"`
	Distance  float64            `json:"distance"`
	Standing  *cmdlib.Standing   `json:"standing"`
	*convergence.Worst
	Stays float64       `json:"stays,omitempty"`
	Kept  []cmdlib.Flow `json:"kept,omitempty"`
	Flows []cmdlib.Flow `json:"flows,omitempty"`
	// Plan and Costs have a row for each of From.Contexts and a column for each of
	// To.Contexts.
	Plan  [][]float64 `json:"plan,omitempty"`
	Costs [][]float64 `json:"costs,omitempty"`
}

func compared(
	s *cmdlib.Space, worst *convergence.Worst, from, to jsonSide, distance float64, standing *cmdlib.Standing,
) jsonComparison {
	return jsonComparison{
		From: from, To: to, Sentences: combined(s, from.len(), to.len()),
		Distance: distance, Standing: standing, Worst: worst,
	}
}

func (c *Distance) Run(e *cli.Env) error {
	if c.Pairs != "" {
		return c.makeAll(e)
	}
	if c.given() {
		return cli.BadUsage("--out and --share belong to --pairs")
	}
	if c.From == "" || c.To == "" {
		return cli.BadUsage("expected \"<from> <to>\", two words or texts, or --pairs FILE.tsv")
	}
	s, monitor, err := c.openBy(e, c.methodFlags, c.From, c.To)
	if err != nil {
		return err
	}
	defer s.Close()
	r, err := s.Compare(e, c.From, c.To)
	if err != nil {
		return c.asked(err)
	}
	if r.Vectors() {
		return c.byVectors(e, s.Space, r)
	}
	leftOut(c.From, r.From.Unknown)
	leftOut(c.To, r.To.Unknown)
	convergence.Warn(monitor, hint)
	worst := convergence.Of(monitor)
	standing, err := r.Standing(e)
	if err != nil {
		return err
	}
	if c.JSON {
		return e.JSON(compared(s.Space, worst, jsonSide{Text: c.From, Words: r.From.Words, Unknown: r.From.Unknown},
			jsonSide{Text: c.To, Words: r.To.Words, Unknown: r.To.Unknown}, r.Distance, standing))
	}
	fmt.Fprintf(e.Out, "%.6g\n%s\n", r.Distance, standingText(standing, c.From, c.To))
	return nil
}

// byVectors answers by the cosine of vectors.
func (c *Distance) byVectors(e *cli.Env, s *cmdlib.Space, r *cmdlib.Comparison) error {
	a, err := answer.Cosine(e, s, r)
	if err != nil {
		return err
	}
	ownVectors(a)
	if c.JSON {
		return e.JSON(a)
	}
	fmt.Fprintf(e.Out, "%.6g\n", a.Distance)
	for _, note := range a.Notes() {
		fmt.Fprintln(e.Out, printable.Text(note))
	}
	return nil
}

// standingText is what a distance means, as a terminal may have it.
func standingText(s *cmdlib.Standing, from, to string) string {
	return printable.Text(s.Text(from, to))
}

func side(s cmdlib.Side, contexts bool) jsonSide {
	j := jsonSide{Text: s.Text, Words: s.Words, Unknown: s.Unknown}
	if contexts {
		j.Contexts = s.Contexts
	}
	return j
}

// flowTable shows the largest flows of a plan: what stays, and what makes the distance.
func flowTable(x *cmdlib.Comparison, standing *cmdlib.Standing) *render.Table {
	t := &render.Table{
		ID: "flows", Label: "from",
		Title: fmt.Sprintf("From the contexts of %q to those of %q: distance %.4g", x.From.Text, x.To.Text, x.Cost),
		Columns: []render.Column{
			{Name: "brought by", Unmarked: true}, {Name: "to", Unmarked: true}, {Name: "received by", Unmarked: true},
			{Name: "% of mass", Digits: 1, Unmarked: true}, {Name: "cost", Digits: 2, Unmarked: true},
			{Name: "% of distance", Digits: 1, Unmarked: true},
		},
	}
	block := func(title string, flows []cmdlib.Flow) {
		for _, f := range flows {
			if len(f.From.Sources)+len(f.To.Sources) == 0 { // no word of either text brought it
				continue
			}
			percent, share := 100*f.Mass, 0.0
			if x.Cost > 0 {
				share = 100 * f.Mass * f.Cost / x.Cost
			}
			target := contextName(f.To)
			if f.From.Bin == f.To.Bin {
				target = "the same"
			}
			t.Add(title, render.Row{
				Key: fmt.Sprintf("%d-%d", f.From.Bin, f.To.Bin), Label: contextName(f.From),
				Cells: []render.Cell{
					{Text: sourceWords(f.From)}, {Text: target}, {Text: sourceWords(f.To)},
					{Value: &percent}, {Value: &f.Cost}, {Value: &share},
				},
			})
		}
	}
	block(fmt.Sprintf("what stays, %.0f %% of the mass", 100*x.Stays), x.Kept)
	block(fmt.Sprintf("what moves, %.0f %% of the mass", 100*(1-x.Stays)), x.Flows)
	t.Notes = []string{
		standingNote(x, standing), "The largest of each; regularisation spreads the rest over many small ones.",
	}
	return t
}

// standingNote is the standing as a sentence below a table.
func standingNote(x *cmdlib.Comparison, s *cmdlib.Standing) string {
	return fmt.Sprintf("Distance %.4g: %s.", x.Cost, s.Text(x.From.Text, x.To.Text))
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
