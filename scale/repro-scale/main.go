// Command repro-scale does on a cluster what repro does in one process: it prepares and counts a
// text, or asks a space about many texts, by Apache Beam, in this process or on Flink or Spark.
//
// Flags behind -- are Beam's. Results go to stdout, everything else to stderr. Exit codes are those of repro.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/repro/create"
	"contextmover/internal/printable"
	"contextmover/scale/boot"
	"contextmover/scale/job"
	"contextmover/scale/steps"

	"github.com/alecthomas/kong"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

type commands struct {
	Prepare    preparing  `cmd:"" help:"Turn books, Wikipedia or any text into sentences of tokens."`
	Count      count      `cmd:"" help:"Count the co-occurrences of words in a text."`
	Distance   distance   `cmd:"" help:"Distances of many pairs of words or texts."`
	Barycenter barycenter `cmd:"" help:"Barycenters of many texts."`
	Neighbours neighbours `cmd:"" aliases:"neighbors" help:"The nearest words of many words or texts."`
	Search     searching  `cmd:"" help:"The sentences of an index that are nearest to many queries."`
}

// run is main without the process: it returns the exit code.
func run(args []string, stdout io.Writer, stderr *os.File) int {
	if boot.Asked(args) {
		// An engine ends a worker by SIGTERM, which must not be caught.
		if err := boot.Work(context.Background(), args); err != nil {
			fmt.Fprintf(stderr, "repro-scale: %v\n", err)
			return cli.ExitFailed
		}
		return 0
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	var beamFlags []string
	if at := slices.Index(args, "--"); at >= 0 {
		args, beamFlags = args[:at], args[at+1:]
	}
	var c commands
	exited := -1
	parser, err := kong.New(&c,
		kong.Name("repro-scale"),
		kong.Description("Context Mover on a cluster: prepares and counts a text, or asks a space about many texts, "+
			"by Apache Beam. Flags of Beam stand behind --, such as -- --runner=flink --endpoint=localhost:8099."),
		cli.Vars(), cli.Check, kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }), // --help
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	)
	if err != nil {
		panic(err) // the command line's own definition is wrong
	}
	command, err := parser.Parse(args)
	if exited >= 0 {
		return exited
	}
	if err == nil {
		err = beamInit(beamFlags)
	}
	if err != nil {
		fmt.Fprintf(stderr, "repro-scale: %v (see repro-scale --help)\n", err)
		return cli.ExitUsage
	}
	progress := cli.NewProgress(stderr)
	slog.SetDefault(slog.New(quiet{slog.NewTextHandler(progress, nil)}))
	e := cli.NewEnv(ctx, stdout, progress)
	err = command.Run(e)
	progress.Close()
	if flush := e.Out.Flush(); err == nil {
		err = flush
	}
	if err == nil {
		return 0
	}
	code := cli.ExitCode(err)
	if code == cli.ExitInterrupted {
		err = errors.New("interrupted")
	}
	fmt.Fprintf(stderr, "repro-scale: %v\n", err)
	return code
}

// beamInit tells Beam its flags.
func beamInit(args []string) error {
	flag.CommandLine.Init("Beam", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard)
	if err := flag.CommandLine.Parse(args); err != nil {
		return fmt.Errorf("flags of Beam, behind --: %w", err)
	}
	if rest := flag.Args(); len(rest) > 0 {
		return fmt.Errorf("flags of Beam, behind --: unexpected %s", strings.Join(rest, " "))
	}
	beam.Init()
	return nil
}

// count is repro-scale count.
type count struct {
	create.CountFlags
	toFlag
	Size   create.ByteSize `default:"256MB" placeholder:"SIZE" help:"Cut the text into shards of about this size, as stored (default ${default})."`
	Part   create.ByteSize `default:"256MB" placeholder:"SIZE" help:"Add counts up in parts of at most this size (default ${default})."`
	Out    string          `required:"" placeholder:"DIR" help:"Folder of the job, which all its processes reach."`
	Memory create.ByteSize `default:"1GB" placeholder:"SIZE" help:"A worker takes about this much memory for a shard, and more for the vocabulary (default ${default})."`
}

func (c *count) Help() string {
	return "The counts are those of repro corpus count, to the last byte, in the folder counts of that of the job. " +
		"Give it again after a failure, and finished parts are kept. See docs/dev/scale.md."
}

func (c *count) Run(e *cli.Env) error {
	if err := fetch(e, c.Out, &c.Text, &c.More); err != nil {
		return err
	}
	text, err := c.Input()
	if err != nil {
		return err
	}
	j, err := job.New(c.Out, text, job.Params{
		MinCount: c.MinCount, Window: c.Window, ShardSize: int64(c.Size), PartSize: int64(c.Part),
	})
	if err != nil {
		return pipeline.DataError(err)
	}
	steps.LogCounting(j)
	fmt.Fprintf(e.Out, "%s\t%d shards\n", c.Out, j.Shards())
	dir, err := filepath.Abs(c.Out)
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	steps.Count{Dir: dir, Memory: int64(c.Memory)}.Pipeline(s, j.Shards())
	if err := execute(e, p); err != nil {
		return err
	}
	// What an engine says of a job is one thing, what is there another.
	counter, err := j.Counter(e, int64(c.Memory))
	if err != nil {
		return notDone(err)
	}
	counts, size, err := counter.Counts(e, nil)
	if err != nil {
		return notDone(err)
	}
	fmt.Fprintf(e.Out, "%s\t%d pairs of words, %s\n", counts, size/16, printable.Bytes(size))
	return c.send(e, c.Out, counts)
}
