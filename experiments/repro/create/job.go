package create

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"

	"contextmover/cmdlib/build"
	"contextmover/cmdlib/corpus/job"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/checkpoint"
)

// Shard is repro corpus shard.
type Shard struct {
	textFlags
	vocabularyFlags
	windowFlag
	Size ByteSize `default:"256MB" placeholder:"SIZE" help:"Cut the text into shards of about this size, as stored (default ${default})."`
	Part ByteSize `default:"256MB" placeholder:"SIZE" help:"Add counts up in parts of at most this size (default ${default})."`
	Out  string   `required:"" placeholder:"DIR" help:"Folder of the job, which all its processes reach."`
}

func (c *Shard) Help() string {
	return "The first step of counting in a job array: see docs/scale.md. The next are corpus words, pairs and " +
		"merge, each in as many processes as there are."
}

func (c *Shard) Validate() error { return c.windowFlag.check() }

func (c *Shard) Run(e *cli.Env) error {
	if c.MinCount < 1 {
		return cli.BadUsage("--min-count=%d: expected at least 1", c.MinCount)
	}
	text, err := c.text()
	if err != nil {
		return err
	}
	j, err := job.New(c.Out, text, job.Params{
		MinCount: c.MinCount, Window: c.Window, ShardSize: int64(c.Size), PartSize: int64(c.Part),
	})
	if err != nil {
		return pipeline.DataError(err)
	}
	fmt.Fprintf(e.Out, "%s\t%d shards\n", c.Out, j.Shards())
	return nil
}

// jobFlags choose a job, and a share of it.
type jobFlags struct {
	Job string `required:"" placeholder:"DIR" help:"Folder of the job, as corpus shard made it."`
	cli.ShareFlag
}

func (f jobFlags) open() (*job.Job, error) {
	j, err := job.Open(f.Job)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, cli.BadUsage("--job=%s: there is no job: make one with repro corpus shard", f.Job)
	}
	if err != nil {
		return nil, pipeline.DataError(err)
	}
	// What a process was at stands in its log when it is killed, for want of memory perhaps.
	j.Begin = func(what string) { slog.Info("counting", "what", what) }
	j.Mend = checkpoint.Warn
	return j, nil
}

// each makes what is not made yet of the n things in the share, and says how many it made.
func (f jobFlags) each(e *cli.Env, step, thing string, n int, do checkpoint.ByNumber) error {
	made, there, err := f.Each(e, step+": "+thing, n, do)
	if err != nil {
		return pipeline.DataError(err)
	}
	fmt.Fprintf(e.Out, "%s\t%d of %d %ss made, %d were there\n", filepath.Join(f.Job, step), made, n, thing, there)
	return nil
}

// finish does what the last process of a step does. Others see that there is something missing yet.
func finish(err error) error {
	var notYet *job.NotYetError
	if errors.As(err, &notYet) {
		return nil
	}
	if err != nil {
		return pipeline.DataError(err)
	}
	return nil
}

// Words is repro corpus words.
type Words struct{ jobFlags }

func (c *Words) Help() string {
	return "A shard that is finished is not counted again: a process that was killed is given again. The last one to " +
		"finish makes vocab.txt."
}

func (c *Words) Run(e *cli.Env) error {
	j, err := c.open()
	if err != nil {
		return err
	}
	if err := c.each(e, "words", "shard", j.Shards(), j.Words); err != nil {
		return err
	}
	v, err := j.Vocabulary(e)
	if err == nil {
		cli.WarnInvalid(v.Stats.Invalid, v.Stats.FirstInvalid)
		fmt.Fprintf(e.Out, "%s\t%d words, %s %% of %d tokens in %d sentences\n", filepath.Join(c.Job, vocabularyName),
			v.Len(), cli.Percent(v.Stats.Known, v.Stats.Tokens), v.Stats.Tokens, v.Stats.Lines)
	}
	return finish(err)
}

func (f jobFlags) counter(e *cli.Env, memory ByteSize) (*job.Counter, error) {
	j, err := f.open()
	if err != nil {
		return nil, err
	}
	c, err := j.Counter(e, int64(memory))
	if err != nil {
		return nil, pipeline.DataError(err)
	}
	return c, nil
}

// Pairs is repro corpus pairs.
type Pairs struct {
	jobFlags
	Memory ByteSize `default:"1GB" placeholder:"SIZE" help:"Take about this much memory for a shard, and more for the vocabulary (default ${default})."`
}

func (c *Pairs) Help() string {
	return "A shard that is finished is not counted again: a process that was killed is given again."
}

func (c *Pairs) Run(e *cli.Env) error {
	counter, err := c.counter(e, c.Memory)
	if err != nil {
		return err
	}
	return c.each(e, "pairs", "shard", counter.Shards(), counter.Pairs)
}

// Merge is repro corpus merge.
type Merge struct{ jobFlags }

func (c *Merge) Help() string {
	return "A part that is finished is not made again: a process that was killed is given again. The last one to " +
		"finish makes the folder counts in that of the job: vocab.txt and cooccurrence.bin, as corpus count writes " +
		"them. A damaged count of a shard is made anew."
}

func (c *Merge) Run(e *cli.Env) error {
	counter, err := c.counter(e, 1e9) // for what is damaged and counted anew
	if err != nil {
		return err
	}
	if err := c.each(e, "parts", "part", counter.Parts(), counter.Merge); err != nil {
		return err
	}
	dir, size, err := counter.Counts(e, e.Progress.Step("join the parts"))
	if err == nil {
		fmt.Fprintf(e.Out, "%s\t%d pairs of words, %s\n", filepath.Join(dir, countsName), size/16, cli.Size(size))
		next, err := predicted(e, dir, build.New().Dim)
		if err != nil {
			return pipeline.DataError(err)
		}
		slog.Info("repro build --counts will take, within a factor of two or so",
			"memory", cli.Size(next.Memory), "time", about(next.Seconds), "disk", cli.Size(next.Disk))
		return nil
	}
	return finish(err)
}
