package main

import (
	"fmt"
	"runtime"
	"time"

	"contextmover/cmdlib/ot"
)

type timingsCmd struct {
	workspaceFlags
	JSON bool `name:"json" help:"Print JSON."`
}

// timing is how long CMD took for the pairs of a set, from the words' estimates on.
type timing struct {
	Set     string  `json:"set"`
	Pairs   int     `json:"pairs"`
	Seconds float64 `json:"seconds"`
	Printed float64 `json:"paper_seconds,omitempty"`
}

// Run measures what the paper's Table S15 does: each set's pairs, out of vocabulary or not,
// with all iterations.
func (c *timingsCmd) Run(e *env) error {
	w, err := c.workspace(e)
	if err != nil {
		return err
	}
	sets, err := w.HypernymyWork(e)
	if err != nil {
		return err
	}
	if len(sets) == 0 {
		return badUsage("profile %s has no hypernymy sets", w.Profile.Name)
	}
	total := timing{Set: "total"}
	var timings []timing
	for _, s := range sets {
		progress := e.progress.Step("CMD, " + s.Set)
		done, n := int64(0), len(s.Problem.Pairs)
		start := time.Now()
		err := w.Engine.Distances(e, s.Problem, func(first int, results []ot.Result) error {
			done += int64(len(results))
			progress(done, int64(n))
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", s.Set, err)
		}
		t := timing{s.Set, n, time.Since(start).Seconds(), s.Printed}
		timings = append(timings, t)
		total.Pairs, total.Seconds, total.Printed = total.Pairs+t.Pairs, total.Seconds+t.Seconds, total.Printed+t.Printed
	}
	timings = append(timings, total)
	p := sets[0].Problem
	machine := processor()
	if machine == "" {
		machine = runtime.GOARCH
	}
	if c.JSON {
		return e.json(struct {
			Machine    string   `json:"machine"`
			Threads    int      `json:"threads"`
			Engine     string   `json:"engine"`
			Bins       int      `json:"bins"`
			Iterations int      `json:"iterations"`
			Sets       []timing `json:"sets"`
		}{machine, runtime.GOMAXPROCS(0), w.Engine.Name(), p.Cost.K, p.MaxIter, timings})
	}
	fmt.Fprintf(e.out, "CMD, K = %d, %d iterations, engine %s, %s, %d threads\n", p.Cost.K, p.MaxIter, w.Engine.Name(), machine, runtime.GOMAXPROCS(0))
	fmt.Fprintf(e.out, "every pair solved, words out of vocabulary replaced; the paper: one GPU\n\n")
	fmt.Fprintf(e.out, "%-16s %8s %9s %9s %9s\n", "set", "pairs", "seconds", "pairs/s", "paper, s")
	for _, t := range timings {
		printed := "–"
		if t.Printed > 0 {
			printed = fmt.Sprintf("%.0f", t.Printed)
		}
		fmt.Fprintf(e.out, "%-16s %8d %9.1f %9.0f %9s\n", t.Set, t.Pairs, t.Seconds, float64(t.Pairs)/t.Seconds, printed)
	}
	return nil
}
