package ask

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/usage"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/answer"
	"contextmover/experiments/show/convergence"
	"contextmover/internal/printable"
)

// Senses is repro senses.
type Senses struct {
	sensesFlags
}

// sensesFlags say of what senses are to be found.
type sensesFlags struct {
	Word   string `arg:"" help:"A word or, in quotes, a phrase."`
	Senses int    `min:"1" placeholder:"K" help:"How many senses to find (default: as many as are best apart, 2 to 6)."`
	spaceFlags
}

func (c *Senses) Help() string {
	return "The places where the word stands in the text of --in are grouped by the vectors of the words around " +
		"them, with k-means. Each group has the contexts, the neighbours and the sentences that are typical of it. " +
		"There are always groups, whether the word has several senses or not."
}

func (c *sensesFlags) Validate() error {
	if len(c.In) == 0 {
		return errors.New("expected --in FILE|FOLDER: the text that the word stands in")
	}
	return nil
}

// find returns the senses in a space, and the occurrences that they are of.
func (c *sensesFlags) find(e *cli.Env, s *cmdlib.Space) (*usage.Senses, []corpus.Occurrence, error) {
	in, err := cli.Text(c.In)
	if err != nil {
		return nil, nil, err
	}
	list, _, err := in.Occurrences(e, []string{c.Word}, usage.MostOccurrences, e.Progress.Step("look for "+c.Word))
	if err != nil {
		return nil, nil, cli.BadData(err)
	}
	done := e.Progress.While("group the occurrences of " + c.Word)
	found, err := usage.FindSenses(e, s, list[0], c.Senses)
	done()
	if errors.Is(err, usage.ErrFew) || errors.Is(err, cmdlib.ErrNoReference) || errors.Is(err, cmdlib.ErrNoVectors) {
		err = cli.BadData(fmt.Errorf("%q in %s: %w", c.Word, strings.Join(c.In, " "), err))
	}
	return found, list[0], err
}

func (c *Senses) Run(e *cli.Env) error {
	s, monitor, err := c.openBy(e, methodFlags{})
	if err != nil {
		return err
	}
	defer s.Close()
	s = s.ByTransport()
	found, occurrences, err := c.find(e, s)
	if err != nil {
		return err
	}
	out, err := answer.SensesOf(e, s, c.Word, found, occurrences)
	if err != nil {
		return err
	}
	out.Worst = convergence.Warn(monitor, hint)
	if e.AsJSON {
		return e.JSON(out)
	}
	for _, sense := range out.Senses {
		var contexts []string
		for _, x := range sense.Contexts {
			contexts = append(contexts, fmt.Sprintf("%s %.0f %%", strings.Join(x.Name, " "), 100*x.Mass))
		}
		fmt.Fprintf(e.Out, "%s\t%.0f %%, %d occurrences\n",
			printable.Text(sense.Name), 100*sense.Share, sense.Occurrences)
		fmt.Fprintf(e.Out, "  near\t%s\n  contexts\t%s\n",
			printable.Text(answer.Words(sense.Neighbours)), printable.Text(strings.Join(contexts, "; ")))
		for _, example := range sense.Examples {
			fmt.Fprintf(e.Out, "  example\t%s\n", example)
		}
	}
	slog.Info("grouped", "occurrences", len(occurrences), "unclear", out.Unclear,
		"silhouette", fmt.Sprintf("%.3f", out.Silhouette))
	return nil
}
