package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/judge/verdict"
	"contextmover/experiments/repro/cli"
)

// ofClaim shows how a claim of the paper was decided, and by which of our numbers.
func (c *Why) ofClaim(e *cli.Env) error {
	claims := published.Claims()
	at := slices.IndexFunc(claims, func(p published.Claim) bool { return strings.EqualFold(p.ID, c.Name) })
	if at < 0 {
		return cli.BadUsage("no claim %q: expected %s to %s", c.Name, claims[0].ID, claims[len(claims)-1].ID)
	}
	p, err := profile.Load(c.Profile, nil)
	if err != nil {
		return err
	}
	if !p.Published() {
		c.Profile = verdict.Deciding[0]
	}
	p, all, _, err := c.read()
	if err != nil {
		return err
	}
	report, err := c.judge(p, all)
	if err != nil {
		return err
	}
	judged := report.Claims[at]
	fmt.Fprintf(e.Out, "%s  %s\n     %s\n     The paper: %s (%s)\n",
		judged.ID, judged.Verdict, judged.Text, judged.Stated, judged.Where)
	if judged.Remark != "" {
		fmt.Fprintf(e.Out, "     %s\n", judged.Remark)
	}
	if judged.Profile == "" {
		_, err := fmt.Fprintf(e.Out, "     %s\n", judged.Reason)
		return err
	}
	fmt.Fprintf(e.Out, "     Ours, in the profile %s: %s\n", judged.Profile, judged.Reason)
	if judged.P != nil {
		fmt.Fprintf(e.Out, "     p = %.2g; %.2g after Holm's correction for all claims\n",
			*judged.P, *judged.Adjusted)
	}
	for _, other := range judged.Others {
		fmt.Fprintf(e.Out, "     %s: %s; %s\n", other.Variant, other.Verdict, other.Reason)
	}
	if judged.Profile != p.Name {
		c.Profile = judged.Profile
		if _, all, _, err = c.read(); err != nil {
			return err
		}
	}
	return printCells(e, claims[at], all)
}

// printCells lists the paper's cells that a claim is about with our numbers for them.
func printCells(e *cli.Env, claim published.Claim, all []*results.Result) error {
	w := e.Tabs()
	fmt.Fprintln(w, "\nTABLE\tTHE PAPER'S ROW\tCOLUMN\tPRINTED\tOURS\tOUR ROW")
	for _, t := range claim.Tests {
		if t.Reading != "" { // which decides nothing
			continue
		}
		for _, a := range slices.Concat(t.Left, t.Right) {
			ours, row, printed := "–", "–", "–"
			if v, ok := published.Value(a.Table, a.Row, a.Column); ok {
				printed = fmt.Sprint(v)
			}
			for _, r := range all {
				for _, q := range r.Quantities {
					if q.Table != a.Table || q.Row != a.Row || q.Column != a.Column || q.Variant != results.Paper {
						continue
					}
					ours, row = cmp.Or(q.Text, fmt.Sprintf("%.4g", q.Mean())), q.Source
					if q.Low != nil {
						ours += fmt.Sprintf(" [%.4g, %.4g]", *q.Low, *q.High)
					}
				}
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", a.Table, a.Row, a.Column, printed, ours, row)
		}
	}
	return w.Flush()
}
