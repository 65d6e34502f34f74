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
	Words   int    `placeholder:"N" help:"Keep the N most frequent words (default: all)."`
	Vectors int    `placeholder:"N" help:"Keep vectors of the N most frequent words (default: of those of --words)."`
	Dim     int    `placeholder:"N" help:"Keep the first N dimensions of vectors, which singular vectors can do with (default: all)."`
	Out     string `required:"" placeholder:"FILE" help:"File to write the space to."`
}

func (c *Pack) Help() string {
	return "A packed space is a tenth of the size or less, and every command takes it as --space FILE. Its histograms have fewer digits, and its vectors 8 bits a number; what the first changes is measured on 200 words and told. Words beyond --words with a vector have no contexts, but take part in vectors of texts. Numbers and signs are left out; punctuation stays."
}

// The packed space is compared with the one it comes from by so many words and neighbours of each.
const (
	comparedWords   = 200
	comparedNearest = 10
)

func (c *Pack) Validate() error {
	for name, n := range map[string]int{"words": c.Words, "vectors": c.Vectors, "dim": c.Dim} {
		if n < 0 {
			return fmt.Errorf("--%s=%d: expected at least 1", name, n)
		}
	}
	return c.SpaceFlags.Validate()
}

func (c *Pack) Run(e *cli.Env) error {
	s, engine, err := c.Open(e)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Pack(e, c.Out, cmdlib.Packing{Words: c.Words, Vectors: c.Vectors, Dim: c.Dim, Keep: isWord}); err != nil {
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
