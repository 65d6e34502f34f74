package paper

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"contextmover/experiments"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/render"
	"contextmover/internal/printable"
)

// made is what an experiment made, and in what time.
type made struct {
	experiments.Experiment
	output *pipeline.Output
	took   time.Duration
}

// headlineRows is the number of rows of the headline table that fit on a page.
const headlineRows = 24

// summary writes one page about a run: what was made, where, how long it took, the headline table, and what to open
// next.
func summary(e *cli.Env, p *profile.Profile, all []made, took time.Duration) error {
	out := e.Out
	fmt.Fprintf(out, "Profile %s: %s\n\n", p.Name, printable.Text(p.Description))
	fmt.Fprintf(out, "%-12s %6s %7s %8s\n", "experiment", "tables", "figures", "seconds")
	for _, m := range all {
		fmt.Fprintf(out, "%-12s %6d %7d %8.1f  %s\n", m.Name, len(m.output.Tables), len(m.output.Figures),
			m.took.Seconds(), m.Help)
	}
	fmt.Fprintf(out, "%-12s %6s %7s %8.1f  what is made once is kept\n\n", "all", "", "", took.Seconds())
	if t := headline(all); t != nil {
		if err := e.Table(t); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, `Open next:
  %s
      all tables, as .md and .csv; repro run --verbose prints them
  %s
      the figures, as .svg, .pdf and .png
  repro report --profile %[3]s
      all results on one page
  repro explore --profile %[3]s
      type two words or sentences and see what lies between them
`, filepath.Join(tablesDir(p.Name), "*"), filepath.Join("figures", p.Name, "*"), p.Name)
	return nil
}

// headline returns the first table of the first experiment that has one, its numbers next to the paper's alone and not
// more rows than fit on a page; nil if there is none.
func headline(all []made) *render.Table {
	for _, m := range all {
		if len(m.output.Tables) == 0 {
			continue
		}
		t := render.WithoutIntervals(m.output.Tables[0])
		left, cut := headlineRows, 0
		for i, b := range t.Blocks {
			n := min(left, len(b.Rows))
			left, cut = left-n, cut+len(b.Rows)-n
			t.Blocks[i].Rows = b.Rows[:n]
		}
		t.Blocks = slices.DeleteFunc(t.Blocks, func(b render.Block) bool { return len(b.Rows) == 0 })
		if t.Notes = nil; cut > 0 {
			t.Notes = []string{fmt.Sprintf("%d more rows, intervals and notes: %s", cut, t.ID+".md")}
		}
		return t
	}
	return nil
}
