package maintain

import (
	"fmt"
	"strings"

	"contextmover/experiments/paper/timings"
	"contextmover/experiments/repro/cli"
)

// Bench is repro bench.
type Bench struct {
	cli.ProfileFlag
	cli.EngineFlag
}

func (c *Bench) Run(e *cli.Env) error {
	w, err := cli.WorkspaceFlags{ProfileFlag: c.ProfileFlag, EngineFlag: c.EngineFlag}.Workspace(e)
	if err != nil {
		return err
	}
	b, err := timings.Measure(e, w)
	if err != nil {
		return err
	}
	if e.AsJSON {
		return e.JSON(b)
	}
	fmt.Fprintln(e.Out, b.Machine)
	if b.Peak > 0 {
		fmt.Fprintf(e.Out, "float32 peak %.0f GFLOP/s\n", b.Peak)
	}
	fmt.Fprintln(e.Out)
	fmt.Fprintf(e.Out, "%-46s %12s %-17s %8s %8s\n", "", "a second", "", "GFLOP/s", "of peak")
	for _, r := range b.Results {
		line := fmt.Sprintf("%-46s %12s %-17s", r.Name, timings.Speed(r.Rate), r.Unit)
		if r.GFLOPS > 0 {
			line += fmt.Sprintf(" %8s", timings.Speed(r.GFLOPS))
			if r.Fraction > 0 {
				line += fmt.Sprintf(" %6.0f %%", 100*r.Fraction)
			}
		}
		fmt.Fprintln(e.Out, strings.TrimRight(line, " "))
	}
	return nil
}
