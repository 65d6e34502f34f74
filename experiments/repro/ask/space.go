// Package ask has the commands that ask a space about words and sentences: numbers, plans and drawings.
package ask

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/ot"
	"contextmover/experiments/repro/cli"
)

// spaceFlags choose the space that words and sentences are looked up in.
type spaceFlags struct {
	cli.SpaceFlags
	In []string `sep:"none" xor:"in" placeholder:"FILE|FOLDER" help:"Estimate words that the space does not know, and phrases of up to five words, from their occurrences in this text. Repeat the flag for more."`
}

// methodFlags choose the method that a question is answered by.
type methodFlags struct {
	Method string `sep:"none" placeholder:"NAME[,KEY=VALUE…]" help:"How texts are compared: by vectors (nearest, sif, nbow) or by transport (average, comb, debiased), with settings after commas, such as sif,a=1e-4 or average,reg=0.05,iters=200 (default: what scored best on validation data, as the space records)."`
}

// splitSettings takes the settings of transport, reg and iters, from the text of a method.
func splitSettings(text string) (name string, transport ot.Settings, err error) {
	var rest []string
	for i, setting := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(setting, "=")
		switch {
		case i > 0 && key == "reg":
			transport.Reg, err = strconv.ParseFloat(value, 64)
			if err != nil || !(transport.Reg > 0 && transport.Reg <= math.MaxFloat64) {
				return "", transport, fmt.Errorf("%q: %s: expected a positive number", text, setting)
			}
		case i > 0 && key == "iters":
			transport.MaxIter, err = strconv.Atoi(value)
			if err != nil || transport.MaxIter < 1 {
				return "", transport, fmt.Errorf("%q: %s: expected a number of at least 1", text, setting)
			}
		default:
			rest = append(rest, setting)
		}
	}
	return strings.Join(rest, ","), transport, nil
}

// methodHelp says what the methods are good for.
const methodHelp = "--method says how texts are compared. nearest pairs each word with the nearest word of the " +
	"other text, and sif compares the vectors that repro encode makes: both agree better with people than transport " +
	"does, are many times faster, and are explained by pairs of words. average, comb and debiased are the context " +
	"mover's distance, which turns the contexts of one text into those of the other and is explained by contexts. " +
	"Their settings are reg, the entropic regularisation in the units of the cost, and iters, the largest number of " +
	"iterations. repro methods lists what each method needs.\n\n"

// by returns a view of a space that is asked by a method.
func (m methodFlags) by(s *cmdlib.Space) (*cmdlib.Space, error) {
	name, transport, err := splitSettings(m.Method)
	if err == nil {
		s, err = s.With(cmdlib.Options{Method: name, Settings: transport})
	}
	if err != nil {
		err = cli.BadUsage("--method %w", err)
	}
	return s, err
}

// openBy opens the space, to be asked by a method, with an engine that keeps account of convergence. It learns what it
// does not know of the texts that it is to be asked about.
func (f *spaceFlags) openBy(e *cli.Env, m methodFlags, texts ...string) (*cmdlib.Space, *ot.Monitor, error) {
	opened, monitor, err := f.Open(e)
	if err != nil {
		return nil, nil, err
	}
	s, err := m.by(opened)
	if err == nil {
		s, err = f.learn(e, s, texts)
	}
	if err != nil {
		return nil, nil, errors.Join(err, opened.Close())
	}
	return s, monitor, nil
}

// hint is what helps problems of the space to converge.
const hint = "a larger iters or reg among the settings of --method"

// sentencesHelp says how the words of a text are combined.
const sentencesHelp = "By transport, words of longer texts are combined as the space records: by the weighted " +
	"average of their histograms, or by their Wasserstein barycenter, debiased or not (space.method of a profile, " +
	"build --sentences). The spaces english, mini and open take the average; --json says which under sentences."

// asked gives the error of a word that the space does not know the code of wrong usage.
func asked(err error) error {
	if errors.As(err, new(*cmdlib.UnknownError)) {
		return cli.BadUsage("%w", err)
	}
	return err
}

// warn says what there is to say.
func warn(message string) {
	if message != "" {
		slog.Warn(message)
	}
}
