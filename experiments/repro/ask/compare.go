package ask

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/method"
	"contextmover/cmdlib/score"
	"contextmover/experiments/harness/convergence"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/spaces"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/render"
)

// Compare is repro compare.
type Compare struct {
	A        string   `arg:"" help:"A space, with settings behind commas (english,method=comb,reg=0.05), or a file of another program's scores."`
	B        string   `arg:"" help:"Another."`
	Pairs    []string `required:"" sep:"none" placeholder:"FILE.tsv" help:"A set of pairs of texts with gold scores, one a line, separated by tabs: gold score, first and second. Once for each set."`
	Spearman bool     `help:"Compare rank correlations instead of Pearson's."`
	Draws    int      `default:"10000" placeholder:"N" help:"Bootstrap draws (default ${default})."`
	JSON     bool     `name:"json" help:"Print JSON."`
	cli.MakingFlags
}

func (c *Compare) Help() string {
	return `Which of two correlates better with gold scores, and whether that could be chance:

    repro compare english,method=average english,method=comb --pairs sts.tsv
    repro compare my-space mini --pairs one.tsv --pairs two.tsv
    repro compare my-space scores.tsv --pairs one.tsv

The settings of a space are method, as of repro score, reg and iters, and those of the method, such as a and remove_pc. A file of scores (.tsv or .txt) has a score, a first and a second text on a line, as
the pairs have them; a matrix of vectors of sentences (.npy) has the sentences beside it (.txt).

Pairs are drawn again and again, the same for both, and pairs that share a text together; the 95 % interval is that of the difference B − A. p-values are two-sided, and
adjusted by Holm's method for the number of sets and their mean.`
}

func (c *Compare) Validate() error {
	if c.Draws < 100 {
		return fmt.Errorf("--draws=%d: expected at least 100", c.Draws)
	}
	for _, side := range []string{c.A, c.B} {
		if _, err := parseContender(side); err != nil {
			return err
		}
	}
	return nil
}

// contender is a side of a comparison: a file of scores, or a space and how it is asked.
type contender struct {
	name     string // of the space, or the path of the file
	scores   bool
	method   string   // "" for the space's default
	settings []string // of the method
	override cmdlib.Override
}

// text is the method with its settings, as method.Parse reads it.
func (c contender) text(usual string) string {
	return strings.Join(append([]string{cmp.Or(c.method, usual)}, c.settings...), ",")
}

// parseContender reads NAME,KEY=VALUE,… .
func parseContender(text string) (contender, error) {
	name, rest, settings := strings.Cut(text, ",")
	c := contender{name: name, scores: slices.Contains([]string{".tsv", ".txt", ".npy"}, filepath.Ext(name))}
	if name == "" {
		return c, fmt.Errorf("%q: no name of a space or file", text)
	}
	if !settings {
		return c, nil
	}
	if c.scores {
		return c, fmt.Errorf("%q: a file of scores has no settings", text)
	}
	for _, setting := range strings.Split(rest, ",") {
		key, value, _ := strings.Cut(setting, "=")
		var err error
		switch key {
		case "method":
			c.method = value
		case "reg":
			if c.override.Reg, err = strconv.ParseFloat(value, 64); err != nil || !(c.override.Reg > 0) ||
				math.IsInf(c.override.Reg, 0) {
				err = errors.New("expected a positive number")
			}
		case "iters":
			if c.override.MaxIter, err = strconv.Atoi(value); err != nil || c.override.MaxIter < 1 {
				err = errors.New("expected a number of at least 1")
			}
		default:
			c.settings = append(c.settings, strings.ReplaceAll(setting, "-", "_")) // remove-pc, too
		}
		if err != nil {
			return c, fmt.Errorf("%q: %s: %w", text, setting, err)
		}
	}
	if _, err := method.Parse(c.text("average-mix"), nil); err != nil {
		return c, fmt.Errorf("%q: %w; other settings are method, reg and iters", text, err)
	}
	return c, nil
}

// comparedSet is an outcome in JSON.
type comparedSet struct {
	Name       string     `json:"name"`
	Pairs      int        `json:"pairs"`
	A          float64    `json:"a"`
	B          float64    `json:"b"`
	Difference float64    `json:"difference"` // b − a
	Interval   [2]float64 `json:"interval"`
	P          float64    `json:"p"`
	Adjusted   float64    `json:"p_holm"`
	Better     string     `json:"better"` // a, b or undecided
}

// comparison is the JSON form of what Compare finds.
type comparison struct {
	A       contestant    `json:"a"`
	B       contestant    `json:"b"`
	Measure string        `json:"measure"`
	Draws   int           `json:"draws"`
	Sets    []comparedSet `json:"sets"`
}

// contestant is what was compared.
type contestant struct {
	Name     string  `json:"name"`
	Method   string  `json:"method,omitempty"`
	Coverage float64 `json:"coverage"`
}

func (c *Compare) Run(e *cli.Env) error {
	sets := make([][]dataset.Pair, len(c.Pairs))
	contests := make([]score.Contest, len(c.Pairs))
	for s, file := range c.Pairs {
		var err error
		if sets[s], err = dataset.ReadPairs(file); err != nil {
			return err
		}
		contests[s].Name = strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		for _, p := range sets[s] {
			if !p.HasGold {
				return cli.BadData(fmt.Errorf("%s has no gold scores: expected gold score, first and second text on "+
					"each line, separated by tabs", file))
			}
			contests[s].First, contests[s].Second = append(contests[s].First, p.A), append(contests[s].Second, p.B)
			contests[s].Gold = append(contests[s].Gold, p.Gold)
		}
	}
	out := comparison{Measure: "Pearson", Draws: c.Draws}
	correlation := score.WeightedCorrelation(score.WeightedPearson)
	if c.Spearman {
		out.Measure, correlation = "Spearman", score.WeightedSpearman
	}
	for i, text := range []string{c.A, c.B} {
		values, about, err := c.scores(e, text, sets)
		if err != nil {
			return err
		}
		for s := range contests {
			if i == 0 {
				contests[s].A, out.A = values[s], about
			} else {
				contests[s].B, out.B = values[s], about
			}
		}
	}
	outcomes, err := score.Compare(e, contests, correlation, c.Draws, correlationSeed)
	if err != nil {
		return err
	}
	for _, o := range outcomes {
		out.Sets = append(out.Sets, comparedSet{
			Name: o.Name, Pairs: o.Items, A: o.A, B: o.B, Difference: o.Difference.Value,
			Interval: [2]float64{o.Difference.Low, o.Difference.High}, P: o.P, Adjusted: o.Adjusted,
			Better: [...]string{"a", "undecided", "b"}[o.Better()+1],
		})
	}
	if c.JSON {
		return e.JSON(out)
	}
	return e.Table(out.table())
}

// scores are those of one side for all sets.
func (c *Compare) scores(
	e *cli.Env, text string, sets [][]dataset.Pair,
) (values [][]float64, about contestant, err error) {
	side, err := parseContender(text)
	if err != nil {
		return nil, about, cli.BadUsage("%w", err)
	}
	about = contestant{Name: text, Coverage: 1}
	if side.scores {
		file, err := dataset.ReadEncoder(side.name)
		if err != nil {
			return nil, about, err
		}
		for _, pairs := range sets {
			of := make([]float64, len(pairs))
			for i, p := range pairs {
				if of[i], err = file.Score(p.A, p.B); err != nil {
					return nil, about, cli.BadData(err)
				}
			}
			values = append(values, of)
		}
		return values, about, nil
	}
	flags := cli.SpaceFlags{Space: side.name, MakingFlags: c.MakingFlags}
	if !spaces.IsProfile(side.name) { // they belong to the other side's
		flags.Store, flags.Set = "", nil
	}
	space, monitor, err := flags.Open(e)
	if err != nil {
		return nil, about, err
	}
	defer space.Close()
	asked, err := space.Asked(side.override, monitor)
	if err != nil {
		return nil, about, cli.BadUsage("%q: %w", text, err)
	}
	about.Method = cmp.Or(side.method, asked.DefaultMethod())
	m, err := asked.Method(side.text(asked.DefaultMethod()))
	if err != nil {
		return nil, about, cli.BadUsage("%q: %w", text, err)
	}
	progress := e.Progress.Step("score " + text)
	covered, all := 0.0, 0
	for _, pairs := range sets {
		texts := make([]cmdlib.Pair, len(pairs))
		for i, p := range pairs {
			texts[i] = cmdlib.Pair{A: p.A, B: p.B}
		}
		scores, err := asked.Score(e, texts, m, progress)
		if errors.Is(err, cmdlib.ErrSettings) {
			return nil, about, cli.BadUsage("%q: %w", text, err)
		}
		if err != nil {
			return nil, about, err
		}
		values = append(values, scores.Value)
		covered, all = covered+float64(scores.Coverage()*float64(len(pairs))), all+len(pairs)
	}
	about.Coverage = covered / float64(all)
	convergence.Warn(monitor, hint)
	return values, about, nil
}

// table shows a comparison, correlations times 100.
func (c *comparison) table() *render.Table {
	t := &render.Table{
		ID: "compare", Label: "set",
		Title: fmt.Sprintf("A: %s; B: %s", c.A.text(), c.B.text()),
		Columns: []render.Column{
			{Name: "pairs", Unmarked: true}, {Name: "A", Digits: 2}, {Name: "B", Digits: 2},
			{Name: "B − A", Digits: 2, Unmarked: true},
			{Name: "p", Digits: 4, Unmarked: true}, {Name: "after Holm", Digits: 4, Unmarked: true},
			{Name: "verdict", Unmarked: true},
		},
		Notes: []string{
			fmt.Sprintf("100 · %s's correlation with the gold scores; B − A with its 95 %% interval by %d paired "+
				"bootstrap draws of the pairs.", c.Measure, c.Draws),
			fmt.Sprintf("p: two-sided, and after Holm's correction for the number of tests, %d. A verdict takes both "+
				"the interval and the corrected p-value at 5 %%.", len(c.Sets)),
		},
	}
	for i, side := range []contestant{c.A, c.B} {
		if side.Coverage < 1 {
			t.Notes = append(t.Notes, fmt.Sprintf("%c scores %.1f %% of the pairs; one without a known word gets the "+
				"worst score of the others.", 'A'+i, 100*side.Coverage))
		}
	}
	for i, s := range c.Sets {
		pairs, a, b, difference := float64(s.Pairs), 100*s.A, 100*s.B, 100*s.Difference
		t.Add("", render.Row{
			Key: strconv.Itoa(i + 1), Label: s.Name,
			Cells: []render.Cell{
				{Value: &pairs}, {Value: &a}, {Value: &b},
				{Value: &difference, Interval: &render.Interval{Low: 100 * s.Interval[0], High: 100 * s.Interval[1]}},
				{Value: &s.P}, {Value: &s.Adjusted},
				{Text: map[string]string{"a": "A is better", "b": "B is better", "undecided": "undecided"}[s.Better]},
			},
		})
	}
	return t
}

func (s contestant) text() string {
	if s.Method == "" || strings.Contains(s.Name, "method=") {
		return s.Name
	}
	return s.Name + " (" + s.Method + ")"
}
