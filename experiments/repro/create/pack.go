package create

import (
	"fmt"
	"os"
	"strings"
	"unicode"

	"contextmover/cmdlib"
	"contextmover/experiments/repro/cli"
)

// Pack is repro pack.
type Pack struct {
	cli.SpaceFlags
	Words int    `placeholder:"N" help:"Keep the N most frequent words (default: all)."`
	Out   string `required:"" placeholder:"FILE" help:"File to write the space to."`
}

func (c *Pack) Help() string {
	return "A packed space is a tenth of the size or less, and every command takes it as --space FILE. Its histograms have fewer digits, and it has no vectors of words, which score --method nbow, sif and -mix take; what that changes is measured on 200 words and told. Numbers and signs are left out; punctuation stays."
}

// The packed space is compared with the one it comes from by so many words and neighbours of each.
const (
	comparedWords   = 200
	comparedNearest = 10
)

func (c *Pack) Validate() error {
	if c.Words < 0 {
		return fmt.Errorf("--words=%d: expected at least 1", c.Words)
	}
	return c.SpaceFlags.Validate()
}

func (c *Pack) Run(e *cli.Env) error {
	s, engine, err := c.Open(e)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Pack(e, c.Out, c.Words, isWord); err != nil {
		return err
	}
	info, err := os.Stat(c.Out)
	if err != nil {
		return err
	}
	packed, err := cmdlib.Open(c.Out, engine)
	if err != nil {
		return err
	}
	defer packed.Close()
	fmt.Fprintf(e.Out, "%s\t%s\n", c.Out, cli.Size(info.Size()))
	if len(packed.Words) <= comparedNearest+1 {
		return nil
	}
	a, err := s.Agreement(e, packed, comparedWords, comparedNearest)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "%d words asked in both\t%.1f %% of their %d nearest are the same, for %.1f %% the nearest one; distances differ by %.5f on average and %.5f at most, of %.3f\n",
		a.Words, 100*a.Shared, a.Nearest, 100*a.First, a.Off, a.MostOff, a.Distance)
	return nil
}

// isWord tells whether a token is a word or a mark of punctuation: not a number, a sign or a row of dashes.
func isWord(token string) bool {
	return strings.ContainsFunc(token, unicode.IsLetter) || len(token) == 1 && strings.Contains(`.,;:!?'"-()`, token)
}
