package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"contextmover/experiments/harness/spaces"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/disk"
	"contextmover/scale/steps"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// batchFlags are those of all that asks a space about the lines of a file.
type batchFlags struct {
	Space string `default:"english" placeholder:"FILE" help:"The space: english, which is built in, or the file of another (default: ${default})."`
	Out   string `required:"" placeholder:"DIR" help:"Folder to write the answers to."`
	toFlag
}

func (f batchFlags) help(command string) string {
	return "The answers are those of repro " + command +
		", to the last byte, in the same folder, and finished parts are kept. See docs/dev/scale.md."
}

// run makes all answers.
func (f batchFlags) run(e *cli.Env, d steps.Batch) error {
	if spaces.IsProfile(f.Space) {
		return cli.BadUsage("--space=%s: the space of a profile, which workers do not make: name a file",
			f.Space)
	}
	d.Space, d.Out = f.Space, f.Out
	if err := fetchOne(e, d.Out, &d.File); err != nil {
		return err
	}
	paths := []*string{&d.File, &d.Out}
	if d.Space != spaces.Default {
		paths = append(paths, &d.Space)
	}
	if d.Index != "" {
		paths = append(paths, &d.Index)
	}
	for _, path := range paths {
		absolute, err := filepath.Abs(*path)
		if err != nil {
			return err
		}
		*path = absolute
	}
	b, _, err := d.Open(e)
	if err != nil {
		return err
	}
	if err := disk.Remove(filepath.Join(d.Out, b.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	d.Pipeline(s, b.Blocks())
	if err := execute(e, p); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(d.Out, b.Name)); err != nil {
		return fmt.Errorf("the engine has ended the job, and it is not done: %w", err)
	}
	fmt.Fprintf(e.Out, "%s\t%d %s\n", filepath.Join(f.Out, b.Name), b.Lines(), b.Things)
	return f.send(e, d.Out, d.Out, b.Name)
}

// distance is repro-scale distance.
type distance struct {
	batchFlags
	Pairs string `required:"" placeholder:"FILE.tsv" help:"Pairs of words or texts, one a line, separated by a tab."`
}

func (c *distance) Help() string { return c.help("distance --pairs") }

func (c *distance) Run(e *cli.Env) error {
	return c.run(e, steps.Batch{Kind: steps.Distances, File: c.Pairs})
}

// textsFlags are those of all that asks about texts.
type textsFlags struct {
	batchFlags
	Texts string `required:"" placeholder:"FILE" help:"Words or texts, one a line."`
}

// barycenter is repro-scale barycenter.
type barycenter struct {
	textsFlags
	Debiased bool `help:"Debiased barycenters: without the blur of regularisation."`
}

func (c *barycenter) Help() string { return c.help("encode --method comb") }

func (c *barycenter) Run(e *cli.Env) error {
	return c.run(e, steps.Batch{Kind: steps.Barycenters, File: c.Texts, Debiased: c.Debiased})
}

// listFlags are those of all that lists what is near.
type listFlags struct {
	textsFlags
	N int `short:"n" default:"10" placeholder:"N" help:"How many to list for each (default ${default})."`
}

// Validate refuses a list of nothing.
func (f listFlags) Validate() error {
	if f.N < 1 {
		return fmt.Errorf("-n %d: expected at least 1", f.N)
	}
	return f.toFlag.Validate()
}

// neighbours is repro-scale neighbours.
type neighbours struct{ listFlags }

func (c *neighbours) Help() string { return c.help("neighbours --texts") }

func (c *neighbours) Run(e *cli.Env) error {
	return c.run(e, steps.Batch{Kind: steps.Neighbours, File: c.Texts, N: c.N})
}

// searching is repro-scale search.
type searching struct {
	listFlags
	In string `required:"" placeholder:"DIR" help:"The index, as repro search --index makes it."`
}

func (c *searching) Help() string { return c.help("search --texts") }

func (c *searching) Run(e *cli.Env) error {
	return c.run(e, steps.Batch{Kind: steps.Search, File: c.Texts, Index: c.In, N: c.N})
}
