package ask

import (
	"context"
	"errors"
	"fmt"

	"contextmover/cmdlib"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/convergence"
	"contextmover/internal/printable"
)

// Score is repro score.
type Score struct {
	Pairs   string `required:"" placeholder:"FILE" help:"Pairs of texts, one per line, separated by tabs: first and second, or gold score, first and second; in FILE.csv first, second and gold score, separated by commas."`
	Method  string `sep:"none" placeholder:"NAME[,KEY=VALUE…]" help:"A method that repro methods lists, with settings after commas, such as sif,a=1e-4 or comb,reg=0.05 (default: what scored best on validation data, as the space records; nearest in most)."`
	Against string `sep:"none" placeholder:"METHOD|SPACE[,METHOD]|FILE" help:"Instead of printing scores, show whether --method or this agrees better with the gold scores, and whether that could be chance: another method, another space, or a file from another program."`
	spaceFlags
}

func (c *Score) Help() string {
	return "The higher the score, the more similar the texts. nearest, the default where a space has vectors, pairs " +
		"each word with the nearest word of the other text, and sif is the cosine of the vectors that repro encode " +
		"makes. With the space's own settings, average is minus what distance prints in a space of averages, and " +
		"comb or debiased in one of barycenters. --against takes the scores of another program from a .tsv or .txt " +
		"file with a score, a first and a second text on each line, as the pairs have them, or its vectors of " +
		"sentences from a .npy file, next to a .txt file of the same name with the sentences. A paired bootstrap " +
		"compares the two."
}

// scoredPairs is the JSON form of the result.
type scoredPairs struct {
	Method   string  `json:"method"`
	Pairs    int     `json:"pairs"`
	Coverage float64 `json:"coverage"`
	*convergence.Worst
	Pearson  *correlation `json:"pearson,omitempty"`
	Spearman *correlation `json:"spearman,omitempty"`
	Scores   []scoredPair `json:"scores"`
}

type correlation struct {
	Value     *float64    `json:"value"` // null if undefined
	Interval  *[2]float64 `json:"interval,omitempty"`
	Undefined string      `json:"undefined,omitempty"`
}

type scoredPair struct {
	Line    int      `json:"line"`
	Score   float64  `json:"score"`
	Covered bool     `json:"covered"`
	Gold    *float64 `json:"gold,omitempty"`
	A       string   `json:"a"`
	B       string   `json:"b"`
}

// Validate refuses what is no method.
func (c *Score) Validate() error {
	if err := checkMethod(c.Method); err != nil || c.Against == "" {
		return err
	}
	_, err := parseContender(c.Against)
	return err
}

// score scores pairs by the method of the flags, which becomes that of the space if there is none.
func (c *Score) score(e *cli.Env, pairs []dataset.Pair) (sentence.Scores, *convergence.Worst, error) {
	var none sentence.Scores
	name, transport, err := splitSettings(c.Method)
	if err != nil {
		return none, nil, cli.BadUsage("%w", err)
	}
	var both []string
	texts := make([]cmdlib.Pair, len(pairs))
	for i, p := range pairs {
		both, texts[i] = append(both, p.A, p.B), cmdlib.Pair{A: p.A, B: p.B}
	}
	space, monitor, err := c.openBy(e, methodFlags{}, both...)
	if err != nil {
		return none, nil, err
	}
	defer space.Close()
	if space, err = space.With(cmdlib.Options{Settings: transport}); err != nil {
		return none, nil, cli.BadUsage("%w", err)
	}
	if c.Method == "" {
		name = space.Default()
		c.Method = name
	}
	m, err := method.Named(space, name)
	if err == nil && transport != (ot.Settings{}) && !m.Needs().Engine {
		err = fmt.Errorf("the method %q with settings of transport: expected one that needs transport", name)
	}
	if err != nil {
		return none, nil, cli.BadUsage("%w", err)
	}
	scores, err := method.ScoreIn(e, space, texts, m, e.Progress.Step("score"))
	if errors.Is(err, cmdlib.ErrSettings) {
		err = cli.BadUsage("%w", err)
	}
	return scores, convergence.Warn(monitor, hint), err
}

func (c *Score) Run(e *cli.Env) error {
	pairs, err := dataset.ReadPairs(c.Pairs)
	if err != nil {
		return err
	}
	scores, worst, err := c.score(e, pairs)
	if err != nil {
		return err
	}
	if c.Against != "" {
		return c.compare(e, pairs, scores)
	}
	out := scoredPairs{Method: c.Method, Pairs: len(pairs), Coverage: scores.Coverage(), Worst: worst}
	covered, columns, gold := 0, "score\tfirst\tsecond", make([]float64, len(pairs))
	for i, p := range pairs {
		s := scoredPair{Line: p.Line, Score: scores.Value[i], Covered: scores.Covered[i], A: p.A, B: p.B}
		if gold[i] = p.Gold; p.HasGold {
			s.Gold = &gold[i]
		}
		if s.Covered {
			covered++
		}
		out.Scores = append(out.Scores, s)
	}
	if len(pairs) > 0 && pairs[0].HasGold { // all or none have
		columns = "score\tgold\tfirst\tsecond"
		out.Pearson = correlate(e, score.Pearson, scores.Value, gold)
		out.Spearman = correlate(e, score.Spearman, scores.Value, gold)
	}
	if e.AsJSON {
		return e.JSON(out)
	}
	fmt.Fprintln(e.Out, columns)
	for _, s := range out.Scores {
		given, note := "", ""
		if s.Gold != nil {
			given = fmt.Sprintf("%g\t", *s.Gold)
		}
		if !s.Covered {
			note = "\t(no known word: the worst score)"
		}
		fmt.Fprintf(e.Out, "%.6f\t%s%s\t%s%s\n", s.Score, given, printable.Text(s.A), printable.Text(s.B), note)
	}
	fmt.Fprintf(e.Out, "\nmethod    %s\ncoverage  %d of %d pairs\n", c.Method, covered, len(pairs))
	if out.Pearson != nil {
		fmt.Fprintf(e.Out, "Pearson   %v\nSpearman  %v\n", out.Pearson, out.Spearman)
	}
	return nil
}

// correlations are those with gold scores; the bootstrap samples of pairs are always the same.
const correlationDraws, correlationSeed = 1000, 1

func correlate(ctx context.Context, of score.Correlation, value, gold []float64) *correlation {
	r, err := score.Correlate(ctx, of, value, gold, correlationDraws, correlationSeed)
	if err != nil {
		return &correlation{Undefined: err.Error()}
	}
	return &correlation{Value: &r.Value, Interval: &[2]float64{r.Low, r.High}}
}

func (c *correlation) String() string {
	if c.Value == nil {
		return "undefined: " + c.Undefined
	}
	return fmt.Sprintf("%s  (95 %% between %s and %s)", fixed(*c.Value), fixed(c.Interval[0]), fixed(c.Interval[1]))
}

// fixed returns a number with four decimals; one that rounds to zero has no sign.
func fixed(x float64) string {
	text := fmt.Sprintf("%.4f", x)
	if text == "-0.0000" {
		return "0.0000"
	}
	return text
}
