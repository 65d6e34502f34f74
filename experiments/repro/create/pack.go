package create

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode"

	"contextmover/cmdlib"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
)

// packFlags say what space is packed instead of building one, and how small.
type packFlags struct {
	Space string         `xor:"from,pack" placeholder:"NAME|FILE" help:"Instead of building: pack this space into the file --out, about half its size, which every command takes as --space FILE."`
	Pack  map[string]int `mapsep:"," placeholder:"KEY=N,…" help:"How small to pack it: words=N and vectors=N keep the N most frequent words, dim=N the first N dimensions of vectors (default: all), and bits=N takes 3, 4 or 8 bits a number (default: 8)."`
}

// The packed space is compared with the one it comes from by so many words and neighbours of each.
const (
	comparedWords   = 200
	comparedNearest = 10
)

// pack packs the space into a file and says what that changes. The space of a profile with validation sets records what
// people say of pairs of texts with a cosine.
func (f packFlags) pack(e *cli.Env, out string) error {
	for _, key := range slices.Sorted(maps.Keys(f.Pack)) {
		if n := f.Pack[key]; n < 1 || !slices.Contains([]string{"words", "vectors", "dim", "bits"}, key) {
			return cli.BadUsage("--pack %s=%d: expected words, vectors, dim or bits, and at least 1", key, n)
		}
	}
	from := cli.SpaceFlags{Space: f.Space, EngineFlag: cli.EngineFlag{Engine: "auto"}}
	s, engine, err := from.Open(e)
	if err != nil {
		return err
	}
	defer s.Close()
	p := cmdlib.Packing{
		Words: f.Pack["words"], Vectors: f.Pack["vectors"], Dim: f.Pack["dim"], Bits: f.Pack["bits"], Keep: isWord,
	}
	if p.Calibrate, err = calibration(e, from); err != nil {
		return err
	}
	if err := s.Pack(e, out, p); err != nil {
		return err
	}
	info, err := os.Stat(out)
	if err != nil {
		return err
	}
	packed, err := cmdlib.Open(out, engine)
	if err != nil {
		return err
	}
	defer packed.Close()
	fmt.Fprintf(e.Out, "%s\t%s\n", out, printable.Bytes(info.Size()))
	if err := e.Out.Flush(); err != nil || len(packed.Words) <= comparedNearest+1 {
		return err
	}
	done := e.Progress.While("compare words with those of the space")
	a, err := cmdlib.Agree(e, s, packed, comparedWords, comparedNearest)
	done()
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "%d words asked in both\t%.1f %% of their %d nearest are the same, for %.1f %% the nearest "+
		"one; distances differ by %.5f on average and %.5f at most, of %.3f\n",
		a.Words, 100*a.Shared, a.Nearest, 100*a.First, a.Off, a.MostOff, a.Distance)
	return nil
}

// calibration fits what people say, on a scale of 0 to 5, to similarities of the pairs of the validation sets of the
// space's profile; it is nil where there are none.
func calibration(e *cli.Env, of cli.SpaceFlags) (func(*cmdlib.Space) (*cmdlib.Calibration, error), error) {
	w, ok, err := of.ProfileWorkspace(e)
	if err != nil || !ok {
		return nil, err
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
	if len(pairs) == 0 {
		return nil, nil
	}
	return func(packed *cmdlib.Space) (*cmdlib.Calibration, error) {
		name := packed.Default()
		m, err := method.Named(packed, name)
		if err != nil {
			return nil, err
		}
		scores, err := method.ScoreIn(e, packed, pairs, m, nil)
		if err != nil {
			return nil, err
		}
		c, err := cmdlib.Calibrate(scores.Value, gold, 0, 5, strings.Join(names, ", "))
		if err == nil {
			c.Method = name
		}
		return c, err
	}, nil
}

// isWord tells whether a token is a word or a mark of punctuation: not a number, a sign or a row of dashes.
func isWord(token string) bool {
	return strings.ContainsFunc(token, unicode.IsLetter) || len(token) == 1 && strings.Contains(`.,;:!?'"-()`, token)
}
