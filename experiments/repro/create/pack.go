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
	Words     int    `placeholder:"N" help:"Keep the N most frequent words (default: all)."`
	Vectors   int    `placeholder:"N" help:"Keep vectors of the N most frequent words (default: of those of --words)."`
	Dim       int    `placeholder:"N" help:"Keep the first N dimensions of vectors, which singular vectors can do with (default: all)."`
	Bits      int    `placeholder:"N" help:"Bits of a number of a vector: 3, 4 or 8 (default: 8)."`
	Calibrate bool   `help:"Record what people say of pairs of texts with a cosine: of the validation sets of the space's profile."`
	Out       string `required:"" placeholder:"FILE" help:"File to write the space to."`
}

func (c *Pack) Help() string {
	return "A packed space is a tenth of the size or less, and every command takes it as --space FILE. Its " +
		"histograms have fewer digits, and its vectors 8 bits a number, or 4 or 3; what the first changes is " +
		"measured on 200 words and told. Words beyond --words with a vector have no contexts, but take part in " +
		"vectors of texts. Numbers and signs are left out; punctuation stays."
}

// The packed space is compared with the one it comes from by so many words and neighbours of each.
const (
	comparedWords   = 200
	comparedNearest = 10
)

func (c *Pack) Validate() error {
	for _, flag := range []struct {
		name  string
		value int
	}{{"words", c.Words}, {"vectors", c.Vectors}, {"dim", c.Dim}} {
		if flag.value < 0 {
			return fmt.Errorf("--%s=%d: expected at least 1", flag.name, flag.value)
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
	p := cmdlib.Packing{Words: c.Words, Vectors: c.Vectors, Dim: c.Dim, Bits: c.Bits, Keep: isWord}
	if c.Calibrate {
		if p.Calibrate, err = c.calibration(e); err != nil {
			return err
		}
	}
	if err := s.Pack(e, c.Out, p); err != nil {
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
	fmt.Fprintf(e.Out, "%d words asked in both\t%.1f %% of their %d nearest are the same, for %.1f %% the nearest "+
		"one; distances differ by %.5f on average and %.5f at most, of %.3f\n",
		a.Words, 100*a.Shared, a.Nearest, 100*a.First, a.Off, a.MostOff, a.Distance)
	return nil
}

// calibration fits what people say, on a scale of 0 to 5, to cosines of the pairs of the profile's validation sets.
func (c *Pack) calibration(e *cli.Env) (func(*cmdlib.Space) (*cmdlib.Calibration, error), error) {
	w, ok, err := c.ProfileWorkspace(e)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, cli.BadUsage("--calibrate: expected the space of a profile, which has validation sets")
	}
	var pairs []cmdlib.Pair
	var gold []float64
	var names []string
	for _, g := range w.Profile.STS.Groups {
		if !g.Validation {
			continue
		}
		names = append(names, g.Name)
		for _, set := range g.Sets {
			lines, err := w.PairLines(e, set)
			if err != nil {
				return nil, err
			}
			for _, p := range lines {
				pairs, gold = append(pairs, cmdlib.Pair{A: p.A, B: p.B}), append(gold, p.Gold)
			}
		}
	}
	return func(packed *cmdlib.Space) (*cmdlib.Calibration, error) {
		m, err := packed.Method(cmdlib.SIF)
		if err != nil {
			return nil, err
		}
		scores, err := packed.Score(e, pairs, m, nil)
		if err != nil {
			return nil, err
		}
		return cmdlib.Calibrate(scores.Value, gold, 0, 5, strings.Join(names, ", "))
	}, nil
}

// isWord tells whether a token is a word or a mark of punctuation: not a number, a sign or a row of dashes.
func isWord(token string) bool {
	return strings.ContainsFunc(token, unicode.IsLetter) || len(token) == 1 && strings.Contains(`.,;:!?'"-()`, token)
}
