package ask

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"contextmover/experiments/figure"
	"contextmover/experiments/figures"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
)

// FigureDensity is repro figure density. It and its like draw one figure of any words or texts, those of a profile
// or, where it has all that the figure needs, of a space. The paths of the files go to stdout.
type FigureDensity struct {
	Words []string `arg:"" help:"Words or, in quotes, texts, up to five."`
	spaceFlags
	outFlag
}

func (c *FigureDensity) Run(e *cli.Env) error {
	return drawInSpace(e, c.spaceFlags, c.outFlag, "density", c.Words, func(f wordFigures, id string) (*figure.Figure, error) {
		return f.Density(e, id, c.Words, nil)
	})
}

// FigureCombine is repro figure combine.
type FigureCombine struct {
	Words []string `arg:"" help:"Words or, in quotes, texts, up to five."`
	spaceFlags
	outFlag
}

func (c *FigureCombine) Run(e *cli.Env) error {
	return drawInSpace(e, c.spaceFlags, c.outFlag, "combine", c.Words, func(f wordFigures, id string) (*figure.Figure, error) {
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
	outFlag
}

func (c *FigurePlan) Help() string {
	return "Only words of a profile have such plans: a space of your own keeps no associations with single contexts. Its plans between clusters are shown by figure flow."
}

func (c *FigurePlan) Run(e *cli.Env) error {
	if c.Contexts < 1 || c.Top < c.Contexts {
		return cli.BadUsage("--contexts=%d --top=%d: expected at least 1 context, of at least as many top ones", c.Contexts, c.Top)
	}
	if err := c.check(); err != nil {
		return err
	}
	w, err := c.Workspace(e)
	if err != nil {
		return err
	}
	drawn, err := (figures.OfProfile{Workspace: w}).Plan(e, fileStem("plan", []string{c.From, c.To}), c.From, c.To, c.Contexts, c.Top)
	return c.write(e, drawn, err, w.Profile.Name, c.JSON)
}

// FigureFlow is repro figure flow.
type FigureFlow struct {
	From     string `arg:"" help:"A word or, in quotes, a text."`
	To       string `arg:"" help:"Another."`
	Contexts int    `default:"10" placeholder:"N" help:"Show the N strongest clusters of contexts of each (default ${default})."`
	spaceFlags
	outFlag
}

func (c *FigureFlow) Run(e *cli.Env) error {
	if c.Contexts < 1 {
		return cli.BadUsage("--contexts=%d: expected at least 1", c.Contexts)
	}
	return drawInSpace(e, c.spaceFlags, c.outFlag, "flow", []string{c.From, c.To}, func(f wordFigures, id string) (*figure.Figure, error) {
		return f.Flow(e, id, c.From, c.To, c.Contexts)
	})
}

func (c *FigureFlow) Help() string {
	return "Of a space, of texts, and with --reg, --iters or --sentences it is the plan behind what distance prints; of two words of a profile that of the paper's figures."
}

// FigureSentences is repro figure sentences.
type FigureSentences struct {
	From string `arg:"" help:"A text, in quotes."`
	To   string `arg:"" help:"Another."`
	spaceFlags
	outFlag
}

func (c *FigureSentences) Help() string {
	return "Each word stands beside a bar as high as the mass that it brings, on the colour of what it costs to move that; bands are the largest flows between words. " + sentencesHelp
}

func (c *FigureSentences) Run(e *cli.Env) error {
	if err := c.check(); err != nil {
		return err
	}
	return drawOfSpace(e, c.spaceFlags, c.outFlag, func(f *figures.OfSpace) (*figure.Figure, error) {
		return f.Sentences(e, fileStem("sentences", []string{c.From, c.To}), c.From, c.To)
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

func drawInSpace(e *cli.Env, f spaceFlags, out outFlag, kind string, words []string, describe func(f wordFigures, id string) (*figure.Figure, error)) error {
	if len(words) > mostWords {
		return cli.BadUsage("%d words, expected at most %d: more cannot be told apart", len(words), mostWords)
	}
	if err := out.check(); err != nil {
		return err
	}
	id := fileStem(kind, words)
	text := func(words string) bool { return len(strings.Fields(words)) > 1 }
	if _, asked := f.override(); f.Space == "" && !asked && !slices.ContainsFunc(words, text) {
		w, err := f.Workspace(e)
		if err != nil {
			return err
		}
		drawn, err := describe(figures.OfProfile{Workspace: w}, id)
		return out.write(e, drawn, err, w.Profile.Name, f.JSON)
	}
	return drawOfSpace(e, f, out, func(f *figures.OfSpace) (*figure.Figure, error) { return describe(f, id) })
}

// drawOfSpace draws what a space tells: one of its own or that of a profile.
func drawOfSpace(e *cli.Env, f spaceFlags, out outFlag, describe func(f *figures.OfSpace) (*figure.Figure, error)) error {
	space, monitor, err := f.open(e)
	if err != nil {
		return err
	}
	defer space.Close()
	p, err := profile.Load(f.Profile, f.Set)
	if err != nil {
		return err
	}
	folder, name := p.Name, "of profile "+p.Name
	if f.Space != "" {
		folder = filepath.Base(filepath.Clean(f.Space))
		name = folder
	}
	drawn, err := describe(&figures.OfSpace{
		Space: space, Settings: p.Figures, Engine: monitor, Name: name, Progress: e.Progress.Step,
	})
	pipeline.WarnUnconverged(monitor, hint)
	return out.write(e, drawn, err, folder, f.JSON)
}

// outFlag says where a figure goes: into a file of one format, or a folder.
type outFlag struct {
	Out string `placeholder:"FILE|DIR" help:"Write a .svg, .pdf or .png file, or all three into a folder (default: figures/ and the name of the profile or space)."`
}

// check refuses the name of a file in another format, which would become a folder. A folder that is
// there may be called anything, and one that is not is named without a dot or with a / behind.
func (o outFlag) check() error {
	extension := filepath.Ext(o.Out)
	if extension == "" || slices.Contains(figure.Extensions(), extension) || strings.Trim(filepath.Base(o.Out), ".") == "" || os.IsPathSeparator(o.Out[len(o.Out)-1]) {
		return nil
	}
	if info, err := os.Stat(o.Out); err == nil && info.IsDir() {
		return nil
	}
	return cli.BadUsage("--out=%s: no figure can be written as %s, expected a file called %s, or a folder that is there or ends in /", o.Out, extension, strings.Join(figure.Extensions(), ", "))
}

// write writes a figure, if there was no error, and prints the paths.
func (o outFlag) write(e *cli.Env, f *figure.Figure, err error, name string, asJSON bool) error {
	var unknown *figures.UnknownWordError
	if errors.As(err, &unknown) {
		return cli.WithCode(err, cli.ExitUsage)
	}
	if err != nil {
		return asked(err)
	}
	files := []string{o.Out}
	if !slices.Contains(figure.Extensions(), filepath.Ext(o.Out)) {
		dir := cmp.Or(o.Out, filepath.Join("figures", name))
		files = nil
		for _, extension := range figure.Extensions() {
			files = append(files, filepath.Join(dir, f.ID+extension))
		}
	}
	if err := figure.WriteFiles(f, files...); err != nil {
		return err
	}
	lacking, err := figure.Lacking(f)
	if err != nil {
		return err
	}
	if lacking != "" {
		slog.Warn("the font of figures lacks letters: PDF and PNG show boxes, SVG has them as text", "letters", lacking)
	}
	if asJSON {
		for i := range files {
			files[i] = printable.Path(files[i])
		}
		return e.JSON(map[string][]string{"files": files})
	}
	for _, path := range files {
		fmt.Fprintln(e.Out, path)
	}
	return nil
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
