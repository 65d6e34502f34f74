package ask

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"contextmover/experiments/harness/convergence"
	"contextmover/experiments/paper/figures"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/figure"
)

// FigureDensity is repro figure density. It and its like draw one figure of any words or texts, those of a profile
// or, where it has all that the figure needs, of a space. The paths of the files go to stdout.
type FigureDensity struct {
	Words []string `arg:"" help:"Words or, in quotes, texts, up to five."`
	spaceFlags
	cli.FigureFlags
}

func (c *FigureDensity) Run(e *cli.Env) error {
	return drawInSpace(e, c.spaceFlags, c.FigureFlags, "density", c.Words,
		func(f wordFigures, id string) (*figure.Figure, error) {
			return f.Density(e, id, c.Words, nil)
		})
}

// FigureCombine is repro figure combine.
type FigureCombine struct {
	Words []string `arg:"" help:"Words or, in quotes, texts, up to five."`
	spaceFlags
	cli.FigureFlags
}

func (c *FigureCombine) Run(e *cli.Env) error {
	return drawInSpace(e, c.spaceFlags, c.FigureFlags, "combine", c.Words,
		func(f wordFigures, id string) (*figure.Figure, error) {
			return f.Combination(e, id, c.Words, nil)
		})
}

// FigurePlan is repro figure plan.
type FigurePlan struct {
	From     string `arg:"" help:"A word."`
	To       string `arg:"" help:"Another."`
	Contexts int    `default:"4" placeholder:"N" help:"Draw N contexts of each word (default ${default})."`
	Top      int    `default:"20" placeholder:"N" help:"Draw them from the N with the largest associations (default ${default})."`
	cli.WorkspaceFlags
	JSON bool `name:"json" help:"Print JSON."`
	cli.FigureFlags
}

func (c *FigurePlan) Help() string {
	return "Only words of a profile have such plans: a space of your own keeps no associations with single contexts. " +
		"Its plans between clusters are shown by figure flow."
}

func (c *FigurePlan) Run(e *cli.Env) error {
	if c.Contexts < 1 || c.Top < c.Contexts {
		return cli.BadUsage("--contexts=%d --top=%d: expected at least 1 context, of at least as many top ones",
			c.Contexts, c.Top)
	}
	w, err := c.Workspace(e)
	if err != nil {
		return err
	}
	drawn, err := (figures.OfProfile{Workspace: w}).Plan(e, fileStem("plan", []string{c.From, c.To}), c.From, c.To,
		c.Contexts, c.Top)
	return written(e, c.FigureFlags, drawn, err, w.Profile.Name, c.JSON)
}

// FigureFlow is repro figure flow.
type FigureFlow struct {
	From     string `arg:"" help:"A word or, in quotes, a text."`
	To       string `arg:"" help:"Another."`
	Contexts int    `default:"10" placeholder:"N" help:"Show the N strongest clusters of contexts of each (default ${default})."`
	spaceFlags
	cli.FigureFlags
}

func (c *FigureFlow) Run(e *cli.Env) error {
	if c.Contexts < 1 {
		return cli.BadUsage("--contexts=%d: expected at least 1", c.Contexts)
	}
	return drawInSpace(e, c.spaceFlags, c.FigureFlags, "flow", []string{
		c.From, c.To,
	}, func(f wordFigures, id string) (*figure.Figure, error) {
		return f.Flow(e, id, c.From, c.To, c.Contexts)
	})
}

func (c *FigureFlow) Help() string {
	return "Of a space, of texts, and with --reg, --iters or --sentences it is the plan behind what distance prints; " +
		"of two words of a profile that of the paper's figures."
}

// FigureSentences is repro figure sentences.
type FigureSentences struct {
	From string `arg:"" help:"A text, in quotes."`
	To   string `arg:"" help:"Another."`
	spaceFlags
	cli.FigureFlags
}

func (c *FigureSentences) Help() string {
	return "Next to each word is a bar as high as the mass that it brings. Its colour is what it costs to move " +
		"that; bands are the largest flows between words. " + sentencesHelp
}

func (c *FigureSentences) Run(e *cli.Env) error {
	return drawOfSpace(e, c.spaceFlags, c.FigureFlags, []string{
		c.From, c.To,
	}, func(f *figures.OfSpace) (*figure.Figure, error) {
		return f.Sentences(e, fileStem("sentences", []string{c.From, c.To}), c.From, c.To)
	})
}

// FigureSenses is repro figure senses.
type FigureSenses struct {
	sensesFlags
	cli.FigureFlags
}

func (c *FigureSenses) Help() string {
	return "The senses are those that repro senses finds in the text of --in, each in a colour with its share; of " +
		"more than five, the most frequent. Contexts are named by words of theirs that the sense stands near."
}

func (c *FigureSenses) Run(e *cli.Env) error {
	return drawOfSpace(e, c.spaceFlags, c.FigureFlags, nil, func(f *figures.OfSpace) (*figure.Figure, error) {
		found, _, err := c.find(e, f.Space)
		if err != nil {
			return nil, err
		}
		return f.Senses(e, fileStem("senses", []string{c.Word}), c.Word, found)
	})
}

// wordFigures is what draws: a workspace or a space.
type wordFigures interface {
	Density(ctx context.Context, id string, words, colour []string) (*figure.Figure, error)
	Combination(ctx context.Context, id string, words, colour []string) (*figure.Figure, error)
	Flow(ctx context.Context, id, from, to string, contexts int) (*figure.Figure, error)
}

// mostWords is the number of words that can be told apart on one map.
const mostWords = 5

func drawInSpace(e *cli.Env, f spaceFlags, out cli.FigureFlags, kind string, words []string, describe func(
	f wordFigures, id string,
) (*figure.Figure, error)) error {
	if len(words) > mostWords {
		return cli.BadUsage("%d words, expected at most %d: more cannot be told apart", len(words), mostWords)
	}
	id := fileStem(kind, words)
	text := func(words string) bool { return len(strings.Fields(words)) > 1 }
	if _, asked := f.override(); !asked && len(f.In) == 0 && !slices.ContainsFunc(words, text) {
		w, ok, err := f.ProfileWorkspace(e)
		if err != nil {
			return err
		}
		if ok {
			drawn, err := describe(figures.OfProfile{Workspace: w}, id)
			return written(e, out, drawn, err, w.Profile.Name, f.JSON)
		}
	}
	return drawOfSpace(e, f, out, words, func(f *figures.OfSpace) (*figure.Figure, error) { return describe(f, id) })
}

// drawOfSpace draws what a space tells: one of its own or that of a profile.
func drawOfSpace(e *cli.Env, f spaceFlags, out cli.FigureFlags, texts []string, describe func(
	f *figures.OfSpace,
) (*figure.Figure, error)) error {
	space, monitor, err := f.open(e, texts...)
	if err != nil {
		return err
	}
	defer space.Close()
	p, err := f.Profile()
	if err != nil {
		return err
	}
	name, folder, err := f.Title()
	if err != nil {
		return err
	}
	drawn, err := describe(&figures.OfSpace{
		Space: space.Space, Settings: p.Figures, Engine: monitor, Name: name, Progress: e.Progress.Step,
	})
	convergence.Warn(monitor, hint)
	return written(e, out, drawn, err, folder, f.JSON)
}

// written writes a figure, if there was no error.
func written(e *cli.Env, out cli.FigureFlags, f *figure.Figure, err error, name string, asJSON bool) error {
	var unknown *figures.UnknownWordError
	if errors.As(err, &unknown) {
		return cli.WithCode(err, cli.ExitUsage)
	}
	if err != nil {
		return asked(err)
	}
	return out.Write(e, f, name, asJSON)
}

// longestStem is the most bytes of a file's name, of the 255 that most systems take at most.
const longestStem = 120

// fileStem is the kind and the words as all systems take them for the name of a file: letters and digits of
// any script stay, and - too; other ASCII becomes _, and other signs, such as emoji, their number. A name
// that would be too long is cut, with a part of its hash instead of the rest.
func fileStem(kind string, words []string) string {
	whole := kind + "_" + strings.Join(words, "_")
	var b strings.Builder
	for _, r := range whole {
		switch {
		case unicode.In(r, unicode.L, unicode.M, unicode.N) || r == '-':
			b.WriteRune(r)
		case r < utf8.RuneSelf:
			b.WriteByte('_')
		default:
			fmt.Fprintf(&b, "u%x", r)
		}
	}
	stem := b.String()
	if len(stem) <= longestStem {
		return stem
	}
	sum := sha256.Sum256([]byte(whole))
	end := fmt.Sprintf("-%x", sum[:4])
	cut := longestStem - len(end)
	for !utf8.RuneStart(stem[cut]) {
		cut--
	}
	return stem[:cut] + end
}
