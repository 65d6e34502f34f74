package ask

import (
	"fmt"
	"strconv"

	"contextmover/cmdlib"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/render"
	"contextmover/experiments/repro/cli"
)

// Explain is repro explain.
type Explain struct {
	From     string `arg:"" help:"A word or, in quotes, a text."`
	To       string `arg:"" help:"Another."`
	Contexts int    `default:"6" placeholder:"N" help:"Show the N contexts with most mass on each side (default ${default})."`
	spaceFlags
}

func (c *Explain) Help() string { return sentencesHelp }

func (c *Explain) Run(e *cli.Env) error {
	if c.Contexts < 1 {
		return cli.BadUsage("--contexts=%d: expected at least 1", c.Contexts)
	}
	s, monitor, err := c.open(e, c.From, c.To)
	if err != nil {
		return err
	}
	defer s.Close()
	x, err := s.Explain(e, c.From, c.To, c.Contexts)
	if err != nil {
		return asked(err)
	}
	leftOut(c.From, x.From.Unknown)
	leftOut(c.To, x.To.Unknown)
	pipeline.WarnUnconverged(monitor, hint)
	convergence := pipeline.WorstOf(monitor)
	standing, err := s.Standing(e, c.From, c.To, x.Cost)
	if err != nil {
		return err
	}
	if c.JSON {
		j := compared(s.Space, convergence, side(x.From, true), side(x.To, true), x.Cost, standing)
		j.Plan, j.Costs = x.Moved, x.Costs
		return e.JSON(j)
	}
	return e.Table(planTable(x, standing))
}

// planTable shows the plan between the contexts with most mass.
func planTable(x *cmdlib.Explanation, standing *cmdlib.Standing) *render.Table {
	t := &render.Table{
		ID: "plan", Label: "from",
		Title: fmt.Sprintf("From the contexts of %q to those of %q: distance %.4g", x.From.Text, x.To.Text, x.Cost),
		Columns: []render.Column{
			{Name: "brought by", Unmarked: true}, {Name: "mass", Digits: 1, Unmarked: true},
		},
		Notes: []string{standingNote(x, standing), "Cells: % of all mass, from the contexts in the rows to these of " + strconv.Quote(x.To.Text) + ":"},
	}
	for j, c := range x.To.Contexts {
		t.Columns = append(t.Columns, render.Column{Name: strconv.Itoa(j + 1), Digits: 2, Unmarked: true})
		t.Notes = append(t.Notes, fmt.Sprintf("%d: %s; received by %s; mass %.1f", j+1, contextName(c), sourceWords(c), 100*c.Mass))
	}
	t.Columns = append(t.Columns, render.Column{Name: "others", Digits: 2, Unmarked: true})
	var block render.Block
	for i, c := range x.From.Contexts {
		mass := 100 * c.Mass
		row := render.Row{
			Key: strconv.Itoa(i + 1), Label: contextName(c),
			Cells: []render.Cell{{Text: sourceWords(c)}, {Value: &mass}},
		}
		rest := mass
		for j := range x.To.Contexts {
			moved := 100 * x.Moved[i][j]
			rest -= moved
			row.Cells = append(row.Cells, render.Cell{Value: &moved})
		}
		rest = max(rest, 0)
		row.Cells = append(row.Cells, render.Cell{Value: &rest})
		block.Rows = append(block.Rows, row)
	}
	t.Blocks = []render.Block{block}
	return t
}
