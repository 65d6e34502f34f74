package ask

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/usage"
	"contextmover/experiments/harness/convergence"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
)

// Senses is repro senses.
type Senses struct {
	sensesFlags
}

// sensesFlags say of what senses are to be found.
type sensesFlags struct {
	Word   string `arg:"" help:"A word or, in quotes, a phrase."`
	Senses int    `placeholder:"K" help:"How many senses to find (default: as many as are best apart, 2 to 6)."`
	spaceFlags
}

func (c *Senses) Help() string {
	return "The places where the word stands in the text of --in are grouped by the vectors of the words around " +
		"them, " +
		"with k-means; in a space without vectors with k-medoids under the context mover's distance. Each group " +
		"has the " +
		"contexts, the neighbours and the sentences that are typical of it. There are always groups: whether they " +
		"are " +
		"senses is for you to see."
}

func (c *sensesFlags) Validate() error {
	switch {
	case c.Senses < 0:
		return fmt.Errorf("--senses=%d: expected at least 1", c.Senses)
	case len(c.In) == 0:
		return errors.New("expected --in FILE|FOLDER: the text that the word stands in")
	}
	return nil
}

// What is shown of a sense.
const (
	senseContexts, senseNeighbours, senseExamples = 4, 8, 3
	// exampleWords is the number of words that an example shows on each side.
	exampleWords = 10
)

// jsonSense is a sense in JSON.
type jsonSense struct {
	Name        string           `json:"name"`
	Share       float64          `json:"share"`
	Occurrences int              `json:"occurrences"`
	Contexts    []cmdlib.Context `json:"contexts"`
	Neighbours  []jsonNeighbour  `json:"neighbours"`
	Examples    []jsonPlace      `json:"examples"`
}

type jsonSenses struct {
	Word       string      `json:"word"`
	Method     string      `json:"method"`
	Silhouette float64     `json:"silhouette"`
	Unclear    int         `json:"unclear"`
	Senses     []jsonSense `json:"senses"`
	*convergence.Worst
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
	if errors.Is(err, usage.ErrFew) || errors.Is(err, cmdlib.ErrNoReference) {
		err = cli.BadData(fmt.Errorf("%q in %s: %w", c.Word, strings.Join(c.In, " "), err))
	}
	return found, list[0], err
}

func (c *Senses) Run(e *cli.Env) error {
	opened, monitor, err := c.open(e)
	if err != nil {
		return err
	}
	defer opened.Close()
	s := opened.ByTransport()
	found, occurrences, err := c.find(e, s)
	if err != nil {
		return err
	}
	learned, names := found.Learn(s, c.Word)
	out := jsonSenses{Word: c.Word, Method: found.Method, Silhouette: found.Silhouette, Unclear: len(found.Unclear)}
	for i, sense := range found.Senses {
		j := jsonSense{Name: names[i], Share: sense.Share, Occurrences: len(sense.Occurrences)}
		card, err := learned.Explain(e, names[i], names[i], senseContexts)
		if err != nil {
			return err
		}
		j.Contexts = card.From.Contexts
		learned := s.Learn(map[string]*cmdlib.Estimate{names[i]: sense.Estimate})
		near, err := learned.Neighbours(e, names[i], senseNeighbours)
		if err != nil {
			return err
		}
		for _, n := range near.Nearest {
			j.Neighbours = append(j.Neighbours, jsonNeighbour(n))
		}
		var own []corpus.Occurrence
		for _, o := range sense.Occurrences {
			own = append(own, occurrences[o])
		}
		j.Examples = occurring(own, senseExamples, exampleWords)
		out.Senses = append(out.Senses, j)
	}
	convergence.Warn(monitor, hint)
	if c.JSON {
		out.Worst = convergence.Of(monitor)
		return e.JSON(out)
	}
	for _, sense := range out.Senses {
		var near, contexts []string
		for _, n := range sense.Neighbours {
			near = append(near, n.Word)
		}
		for _, x := range sense.Contexts {
			contexts = append(contexts, fmt.Sprintf("%s %.0f %%", strings.Join(x.Name, " "), 100*x.Mass))
		}
		fmt.Fprintf(e.Out, "%s\t%.0f %%, %d occurrences\n",
			printable.Text(sense.Name), 100*sense.Share, sense.Occurrences)
		fmt.Fprintf(e.Out, "  near\t%s\n  contexts\t%s\n",
			printable.Text(strings.Join(near, ", ")), printable.Text(strings.Join(contexts, "; ")))
		for _, example := range sense.Examples {
			fmt.Fprintf(e.Out, "  example\t%s\n", example)
		}
	}
	slog.Info("grouped", "by", out.Method, "occurrences", len(occurrences), "unclear", out.Unclear,
		"silhouette", fmt.Sprintf("%.3f", out.Silhouette))
	return nil
}
