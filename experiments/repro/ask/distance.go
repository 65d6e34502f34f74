package ask

import (
	"fmt"

	"contextmover/cmdlib"
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
	Pairs string `placeholder:"FILE.tsv" help:"Instead of two texts: pairs of them, one per line, separated by a tab, as score reads them."`
	lineFlags
}

func (c *Distance) Help() string {
	return methodHelp + "With --pairs, distances.txt has one distance per line, or \"unknown\" where a text has no " +
		"known word. " +
		batchHelp + " repro explain shows what makes up the number.\n\n" + sentencesHelp
}

func (c *Distance) Run(e *cli.Env) error {
	if c.Pairs != "" {
		return c.makeAll(e, "--pairs: expected", c.From != "" || c.To != "", "no texts", "distances",
			func(s *cmdlib.Space) (*batch.Batch, error) { return batch.Distances(s, c.Pairs, c.Out) })
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
	a, err := answer.Compare(e, s.Space, c.From, c.To)
	if err != nil {
		return c.asked(err)
	}
	warn(a.Unknown())
	a.Worst = convergence.Warn(monitor, hint)
	if err := a.Stand(e); err != nil {
		return err
	}
	if c.JSON {
		return e.JSON(a)
	}
	fmt.Fprintf(e.Out, "%.6g\n", a.Distance)
	for _, note := range a.Notes() {
		fmt.Fprintln(e.Out, printable.Text(note))
	}
	return nil
}
