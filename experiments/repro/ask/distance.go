package ask

import (
	"fmt"

	"contextmover/experiments/repro/batch"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/answer"
	"contextmover/experiments/show/convergence"
	"contextmover/internal/printable"
)

// Distance is repro distance.
type Distance struct {
	From  string `arg:"" optional:"" help:"A word or, in quotes, a text."`
	To    string `arg:"" optional:"" help:"Another."`
	Pairs string `and:"file" xor:"in" placeholder:"FILE.tsv" help:"Instead of two texts: pairs of them, one per line, separated by a tab, as score reads them."`
	batchFlags
	methodFlags
	spaceFlags
}

func (c *Distance) Help() string {
	return methodHelp + "With --pairs, distances.txt has one distance per line, or \"unknown\" where a text has no " +
		"known word. " +
		batchHelp + " repro explain shows what makes up the number.\n\n" + sentencesHelp
}

func (c *Distance) Run(e *cli.Env) error {
	if (c.From == "" || c.To == "") == (c.Pairs == "") {
		return cli.BadUsage("expected either \"<from> <to>\", two words or texts, or --pairs FILE.tsv")
	}
	s, monitor, err := c.openBy(e, c.methodFlags, c.From, c.To)
	if err != nil {
		return err
	}
	defer s.Close()
	if c.Pairs != "" {
		b, err := batch.Distances(s, c.Pairs, c.Out)
		if err != nil {
			return err
		}
		return makeBatch(e, c.Share, b, monitor)
	}
	a, err := answer.Compare(e, s, c.From, c.To)
	if err != nil {
		return asked(err)
	}
	warn(a.Unknown())
	a.Worst = convergence.Warn(monitor, hint)
	if err := a.Stand(e); err != nil {
		return err
	}
	if e.AsJSON {
		return e.JSON(a)
	}
	fmt.Fprintf(e.Out, "%.6g\n", a.Distance)
	for _, note := range a.Notes() {
		fmt.Fprintln(e.Out, printable.Text(note))
	}
	return nil
}
