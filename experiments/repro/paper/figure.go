package paper

import (
	"strings"

	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/figure"
	"contextmover/internal/levenshtein"
)

// FigureAgain is repro figure again.
type FigureAgain struct {
	Name string `arg:"" help:"The figure's name or the beginning of it, such as figure1."`
	resultsFlags
	cli.FigureFlags
	JSON bool `name:"json" help:"Print JSON."`
}

func (c *FigureAgain) Help() string {
	return "Nothing is computed anew. "
}

func (c *FigureAgain) Run(e *cli.Env) error {
	p, all, _, err := c.read()
	if err != nil {
		return err
	}
	var ids []string
	for _, r := range all {
		for _, f := range r.Figures {
			if f.ID == c.Name || strings.HasPrefix(f.ID, c.Name+"_") {
				drawn, err := figure.Decode(f.Data)
				if err != nil {
					return cli.BadData(err)
				}
				return c.Write(e, drawn, p.Name, c.JSON)
			}
			ids = append(ids, f.ID)
		}
	}
	near := levenshtein.Similar(c.Name, ids, 3, nil)
	if len(near) == 0 {
		near = ids
	}
	if len(near) == 0 {
		return cli.BadUsage("no figure %q: the results of profile %s have none", c.Name, p.Name)
	}
	return cli.BadUsage("no figure %q; there is %s", c.Name, strings.Join(near, ", "))
}
