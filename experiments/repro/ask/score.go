package ask

import (
	"context"
	"fmt"

	"contextmover/cmdlib"
	"contextmover/cmdlib/method"
	"contextmover/cmdlib/score"
	"contextmover/experiments/harness/convergence"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
)

// Score is repro score.
type Score struct {
	Pairs    string `required:"" placeholder:"FILE" help:"Pairs of texts, one a line, separated by tabs: first and second, or gold score, first and second; in FILE.csv first, second and gold score, separated by commas."`
	Method   string `sep:"none" placeholder:"NAME[,KEY=VALUE…]" help:"A method as repro methods lists them, with settings if need be, such as sif,a=1e-4 (default: what scored best on validation data, which the space records; sif in most)."`
	RemovePC bool   `name:"remove-pc" help:"Remove the first principal component from the sentences' vectors: the setting remove_pc."`
	spaceFlags
}

func (c *Score) Help() string {
	return "A score is greater the more similar the sentences are: repro methods lists what by. sif, the default " +
		"where a space has vectors, is the cosine of the vectors that repro encode makes. With the space's own " +
		"settings, average is minus what distance prints in a space of averages, and comb or debiased in one of " +
		"barycenters."
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
	if c.Method != "" {
		if _, err := method.Parse(c.Method, nil); err != nil {
			return fmt.Errorf("--method: %w", err)
		}
	}
	return c.spaceFlags.Validate()
}

func (c *Score) Run(e *cli.Env) error {
	pairs, err := dataset.ReadPairs(c.Pairs)
	if err != nil {
		return err
	}
	var both []string
	for _, p := range pairs {
		both = append(both, p.A, p.B)
	}
	space, monitor, err := c.open(e, both...)
	if err != nil {
		return err
	}
	defer space.Close()
	m, err := methodOf(space.Space, &c.Method, c.RemovePC)
	if err != nil {
		return cli.BadUsage("%w", err)
	}
	texts := make([]cmdlib.Pair, len(pairs))
	gold := make([]float64, len(pairs))
	for i, p := range pairs {
		texts[i], gold[i] = cmdlib.Pair{A: p.A, B: p.B}, p.Gold
	}
	scores, err := space.Score(e, texts, m, e.Progress.Step("score"))
	if err != nil {
		return err
	}
	hasGold := len(pairs) > 0 && pairs[0].HasGold // all or none have
	convergence.Warn(monitor, hint)
	if c.JSON {
		out := scoredPairs{
			Method: c.Method, Pairs: len(pairs), Coverage: scores.Coverage(), Worst: convergence.Of(monitor),
		}
		if hasGold {
			out.Pearson, out.Spearman = jsonCorrelation(e, score.Pearson, scores.Value, gold),
				jsonCorrelation(e, score.Spearman, scores.Value, gold)
		}
		for i, p := range pairs {
			s := scoredPair{Line: p.Line, Score: scores.Value[i], Covered: scores.Covered[i], A: p.A, B: p.B}
			if p.HasGold {
				s.Gold = &pairs[i].Gold
			}
			out.Scores = append(out.Scores, s)
		}
		return e.JSON(out)
	}
	columns := "score\tfirst\tsecond"
	if hasGold {
		columns = "score\tgold\tfirst\tsecond"
	}
	fmt.Fprintln(e.Out, columns)
	for i, p := range pairs {
		fmt.Fprintf(e.Out, "%.6f\t", scores.Value[i])
		if p.HasGold {
			fmt.Fprintf(e.Out, "%g\t", p.Gold)
		}
		fmt.Fprintf(e.Out, "%s\t%s", printable.Text(p.A), printable.Text(p.B))
		if !scores.Covered[i] {
			fmt.Fprint(e.Out, "\t(no known word: the worst score)")
		}
		fmt.Fprintln(e.Out)
	}
	covered := 0
	for _, c := range scores.Covered {
		if c {
			covered++
		}
	}
	fmt.Fprintf(e.Out, "\nmethod    %s\ncoverage  %d of %d pairs\n", c.Method, covered, len(pairs))
	if hasGold {
		fmt.Fprintf(e.Out, "Pearson   %s\nSpearman  %s\n", correlationText(e, score.Pearson, scores.Value, gold),
			correlationText(e, score.Spearman, scores.Value, gold))
	}
	return nil
}

// methodOf returns the method that a text names, for a space; the text becomes that of the default if it is empty.
func methodOf(s *cmdlib.Space, text *string, removePC bool) (method.Method, error) {
	if *text == "" {
		*text = s.DefaultMethod()
	}
	if !removePC {
		return s.Method(*text)
	}
	return s.Method(*text + ",remove_pc=true")
}

// correlations are those with gold scores; the bootstrap samples of pairs are always the same.
const correlationDraws, correlationSeed = 1000, 1

func jsonCorrelation(ctx context.Context, of score.Correlation, value, gold []float64) *correlation {
	r, err := score.Correlate(ctx, of, value, gold, correlationDraws, correlationSeed)
	if err != nil {
		return &correlation{Undefined: err.Error()}
	}
	return &correlation{Value: &r.Value, Interval: &[2]float64{r.Low, r.High}}
}

func correlationText(ctx context.Context, of score.Correlation, value, gold []float64) string {
	r, err := score.Correlate(ctx, of, value, gold, correlationDraws, correlationSeed)
	if err != nil {
		return "undefined: " + err.Error()
	}
	return fmt.Sprintf("%.4f  (95 %% between %.4f and %.4f)", r.Value, r.Low, r.High)
}
