package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"contextmover/experiments"
	"contextmover/experiments/figure"
)

// figureDensityCmd and its like draw one figure of any words. The figure goes to the
// profile's folder of figures; the paths of its files go to stdout.
type figureDensityCmd struct {
	Words []string `arg:"" help:"Words, up to five."`
	workspaceFlags
}

func (c *figureDensityCmd) Run(e *env) error {
	return c.drawFigure(e, "density", c.Words, func(w *experiments.Workspace, id string) (*figure.Figure, error) {
		return w.DensityFigure(e, id, c.Words, nil)
	})
}

type figureCombineCmd struct {
	Words []string `arg:"" help:"Words, up to five."`
	workspaceFlags
}

func (c *figureCombineCmd) Run(e *env) error {
	return c.drawFigure(e, "combine", c.Words, func(w *experiments.Workspace, id string) (*figure.Figure, error) {
		return w.CombinationFigure(e, id, c.Words, nil)
	})
}

type figurePlanCmd struct {
	From     string `arg:"" help:"A word."`
	To       string `arg:"" help:"Another."`
	Contexts int    `default:"4" placeholder:"N" help:"Draw N contexts of each word (default ${default})."`
	Top      int    `default:"20" placeholder:"N" help:"Draw them from the N with the largest associations (default ${default})."`
	workspaceFlags
}

func (c *figurePlanCmd) Run(e *env) error {
	if c.Contexts < 1 || c.Top < c.Contexts {
		return badUsage("--contexts=%d --top=%d: expected at least 1 context, of at least as many top ones", c.Contexts, c.Top)
	}
	return c.drawFigure(e, "plan", []string{c.From, c.To}, func(w *experiments.Workspace, id string) (*figure.Figure, error) {
		return w.PlanFigure(e, id, c.From, c.To, c.Contexts, c.Top)
	})
}

type figureFlowCmd struct {
	From     string `arg:"" help:"A word."`
	To       string `arg:"" help:"Another."`
	Contexts int    `default:"10" placeholder:"N" help:"Show the N strongest clusters of contexts of each word (default ${default})."`
	workspaceFlags
}

func (c *figureFlowCmd) Run(e *env) error {
	if c.Contexts < 1 {
		return badUsage("--contexts=%d: expected at least 1", c.Contexts)
	}
	return c.drawFigure(e, "flow", []string{c.From, c.To}, func(w *experiments.Workspace, id string) (*figure.Figure, error) {
		return w.FlowFigure(e, id, c.From, c.To, c.Contexts)
	})
}

// mostWords is the number of words that can be told apart on one map.
const mostWords = 5

func (f workspaceFlags) drawFigure(e *env, kind string, words []string, describe func(w *experiments.Workspace, id string) (*figure.Figure, error)) error {
	if len(words) > mostWords {
		return badUsage("%d words, expected at most %d: more cannot be told apart", len(words), mostWords)
	}
	w, err := f.workspace(e)
	if err != nil {
		return err
	}
	described, err := describe(w, fileStem(kind, words))
	if unknown := (*experiments.UnknownWordError)(nil); errors.As(err, &unknown) {
		return coded{err, exitUsage}
	}
	if err != nil {
		return err
	}
	dir := filepath.Join("figures", w.Profile.Name)
	if err := figure.Write(dir, described); err != nil {
		return err
	}
	for _, extension := range []string{".svg", ".pdf", ".png"} {
		fmt.Fprintln(e.out, filepath.Join(dir, described.ID+extension))
	}
	return nil
}

// fileStem is the kind and the words, without what must not stand in the name of a file.
func fileStem(kind string, words []string) string {
	stem := kind + "_" + strings.Join(words, "_")
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' {
			return r
		}
		return '_'
	}, stem)
}
