package ask

import (
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/answer"
	"contextmover/experiments/show/convergence"
)

// Explain is repro explain.
type Explain struct {
	From     string  `arg:"" help:"A word or, in quotes, a text."`
	To       string  `arg:"" help:"Another."`
	Contexts int     `default:"6" min:"1" placeholder:"N" help:"Show the N contexts with most mass on each side, or the N largest terms (default ${default})."`
	Partial  float64 `positive:"" placeholder:"ρ" help:"Show what one text has and the other lacks: the contexts without a partner nearer than 2ρ, in the units of the ground cost."`
	methodFlags
	spaceFlags
}

func (c *Explain) Help() string {
	return "Two single words are explained by transport: the contexts of each, and what moves from which to which. " +
		"For texts you see the terms that add up to the number that repro distance prints: pairs of words, or with a " +
		"method of transport the contexts that move and the words that brought them.\n\n" +
		methodHelp + sentencesHelp
}

// single tells whether a text is one word to the space.
func single(s *cmdlib.Space, text string) bool { return s.Has(text) || len(corpus.Tokenise(text)) == 1 }

func (c *Explain) Run(e *cli.Env) error {
	s, monitor, err := c.openBy(e, c.methodFlags, c.From, c.To)
	if err != nil {
		return err
	}
	defer s.Close()
	if c.Partial != 0 {
		if c.Method != "" && s.ByVectors(c.From, c.To) {
			return cli.BadUsage("--partial: expected no --method %s, as it is of transport", c.Method)
		}
		x, err := s.Overlap(e, c.From, c.To, c.Partial, c.Contexts)
		if err != nil {
			return asked(err)
		}
		if unknown := slices.Concat(x.From.Unknown, x.To.Unknown); len(unknown) > 0 {
			warn("unknown words are left out: " + strings.Join(unknown, " "))
		}
		a := answer.OverlapOf(s, x)
		return e.Show(a, a.Table())
	}
	if c.Method == "" && single(s, c.From) && single(s, c.To) {
		s = s.ByTransport()
	}
	a, err := answer.Explain(e, s, c.From, c.To, c.Contexts)
	if err != nil {
		return asked(err)
	}
	a.Worst = convergence.Warn(monitor, hint)
	if err := a.Stand(e); err != nil {
		return err
	}
	return e.Show(a, a.Table(c.Contexts))
}
