package main

import (
	"errors"
	"fmt"

	"contextmover/experiments"
	"contextmover/experiments/dataset"
	"contextmover/experiments/pipeline"
)

type scoreCmd struct {
	Pairs    string `required:"" placeholder:"FILE.tsv" help:"Pairs of sentences, one a line, separated by tabs; a gold score may stand before them."`
	Method   string `enum:"${pair_methods}" default:"average-mix" placeholder:"NAME" help:"One of ${enum} (default ${default})."`
	RemovePC bool   `name:"remove-pc" help:"Remove the first principal component from the sentences' vectors (nbow, sif and -mix)."`
	spaceFlags
}

func (c *scoreCmd) Help() string {
	return "A score is greater the more similar the sentences are. nbow and sif are cosines of averaged word vectors; the others are minus a distance: average between averages of the words' histograms, comb between Wasserstein barycenters, debiased between debiased ones, and -mix adds the averaged word vectors. So the default is not what distance prints: that is minus the score of average, or of comb or debiased in a space of barycenters."
}

// scoredPairs is the JSON form of the result.
type scoredPairs struct {
	Method   string  `json:"method"`
	Pairs    int     `json:"pairs"`
	Coverage float64 `json:"coverage"`
	*experiments.Convergence
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

func (c *scoreCmd) Run(e *env) error {
	pairs, err := dataset.ReadPairs(c.Pairs)
	if err != nil {
		return err
	}
	space, watch, err := c.open(e)
	if err != nil {
		return err
	}
	defer space.Close()
	scores, err := experiments.ScorePairs(e, space, watch, pairs, c.Method, c.RemovePC, e.progress.Step("score"))
	if errors.Is(err, pipeline.ErrSettings) {
		return coded{err, exitUsage}
	}
	if err != nil {
		return err
	}
	watch.Warn(c.cure())
	if c.JSON {
		out := scoredPairs{Method: c.Method, Pairs: len(pairs), Coverage: scores.Coverage(), Convergence: watch.Convergence()}
		if scores.Gold {
			out.Pearson, out.Spearman = jsonCorrelation(scores.Pearson), jsonCorrelation(scores.Spearman)
		}
		for i, p := range pairs {
			s := scoredPair{Line: p.Line, Score: scores.Value[i], Covered: scores.Covered[i], A: p.A, B: p.B}
			if p.HasGold {
				s.Gold = &pairs[i].Gold
			}
			out.Scores = append(out.Scores, s)
		}
		return e.json(out)
	}
	for i, p := range pairs {
		fmt.Fprintf(e.out, "%.6f\t", scores.Value[i])
		if p.HasGold {
			fmt.Fprintf(e.out, "%g\t", p.Gold)
		}
		fmt.Fprintf(e.out, "%s\t%s", p.A, p.B)
		if !scores.Covered[i] {
			fmt.Fprint(e.out, "\t(no known word: the worst score)")
		}
		fmt.Fprintln(e.out)
	}
	covered := 0
	for _, c := range scores.Covered {
		if c {
			covered++
		}
	}
	fmt.Fprintf(e.out, "\nmethod    %s\ncoverage  %d of %d pairs\n", c.Method, covered, len(pairs))
	if scores.Gold {
		fmt.Fprintf(e.out, "Pearson   %s\nSpearman  %s\n", correlationText(scores.Pearson), correlationText(scores.Spearman))
	}
	return nil
}

func jsonCorrelation(c experiments.Correlation) *correlation {
	if c.Undefined != "" {
		return &correlation{Undefined: c.Undefined}
	}
	return &correlation{Value: &c.Value, Interval: &[2]float64{c.Low, c.High}}
}

func correlationText(c experiments.Correlation) string {
	if c.Undefined != "" {
		return "undefined: " + c.Undefined
	}
	return fmt.Sprintf("%.4f  (95 %% between %.4f and %.4f)", c.Value, c.Low, c.High)
}
