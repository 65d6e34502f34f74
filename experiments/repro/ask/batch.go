package ask

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"contextmover/experiments/batch"
	"contextmover/experiments/convergence"
	"contextmover/experiments/repro/cli"
)

// runBatch is repro distance --pairs.
func (c *Distance) runBatch(e *cli.Env) error {
	if c.From != "" || c.To != "" || c.Explain || c.JSON {
		return cli.BadUsage("--pairs: expected no texts beside it, and neither --explain nor --json")
	}
	if len(c.In) > 0 {
		return cli.BadUsage("--pairs: expected no --in: put what it learns into a space first")
	}
	if c.Out == "" {
		return cli.BadUsage("--pairs: expected --out DIR, the folder to write distances to")
	}
	s, monitor, err := c.open(e)
	if err != nil {
		return err
	}
	defer s.Close()
	b, err := batch.NewDistances(s.Space, c.Pairs, c.Out)
	if err != nil {
		return err
	}
	step, n, made, there := e.Progress.Step("distances"), 0, 0, 0
	for range c.Share.Of(b.Blocks()) {
		n++
	}
	for number := range c.Share.Of(b.Blocks()) {
		did, err := b.Make(e, number)
		if err != nil {
			return err
		}
		if did {
			made++
		} else {
			there++
		}
		step(int64(made+there), int64(n))
	}
	convergence.Warn(monitor, hint)
	fmt.Fprintf(e.Out, "%s\t%d of %d blocks made, %d were there\n", filepath.Join(c.Out, batch.Blocks), made, b.Blocks(), there)
	switch err := b.Join(e); {
	case errors.Is(err, fs.ErrNotExist): // another process joins them
	case err != nil:
		return err
	default:
		fmt.Fprintf(e.Out, "%s\t%d distances\n", filepath.Join(c.Out, batch.Name), b.Pairs())
	}
	return nil
}
