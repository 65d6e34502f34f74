package ask

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"contextmover/cmdlib/usage"
	"contextmover/experiments/harness/spaces"
	"contextmover/experiments/paper/figures"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/repro/paper"
	"contextmover/experiments/show/convergence"
	"contextmover/experiments/show/figure"
)

// Figure is repro figure. It draws one figure of any words or texts, those of a profile or, where it has all that the
// figure needs, of a space; or again one that a run has made. The paths of the files go to stdout.
type Figure struct {
	Kind     string   `arg:"" enum:"density,combine,plan,flow,sentences,senses,again" help:"What to draw: ${enum}."`
	Words    []string `arg:"" help:"Words or, in quotes, texts: up to five for density and combine, two for plan, flow and sentences, one for senses. For again, the figure's name or the beginning of it, such as figure1."`
	Contexts int      `placeholder:"N" help:"Draw the N strongest contexts of each word of a plan (default 4) or a flow (default 10)."`
	Senses   int      `placeholder:"K" help:"How many senses to find (default: as many as are best apart, 2 to 6)."`
	methodFlags
	spaceFlags
	cli.FigureFlags
}

func (c *Figure) Help() string {
	return `The kinds are:

    density    words as densities over a map of the contexts
    combine    words, their Euclidean average and their barycenters
    plan       the transport plan between a few contexts of two words, as
               squares; it needs a profile (--space), because other spaces
               keep no associations with single contexts
    flow       the whole transport plan between two words or texts, as bands;
               for texts, and with --method, the plan behind what distance
               prints
    sentences  what moves between two texts: next to each word is a bar as high
               as the mass that it brings, in the colour of what it costs to
               move that mass
    senses     the senses that repro senses finds in the text of --in, each in
               a colour, with its share
    again      a figure that repro run has made of the profile --space, in
               another width or format; nothing is computed again`
}

// mostWords is the number of words that can be told apart on one map.
const mostWords = 5

// Validate refuses what no figure of the kind can be made of.
func (c *Figure) Validate() error {
	least, most := 1, mostWords
	switch c.Kind {
	case "plan", "flow", "sentences":
		least, most = 2, 2
	case "senses", "again":
		most = 1
	}
	if n := len(c.Words); n < least || n > most {
		return fmt.Errorf("figure %s: %d words or texts, expected %s", c.Kind, n, between(least, most))
	}
	if c.Contexts < 0 {
		return fmt.Errorf("--contexts=%d: expected at least 1", c.Contexts)
	}
	if c.Kind == "senses" {
		return c.senses().Validate()
	}
	return nil
}

// between is a range of numbers in words.
func between(least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// senses are the flags of the senses that are drawn.
func (c *Figure) senses() *sensesFlags {
	return &sensesFlags{Word: c.Words[0], Senses: c.Senses, spaceFlags: c.spaceFlags}
}

func (c *Figure) Run(e *cli.Env) error {
	id := fileStem(c.Kind, c.Words)
	switch c.Kind {
	case "plan":
		return c.plan(e, id)
	case "again":
		profile := c.Space
		if profile == spaces.Default {
			profile = cli.DefaultProfile
		}
		drawn, folder, err := paper.Drawn(profile, c.Words[0])
		return c.written(e, drawn, err, folder)
	}
	return c.draw(e, id)
}

// The contexts that are drawn of each word: of those of a plan with the largest associations, as in the paper, and of
// all those of a flow.
const (
	planContexts, planTop = 4, 20
	flowContexts          = 10
)

func (c *Figure) plan(e *cli.Env, id string) error {
	w, ok, err := c.ProfileWorkspace(e)
	if err != nil {
		return err
	}
	if !ok {
		return cli.BadUsage("figure plan: expected --space with the name of a profile: other spaces keep no " +
			"associations with single contexts; figure flow shows plans between clusters of them")
	}
	contexts := cmp.Or(c.Contexts, planContexts)
	profile, top := figures.OfProfile{Workspace: w}, max(contexts, planTop)
	drawn, err := profile.Plan(e, id, c.Words[0], c.Words[1], contexts, top)
	return c.written(e, drawn, err, w.Profile.Name)
}

// draw draws what a space tells: one of its own or that of a profile.
func (c *Figure) draw(e *cli.Env, id string) error {
	space, monitor, err := c.openBy(e, c.methodFlags, c.Words...)
	if err != nil {
		return err
	}
	defer space.Close()
	p, err := c.Profile()
	if err != nil {
		return err
	}
	name, folder, err := c.Title()
	if err != nil {
		return err
	}
	f := &figures.OfSpace{
		Space: space, Settings: p.Figures, Engine: monitor, Name: name, Progress: e.Progress.Step,
	}
	var drawn *figure.Figure
	switch c.Kind {
	case "density":
		drawn, err = f.Density(e, id, c.Words)
	case "combine":
		drawn, err = f.Combination(e, id, c.Words)
	case "flow":
		drawn, err = f.Flow(e, id, c.Words[0], c.Words[1], cmp.Or(c.Contexts, flowContexts))
	case "sentences":
		drawn, err = f.Sentences(e, id, c.Words[0], c.Words[1])
	case "senses":
		var found *usage.Senses
		if found, _, err = c.senses().find(e, f.Space); err == nil {
			drawn, err = f.Senses(e, id, c.Words[0], found)
		}
	}
	convergence.Warn(monitor, hint)
	return c.written(e, drawn, err, folder)
}

// written writes a figure, if there was no error.
func (c *Figure) written(e *cli.Env, f *figure.Figure, err error, name string) error {
	if err != nil {
		return asked(err)
	}
	return c.Write(e, f, name)
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
