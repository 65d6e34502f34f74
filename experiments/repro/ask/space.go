// Package ask has the commands that ask a space about words and sentences: numbers, plans and drawings.
package ask

import (
	"errors"
	"log/slog"
	"path/filepath"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/ot"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/repro/cli"
)

// spaceFlags choose the space that words and sentences are looked up in.
type spaceFlags struct {
	Space string `placeholder:"DIR" help:"Folder of a space, as build makes it (default: the profile's, made if need be)."`
	cli.WorkspaceFlags
	JSON bool `name:"json" help:"Print JSON."`
}

// Validate refuses what says how to make a space beside one that is there.
func (f *spaceFlags) Validate() error {
	if f.Space != "" && (f.Profile != cli.DefaultProfile || f.Store != "" || len(f.Set) > 0) {
		return errors.New("--profile, --store and --set belong to the space of a profile: leave them out, or --space")
	}
	return nil
}

// open opens the space with an engine that keeps account of convergence.
func (f *spaceFlags) open(e *cli.Env) (*cmdlib.Space, *ot.Monitor, error) {
	if f.Space != "" {
		engine, err := pipeline.Engine(f.Engine)
		if err != nil {
			return nil, nil, err
		}
		monitor := &ot.Monitor{Engine: engine}
		s, err := cmdlib.Open(f.Space, monitor)
		if err != nil {
			return nil, nil, cli.BadData(err)
		}
		return s, monitor, nil
	}
	w, err := f.Workspace(e)
	if err != nil {
		return nil, nil, err
	}
	monitor := &ot.Monitor{Engine: w.Engine}
	w.Engine = monitor
	s, _, err := w.OpenSpace(e)
	return s, monitor, err
}

// hint is what helps problems of the space to converge.
func (f *spaceFlags) hint() string {
	if f.Space != "" {
		return "a larger max_iterations or reg in " + filepath.Join(f.Space, "space.json")
	}
	return "a larger space.iterations or space.reg: --set or the profile"
}

// sentencesHelp says how the words of a text are combined.
const sentencesHelp = "The words of a longer text are combined as the space says: by the weighted average of their histograms, or by their Wasserstein barycenter, debiased or not (space.method of a profile, build --sentences). The profiles mini and open take the average; --json says which under sentences."

// combined says how the words of texts with these numbers of words were combined; empty if all are
// single words, which have histograms of their own.
func combined(s *cmdlib.Space, words ...int) cmdlib.Combination {
	for _, n := range words {
		if n != 1 {
			return s.Settings.Sentence.Combination
		}
	}
	return ""
}

// asked gives the error of a word that the space does not know the code of wrong usage,
// and looks for similar words while the space is open.
func asked(err error) error {
	var unknown *cmdlib.UnknownError
	if errors.As(err, &unknown) {
		return cli.BadUsage("%s", err.Error())
	}
	return err
}

// leftOut tells about the words of a text that the space does not know.
func leftOut(text string, unknown []string) {
	if len(unknown) > 0 {
		slog.Warn("unknown words are left out", "text", text, "words", strings.Join(unknown, " "))
	}
}
