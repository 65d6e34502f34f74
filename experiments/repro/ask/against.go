package ask

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/cmdlib/sentence"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/render"
)

// contender is what a method is compared with: scores of another program, another method or another space.
type contender struct {
	file   string // of scores, or empty
	space  string // or empty for the same one
	method string // with its settings, or empty for the space's default
}

// parseContender reads METHOD[,KEY=VALUE…], SPACE[,METHOD[,KEY=VALUE…]] or FILE.
func parseContender(text string) (contender, error) {
	name, rest, more := strings.Cut(text, ",")
	if slices.Contains([]string{".tsv", ".txt", ".npy"}, filepath.Ext(name)) {
		if more {
			return contender{}, fmt.Errorf("%q: a file of scores has no settings", text)
		}
		return contender{file: name}, nil
	}
	c := contender{method: text}
	if _, err := method.Parse(name, nil); err != nil {
		c = contender{space: name, method: rest}
	}
	if c.space == "" && name == "" {
		return c, fmt.Errorf("%q: expected a method, a space or a file of scores", text)
	}
	return c, checkMethod(c.method)
}

// checkMethod refuses what is no method with settings of it, and of transport; an empty one is the space's default.
func checkMethod(text string) error {
	if text == "" {
		return nil
	}
	name, _, err := splitSettings(text)
	if err == nil {
		_, err = method.Parse(name, nil)
	}
	return err
}

// comparison is which of two agrees better with gold scores.
type comparison struct {
	A        contestant   `json:"a"`
	B        contestant   `json:"b"`
	Pairs    int          `json:"pairs"`
	Draws    int          `json:"draws"`
	Measures []comparedBy `json:"measures"`
}

// contestant is one of the two.
type contestant struct {
	Name     string  `json:"name"`
	Coverage float64 `json:"coverage"`
}

// comparedBy is the outcome by one measure of agreement.
type comparedBy struct {
	Measure    string     `json:"measure"`
	A          float64    `json:"a"`
	B          float64    `json:"b"`
	Difference float64    `json:"difference"` // b − a
	Interval   [2]float64 `json:"interval"`
	P          float64    `json:"p"`
	Better     string     `json:"better"`
}

// comparedDraws is the number of bootstrap samples of pairs that two are compared by.
const comparedDraws = 10_000

// compare holds the scores of the flags' own space and method against those of --against.
func (c *Score) compare(e *cli.Env, pairs []dataset.Pair, own sentence.Scores) error {
	if len(pairs) == 0 || !pairs[0].HasGold {
		return cli.BadData(fmt.Errorf("%s has no gold scores: expected gold score, first and second text on each "+
			"line, separated by tabs", c.Pairs))
	}
	with, err := parseContender(c.Against)
	if err != nil {
		return cli.BadUsage("--against %w", err)
	}
	out := comparison{
		A: contestant{c.Space + " by " + c.Method, own.Coverage()}, B: contestant{c.Against, 1}, Pairs: len(pairs),
		Draws: comparedDraws,
	}
	contest := score.Contest{Name: c.Pairs, A: own.Value}
	for _, p := range pairs {
		contest.First, contest.Second = append(contest.First, p.A), append(contest.Second, p.B)
		contest.Gold = append(contest.Gold, p.Gold)
	}
	if with.file != "" {
		file, err := dataset.ReadEncoder(with.file)
		if err != nil {
			return err
		}
		for _, p := range pairs {
			value, err := file.Score(p.A, p.B)
			if err != nil {
				return cli.BadData(err)
			}
			contest.B = append(contest.B, value)
		}
	} else {
		other := *c
		other.Method = with.method
		if with.space != "" {
			other.Space = with.space
		}
		scores, _, err := other.score(e, pairs)
		if err != nil {
			return fmt.Errorf("--against %s: %w", c.Against, err)
		}
		contest.B, out.B = scores.Value, contestant{other.Space + " by " + other.Method, scores.Coverage()}
	}
	for _, measure := range []struct {
		name        string
		correlation score.WeightedCorrelation
	}{
		{"Pearson", score.WeightedPearson}, {"Spearman", score.WeightedSpearman},
	} {
		outcomes, err := score.Compare(e, []score.Contest{contest}, measure.correlation, comparedDraws, correlationSeed)
		if err != nil {
			return err
		}
		o := outcomes[0]
		out.Measures = append(out.Measures, comparedBy{
			Measure: measure.name, A: o.A, B: o.B, Difference: o.Difference.Value,
			Interval: [2]float64{o.Difference.Low, o.Difference.High}, P: o.P,
			Better: [...]string{"A is better", "undecided", "B is better"}[o.Better()+1],
		})
	}
	return e.Show(out, out.Table())
}

// Table shows a comparison, correlations times 100.
func (c *comparison) Table() *render.Table {
	t := render.NewTable("compare", "correlation", fmt.Sprintf("A: %s; B: %s", c.A.Name, c.B.Name),
		fmt.Sprintf("100 · the correlation with the gold scores of %d pairs; B − A with its 95 %% interval by %d "+
			"paired bootstrap draws, the same pairs for both, and pairs that share a text together.",
			c.Pairs, c.Draws),
		"p: two-sided. A verdict takes both the interval and p at 5 %.")
	t.Scores("", 2, "A", "B")
	t.Plain("", 2, "B − A")
	t.Plain("", 4, "p")
	t.Plain("", 0, "verdict")
	for _, m := range c.Measures {
		difference := render.Number(100 * m.Difference)
		difference.Interval = &render.Interval{Low: 100 * m.Interval[0], High: 100 * m.Interval[1]}
		t.Add("", m.Measure, m.Measure, render.Number(100*m.A), render.Number(100*m.B), difference, render.Number(m.P),
			render.Cell{Text: m.Better})
	}
	return t
}
