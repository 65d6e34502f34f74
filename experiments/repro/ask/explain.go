package ask

import (
	"math"

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
	Contexts int     `default:"6" placeholder:"N" help:"Show the N contexts with most mass on each side, or the N largest terms (default ${default})."`
	Partial  float64 `placeholder:"ρ" help:"Show what one text has and the other lacks: the contexts without a partner nearer than 2ρ, in the units of the ground cost."`
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
	a, err := answer.Explain(e, by, c.From, c.To, c.Contexts)
	if err != nil {
		return c.asked(err)
	}
	a.Worst = convergence.Warn(monitor, hint)
	if err := a.Stand(e); err != nil {
		return err
	}
	if c.JSON {
		warn(a.Unknown())
		return e.JSON(a)
	}
	return e.Table(a.Table(c.Contexts))
}

// overlap shows what the two sides have in common and what each lacks.
func (c *Explain) overlap(e *cli.Env, s *cmdlib.Space) error {
	x, err := s.Overlap(e, c.From, c.To, c.Partial, c.Contexts)
	if err != nil {
		return c.asked(err)
	}
	leftOut(c.From, x.From.Unknown)
	leftOut(c.To, x.To.Unknown)
	a := answer.OverlapOf(s, x)
	if c.JSON {
		return e.JSON(a)
	}
	return e.Table(a.Table())
}
