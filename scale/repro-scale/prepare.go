package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/prepare"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/repro/create"
	"contextmover/internal/checkpoint"
	"contextmover/scale/steps"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// preparing is repro-scale prepare.
type preparing struct {
	create.PrepareFlags
	toFlag
	Size create.ByteSize `default:"64MB" placeholder:"SIZE" help:"Cut the text into pieces of about this size, as stored (default ${default})."`
}

// Validate checks both.
func (c *preparing) Validate() error {
	return errors.Join(c.PrepareFlags.Validate(), c.toFlag.Validate())
}

func (c *preparing) Help() string {
	return "The text is that of repro corpus prepare, to the last byte, in the folder corpus of that of the job. " +
		"Give it again after a failure, and finished parts are kept. See docs/dev/scale.md."
}

func (c *preparing) Run(e *cli.Env) error {
	if err := fetch(e, c.Out, &c.Books, &c.Wikipedia, &c.Text, &c.JSONLines); err != nil {
		return err
	}
	j, err := prepare.NewJob(c.Out, c.Options(), int64(c.Size))
	if err != nil {
		return pipeline.DataError(err)
	}
	steps.LogPreparing(j)
	dir, err := filepath.Abs(c.Out)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	steps.Prepare{Dir: dir}.Pipeline(s, j.Pieces())
	if err := execute(e, p); err != nil {
		return err
	}
	// What an engine says of a job is one thing, what is there another.
	parts, err := j.Corpus(e)
	if err != nil {
		return notDone(err)
	}
	create.PrintPrepared(e, j.Folder(), parts)
	return c.send(e, c.Out, j.Folder())
}

// notDone is an error of looking at a job that an engine has ended.
func notDone(err error) error {
	var notYet *checkpoint.NotYetError
	if errors.As(err, &notYet) {
		return fmt.Errorf("the engine has ended the job, and it is not done: %w", err)
	}
	return pipeline.DataError(err)
}
