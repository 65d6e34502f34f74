// Command repro regenerates the tables and figures of the paper, solves transport problems from
// files, and looks after the store of finished artefacts.
//
// Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed,
// 2 wrong usage, 3 worse than the recorded run, 4 data missing or damaged, 5 a notebook failed,
// 130 interrupted.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"contextmover/cmdlib/build"
	"contextmover/experiments/dataset"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// The exit codes, as README and help promise them.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitRegression  = 3
	exitData        = 4
	exitNotebook    = 5
	exitInterrupted = 130
)

// cli is the command line: one field a command.
type cli struct {
	Run  runCmd  `cmd:"" help:"Run experiments: from text to tables."`
	Tune tuneCmd `cmd:"" help:"Search for better settings on the validation group."`
	OT   struct {
		Distance   distanceCmd   `cmd:"" help:"Transport cost between pairs of histograms."`
		Plan       planCmd       `cmd:"" help:"Transport plan between two histograms."`
		Barycenter barycenterCmd `cmd:"" help:"Wasserstein barycenter of histograms."`
	} `cmd:"" name:"ot" help:"Solve transport problems from .npy files."`
	Data struct {
		Ls     dataLsCmd     `cmd:"" help:"List the files that the profiles on real data use."`
		Fetch  dataFetchCmd  `cmd:"" help:"Download or copy the files, checked and resumable."`
		Verify dataVerifyCmd `cmd:"" help:"Check the files of the data folder."`
	} `cmd:"" help:"Look after the folder of real data."`
	Distance   textDistanceCmd `cmd:"" help:"Distance between two words or texts."`
	Neighbours neighboursCmd   `cmd:"" aliases:"neighbors" help:"The nearest words of a word or text."`
	Explain    explainCmd      `cmd:"" help:"The transport plan between two words or texts, in words."`
	Build      buildCmd        `cmd:"" help:"Make a space of your own text or embedding."`
	Score      scoreCmd        `cmd:"" help:"Score pairs of sentences in a space."`
	Corpus     struct {
		Vocab corpusVocabCmd `cmd:"" help:"Count the words of a text."`
		Count corpusCountCmd `cmd:"" help:"Count the co-occurrences of words in a text."`
	} `cmd:"" help:"Count text of your own, into files as GloVe's tools have them."`
	Embed struct {
		SVD   embedSVDCmd   `cmd:"" name:"svd" help:"Singular vectors of the words' associations."`
		GloVe embedGloVeCmd `cmd:"" name:"glove" help:"GloVe vectors."`
	} `cmd:"" help:"Make word vectors from counts."`
	Figure struct {
		Density figureDensityCmd `cmd:"" help:"Words as densities over a map of the contexts."`
		Combine figureCombineCmd `cmd:"" help:"Words, their Euclidean average and their barycenters."`
		Plan    figurePlanCmd    `cmd:"" help:"The transport plan between a few contexts of two words, as squares."`
		Flow    figureFlowCmd    `cmd:"" help:"The whole transport plan between two words, as bands."`
	} `cmd:"" help:"Draw a figure of any words as SVG, PDF and PNG."`
	Verify    verifyCmd    `cmd:"" help:"Compare with the paper, cell by cell, and with the recorded run."`
	Report    reportCmd    `cmd:"" help:"Write the results as one HTML page."`
	Notebooks notebooksCmd `cmd:"" help:"Execute the notebooks without Jupyter."`
	Ls        lsCmd        `cmd:"" help:"List the artefacts in the store."`
	Clean     cleanCmd     `cmd:"" help:"Remove artefacts from the store."`
	Bench     benchCmd     `cmd:"" help:"Measure this machine, in under a minute."`
	Timings   timingsCmd   `cmd:"" help:"Measure anew what the paper timed, and record it for verify and report."`
	Doctor    doctorCmd    `cmd:"" help:"Check the machine, the store and the data."`

	Version    versionCmd    `cmd:"" help:"Print the version, the commit, the engines and the kernels."`
	Completion completionCmd `cmd:"" help:"Print a script that makes the shell complete commands and flags."`
	Complete   completeCmd   `cmd:"" hidden:"" help:"List what a word may become."`
	Man        manCmd        `cmd:"" hidden:"" help:"Write manual pages."`

	ShowVersion kong.VersionFlag `name:"version" help:"Print the version."`
}

// env is what a command may touch of the world. Commands write their results to
// out, which is buffered and whose errors end the program at the end.
type env struct {
	context.Context
	out      *bufio.Writer
	progress *progress
}

// run is main without the process: it returns the exit code.
func run(args []string, stdout io.Writer, stderr *os.File) (code int) {
	// The first signal cancels ctx; then its handling is as before, so a second kills.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	var c cli
	exited := -1
	names, help := experimentNames()
	parser, err := kong.New(&c,
		kong.Name("repro"),
		kong.Description("Context Mover: words as distributions over contexts, compared by optimal transport."),
		kong.Vars{
			"engines":  strings.Join(pipeline.EngineNames(), ","),
			"profiles": strings.Join(profile.Names(), ", "),

			"pair_methods": scoreMethods(),

			"experiments": names, "experiments_help": help,

			"version": programVersion().line(),
		},
		kong.Writers(stdout, stderr),
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
	if err != nil {
		hint := "repro"
		var parse *kong.ParseError
		if errors.As(err, &parse) && parse.Context != nil {
			if node := parse.Context.Selected(); node != nil {
				hint = aliases.ReplaceAllString(node.FullPath(), "")
			}
		}
		fmt.Fprintf(stderr, "repro: %v (see %s --help)\n", err, hint)
		return exitUsage
	}

	progress := newProgress(stderr)
	slog.SetDefault(slog.New(slog.NewTextHandler(progress, &slog.HandlerOptions{
		ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey && len(groups) == 0 && a.Value.Kind() == slog.KindTime {
				return slog.String(slog.TimeKey, a.Value.Time().Format(time.TimeOnly))
			}
			return a
		},
	})))
	e := &env{Context: ctx, out: bufio.NewWriter(stdout), progress: progress}
	err = command.Run(e)
	progress.Close()
	// What was found is worth showing even if the command failed in the end.
	if flush := e.out.Flush(); err == nil {
		err = flush
	}
	if err == nil {
		return 0
	}
	code = exitCode(err)
	if code == exitInterrupted {
		err = errors.New("interrupted")
	}
	if message := err.Error(); message != "" {
		fmt.Fprintf(stderr, "repro: %s\n", message)
	}
	return code
}

// aliases are what kong writes behind the name of a command.
var aliases = regexp.MustCompile(` \([^)]*\)`)

// coded is an error with an exit code of its own.
type coded struct {
	error
	code int
}

func (e coded) Unwrap() error { return e.error }

// badData marks an error of the user's data, badUsage one of the command line that
// only shows after parsing.
func badData(err error) error { return coded{err, exitData} }

func badUsage(format string, args ...any) error {
	return coded{fmt.Errorf(format, args...), exitUsage}
}

// failed ends the program with exit code 1 after the command has said why.
var failed = coded{errors.New(""), exitFailed}

func exitCode(err error) int {
	var c coded
	switch {
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &c):
		return c.code
	case errors.Is(err, dataset.ErrData), errors.Is(err, build.ErrData):
		return exitData
	case errors.Is(err, pipeline.ErrSettings):
		return exitUsage
	}
	return exitFailed
}
