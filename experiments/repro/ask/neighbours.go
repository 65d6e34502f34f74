package ask

import (
	"fmt"
	"log/slog"
	"strings"

	"contextmover/cmdlib"
	"contextmover/experiments/repro/batch"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/answer"
	"contextmover/experiments/show/convergence"
	"contextmover/internal/printable"
)

// Neighbours is repro neighbours.
type Neighbours struct {
	Text  []string `arg:"" optional:"" help:"A word or a text."`
	Texts string   `placeholder:"FILE" help:"Instead of one text: words or texts, one per line."`
	N     int      `short:"n" default:"10" placeholder:"N" help:"How many to list (default ${default})."`
	lineFlags
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
	if c.N < 1 {
		return cli.BadUsage("-n %d: expected at least 1", c.N)
	}
	if c.Texts != "" {
		return c.makeAll(e, "--texts: expected", len(c.Text) > 0, "no text", "neighbours",
			func(s *cmdlib.Space) (*batch.Batch, error) { return batch.Neighbours(s, c.Texts, c.N, c.Out) })
	}
	if c.given() {
		return cli.BadUsage("--out and --share belong to --texts")
	}
	if len(c.Text) == 0 {
		return cli.BadUsage("expected \"<text>\", a word or a text, or --texts FILE")
	}
	if err := noFiles(c.Text); err != nil {
		return err
	}
	text := strings.Join(c.Text, " ")
	s, monitor, err := c.openBy(e, c.methodFlags, text)
	if err != nil {
		return err
	}
	defer s.Close()
	found, err := answer.Nearest(e, s.Space, text, c.N)
	if err != nil {
		return c.asked(err)
	}
	warn(found.Left())
	found.Worst = convergence.Warn(monitor, hint)
	if c.JSON {
		return e.JSON(found)
	}
	for _, n := range found.Nearest {
		fmt.Fprintf(e.Out, "%s\t%s\n", fixed(n.Distance), printable.Text(n.Word))
	}
	attrs := []any{"words", found.Compared}
	if found.Solved > 0 {
		attrs = append(attrs, "solved", found.Solved,
			"spared", cli.Percent(int64(found.Compared-found.Solved), int64(found.Compared))+" %")
	}
	slog.Info("compared", append(attrs, "seconds", fmt.Sprintf("%.2f", found.Seconds))...)
	return nil
}
