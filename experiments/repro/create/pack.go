package create

import (
	"fmt"
	"os"
	"strings"
	"unicode"

	"contextmover/experiments/repro/cli"
)

// Pack is repro pack.
type Pack struct {
	cli.SpaceFlags
	Words int    `placeholder:"N" help:"Keep the N most frequent words (default: all)."`
	Out   string `required:"" placeholder:"FILE" help:"File to write the space to."`
}

func (c *Pack) Help() string {
	return "A packed space is a tenth of the size or less, and every command takes it as --space FILE. Its histograms have fewer digits, and it has no vectors of words, which score --method nbow, sif and -mix take. Numbers and signs are left out; punctuation stays."
}

func (c *Pack) Validate() error {
	if c.Words < 0 {
		return fmt.Errorf("--words=%d: expected at least 1", c.Words)
	}
	return c.SpaceFlags.Validate()
}

func (c *Pack) Run(e *cli.Env) error {
	s, _, err := c.Open(e)
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
	fmt.Fprintf(e.Out, "%s\t%s\n", c.Out, cli.Size(info.Size()))
	return nil
}

// isWord tells whether a token is a word or a mark of punctuation: not a number, a sign or a row of dashes.
func isWord(token string) bool {
	return strings.ContainsFunc(token, unicode.IsLetter) || len(token) == 1 && strings.Contains(`.,;:!?'"-()`, token)
}
