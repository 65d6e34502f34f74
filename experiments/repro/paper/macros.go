package paper

import (
	"contextmover/experiments/render"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/verdict"
)

// Macros is repro macros.
type Macros struct {
	Name string `arg:"" optional:"" help:"A table, as repro table lists them (default: all)."`
	resultsFlags
}

func (c *Macros) Help() string {
	return `In a paper a number then comes from the run instead of being typed:

    repro macros --profile open > numbers.tex

    \input{numbers}
    ... \cmours{table1_sts_summary}{glove-comb}{STS14}
        \cminterval{table1_sts_summary}{glove-comb}{STS14} ...

Rows and columns are named as in the table's CSV, without \ { } # % ~ ^. A name that no table has is an error of LaTeX.
\cmverdict{C01} and \cmevidence{C01} are the verdict on a claim and its evidence, \cmclaim{C01} is the claim.`
}

func (c *Macros) Run(e *cli.Env) error {
	p, all, _, err := c.read()
	if err != nil {
		return err
	}
	var tables []*render.Table
	if c.Name != "" {
		t, err := findTable(c.Name, all)
		if err != nil {
			return err
		}
		tables = append(tables, t)
	} else {
		for _, r := range all {
			tables = append(tables, r.Tables...)
		}
	}
	if err := render.Macros(e.Out, tables); err != nil || c.Name != "" || !p.Published() {
		return err
	}
	return verdict.Judge(p.Name, all).Macros(e.Out)
}
