// Package ask has the commands that ask a space about words and sentences: numbers, plans and drawings.
package ask

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/ot"
	"contextmover/experiments/repro/cli"
)

// spaceFlags choose the space that words and sentences are looked up in.
type spaceFlags struct {
	cli.SpaceFlags
	JSON bool     `name:"json" group:"common" help:"Print JSON."`
	In   []string `sep:"none" placeholder:"FILE|FOLDER" help:"Estimate words that the space does not know, and phrases of up to five words, from their occurrences in this text. Repeat the flag for more."`
}

// methodFlags choose the method that a question is answered by.
type methodFlags struct {
	Method string `sep:"none" placeholder:"NAME[,KEY=VALUE…]" help:"How texts are compared: by vectors (nearest, sif, nbow) or by transport (average, comb, debiased), with settings after commas, such as sif,a=1e-4 or average,reg=0.05,iters=200 (default: what scored best on validation data, as the space records)."`
}

// splitSettings takes the settings of transport, reg and iters, from the text of a method.
func splitSettings(text string) (of string, transport ot.Settings, err error) {
	var rest []string
	for i, setting := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(setting, "=")
		switch {
		case i > 0 && key == "reg":
			if transport.Reg, err = strconv.ParseFloat(value, 64); err != nil || !(transport.Reg > 0) ||
				math.IsInf(transport.Reg, 0) {
				return "", transport, fmt.Errorf("%q: %s: expected a positive number", text, setting)
			}
		case i > 0 && key == "iters":
			if transport.MaxIter, err = strconv.Atoi(value); err != nil || transport.MaxIter < 1 {
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

// asking is an opened space that is asked.
type asking struct {
	*cmdlib.Space
	opened *cmdlib.Space // whose files it has
}

// Close closes the space.
func (a asking) Close() error { return a.opened.Close() }

// open opens the space with an engine that keeps account of convergence, and the settings that it
// is to be asked with; it learns what it does not know of the texts that it is to be asked about.
func (f *spaceFlags) open(e *cli.Env, texts ...string) (asking, *ot.Monitor, error) {
	return f.openBy(e, methodFlags{}, texts...)
}

// openBy is open, for questions that are answered by a method.
func (f *spaceFlags) openBy(e *cli.Env, m methodFlags, texts ...string) (asking, *ot.Monitor, error) {
	var o cmdlib.Options
	var err error
	if o.Method, o.Settings, err = splitSettings(m.Method); err != nil {
		return asking{}, nil, cli.BadUsage("--method %w", err)
	}
	if err := checkMethod(o.Method); err != nil {
		return asking{}, nil, cli.BadUsage("%w", err)
	}
	return f.openAs(e, o, texts...)
}

// openAs is open, with settings that replace those of the space.
func (f *spaceFlags) openAs(e *cli.Env, o cmdlib.Options, texts ...string) (asking, *ot.Monitor, error) {
	s, monitor, err := f.Open(e)
	if err != nil {
		return asking{}, nil, err
	}
	o.Engine = monitor
	with, err := s.With(o)
	if err != nil {
		return asking{}, nil, cli.BadUsage("%w", errors.Join(err, s.Close()))
	}
	if with, err = f.learn(e, with, texts); err != nil {
		return asking{}, nil, errors.Join(err, s.Close())
	}
	return asking{with, s}, monitor, nil
}

// hint is what helps problems of the space to converge.
const hint = "a larger iters or reg among the settings of --method"

// sentencesHelp says how the words of a text are combined.
const sentencesHelp = "By transport, words of longer texts are combined as the space records: by the weighted " +
	"average of their histograms, or by their Wasserstein barycenter, debiased or not (space.method of a profile, " +
	"build --sentences). The spaces english, mini and open take the average; --json says which under sentences."

// asked gives the error of a word that the space does not know the code of wrong usage,
// and looks for similar words while the space is open.
func asked(err error) error {
	var unknown *cmdlib.UnknownError
	if errors.As(err, &unknown) {
		return cli.BadUsage("%w", err)
	}
	return err
}

// asked returns what the function does, and says what else can be done where no text is given.
func (f *spaceFlags) asked(err error) error {
	if err = asked(err); len(f.In) == 0 && errors.As(err, new(*cmdlib.UnknownError)) {
		return cli.BadUsage("%w; --in FILE learns what the space does not know from a text of your own", err)
	}
	return err
}

// noFiles refuses a text of several words one of which is a file: whoever writes that has left out an --in.
func noFiles(words []string) error {
	for _, word := range words {
		if info, err := os.Stat(word); len(words) > 1 && err == nil && filepath.Ext(word) != "" &&
			info.Mode().IsRegular() {
			return cli.BadUsage(
				"%s is a file: put --in before it to read it, or quotes around the whole text", word,
			)
		}
	}
	return nil
}

// warn says what there is to say.
func warn(message string) {
	if what, words, ok := strings.Cut(message, ": "); ok {
		slog.Warn(what, "words", words)
	}
}

// leftOut tells about the words of a text that the space does not know.
func leftOut(text string, unknown []string) {
	if len(unknown) > 0 {
		slog.Warn("unknown words are left out", "text", text, "words", strings.Join(unknown, " "))
	}
}
