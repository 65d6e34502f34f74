package ask

import (
	"fmt"
	"log/slog"
	"strings"

	"contextmover/experiments/repro/batch"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/answer"
	"contextmover/experiments/show/convergence"
	"contextmover/internal/printable"
)

// Neighbours is repro neighbours.
type Neighbours struct {
	Text  []string `arg:"" optional:"" help:"A word or a text."`
	Texts string   `and:"file" xor:"in" placeholder:"FILE" help:"Instead of one text: words or texts, one per line."`
	N     int      `short:"n" default:"10" min:"1" placeholder:"N" help:"How many to list (default ${default})."`
	batchFlags
	methodFlags
	spaceFlags
}

func (c *Neighbours) Help() string {
	return methodHelp + "With --texts, neighbours.tsv has one line per neighbour: the line number of the text, the " +
		"distance and the word, or the number and \"unknown\". " + batchHelp +
		"\n\nBy transport, words that a lower bound of their distance rules out need no transport problem. The " +
		"result is that of solving all, as long as no word that is ruled out would have a marginal error above 0.002 " +
		"and above eight times the largest of those solved.\n\n" +
		sentencesHelp
}

func (c *Neighbours) Run(e *cli.Env) error {
	text := strings.Join(c.Text, " ")
	if (text == "") == (c.Texts == "") {
		return cli.BadUsage("expected either \"<text>\", a word or a text, or --texts FILE")
	}
	s, monitor, err := c.openBy(e, c.methodFlags, text)
	if err != nil {
		return err
	}
	defer s.Close()
	if c.Texts != "" {
		b, err := batch.Neighbours(s, c.Texts, c.N, c.Out)
		if err != nil {
			return err
		}
		return makeBatch(e, c.Share, b, monitor)
	}
	found, err := answer.Nearest(e, s, text, c.N)
	if err != nil {
		return asked(err)
	}
	warn(found.Left())
	found.Worst = convergence.Warn(monitor, hint)
	if e.AsJSON {
		return e.JSON(found)
	}
	for _, n := range found.Nearest {
		fmt.Fprintf(e.Out, "%s\t%s\n", fixed(n.Distance), printable.Text(n.Word))
	}
	slog.Info("compared", "words", found.Compared, "solved", found.Solved,
		"seconds", fmt.Sprintf("%.2f", found.Seconds))
	return nil
}
