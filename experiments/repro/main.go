// Command repro regenerates the tables and figures of the paper, solves transport problems from
// files, and looks after the store of finished artefacts.
//
// Results go to stdout, everything else to stderr. Exit codes: 0 done, 1 failed,
// 2 wrong usage, 3 worse than the recorded run, 4 data missing or damaged, 5 a notebook failed,
// 70 a defect of the program, 130 interrupted.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"contextmover/experiments/repro/ask"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/repro/create"
	"contextmover/experiments/repro/maintain"
	"contextmover/experiments/repro/paper"
	"contextmover/experiments/repro/transport"
	"contextmover/internal/printable"
)

func main() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		collectSeldom()
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// collectSeldom collects garbage whenever memory has grown by a quarter: it is arrays of numbers, which the collector
// need not look into, so that this costs little and saves a third of the memory. Below 64 MB, where short questions
// stay, it does not collect, which would be a quarter of their time.
func collectSeldom() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(64 << 20)
	first := func(struct{}) { // runs once something has been collected
		debug.SetGCPercent(25)
		debug.SetMemoryLimit(math.MaxInt64)
	}
	runtime.AddCleanup(new([64]byte), first, struct{}{})
}

// commands is the command line: one field a command.
type commands struct {
	// Commands that print text only have json:"-", and so no --json.
	Neighbours ask.Neighbours `cmd:"" aliases:"neighbors" help:"The words nearest to a word or text." group:"ask"`
	Distance   ask.Distance   `cmd:"" help:"How far two words or texts are apart." group:"ask"`
	Explain    ask.Explain    `cmd:"" help:"Why two words or texts are as similar as they are." group:"ask"`
	Explore    ask.Explore    `cmd:"" json:"-" help:"A page in your browser that answers while you type." group:"ask"`
	Score      ask.Score      `cmd:"" help:"Similarities of pairs of texts, and which of two systems agrees better with people." group:"ask"`
	Methods    ask.Methods    `cmd:"" help:"List the methods that texts are compared by, and their settings." group:"ask"`
	Encode     ask.Encode     `cmd:"" json:"-" help:"Vectors or histograms of many texts, as an array." group:"ask"`
	Search     ask.Search     `cmd:"" help:"The sentences of a text nearest to a query." group:"ask"`
	Senses     ask.Senses     `cmd:"" help:"The senses of a word in a text." group:"ask"`
	Figure     ask.Figure     `cmd:"" help:"Figures of words and texts, as SVG, PDF and PNG." group:"ask"`

	Build  create.Build `cmd:"" help:"Make a space from text, or from vectors and counts, or pack one into a small file." group:"text"`
	Corpus struct {
		Count create.Count `cmd:"" json:"-" help:"Count the co-occurrences of words in a text."`

		Prepare create.Prepare `cmd:"" help:"Turn books, Wikipedia or any text into training text: one tokenised sentence per line."`
	} `cmd:"" help:"Prepare and count text." group:"text"`
	Embed struct {
		SVD   create.SVD   `cmd:"" json:"-" name:"svd" help:"Singular vectors of the words' associations."`
		GloVe create.GloVe `cmd:"" json:"-" name:"glove" help:"GloVe vectors."`
	} `cmd:"" help:"Train word vectors from counts." group:"text"`

	Run       paper.Run       `cmd:"" json:"-" help:"Run experiments: from text to tables." group:"paper"`
	Tune      paper.Tune      `cmd:"" json:"-" help:"Search for better settings on the validation set." group:"paper"`
	Notebooks paper.Notebooks `cmd:"" json:"-" help:"Execute the notebooks without Jupyter." group:"paper"`
	Verify    paper.Verify    `cmd:"" help:"Compare with the paper and with the recorded run." group:"paper"`
	Report    paper.Report    `cmd:"" json:"-" help:"Write the results as one HTML page." group:"paper"`
	Why       paper.Why       `cmd:"" json:"-" help:"The inputs of a table, a cell or an artefact." group:"paper"`
	Table     paper.Table     `cmd:"" json:"-" help:"A table of a run as LaTeX, Markdown, CSV or text." group:"paper"`
	Timings   paper.Timings   `cmd:"" help:"Repeat the paper's timings." group:"paper"`

	OT struct {
		Distance   transport.Distance   `cmd:"" help:"Transport cost between pairs of histograms."`
		Divergence transport.Divergence `cmd:"" help:"Sinkhorn divergence between pairs of histograms: 0 between equal ones."`
		Plan       transport.Plan       `cmd:"" help:"Transport plan between two histograms."`
		Barycenter transport.Barycenter `cmd:"" help:"Wasserstein barycenter of histograms."`
	} `cmd:"" name:"ot" help:"Solve transport problems from .npy files." group:"transport"`

	Data struct {
		Ls     maintain.DataLs     `cmd:"" help:"List the files that the profiles on real data use."`
		Fetch  maintain.DataFetch  `cmd:"" json:"-" help:"Download or copy the files, checked and resumable."`
		Verify maintain.DataVerify `cmd:"" help:"Check the files of the data folder."`
	} `cmd:"" help:"Fetch and check the real data." group:"maintain"`
	Ls         maintain.Ls     `cmd:"" help:"List the artefacts in the store." group:"maintain"`
	Clean      maintain.Clean  `cmd:"" json:"-" help:"Remove artefacts from the store." group:"maintain"`
	Doctor     maintain.Doctor `cmd:"" help:"Check the machine, the store and the data." group:"maintain"`
	Bench      maintain.Bench  `cmd:"" help:"Measure this machine, in under a minute." group:"maintain"`
	Version    versionCmd      `cmd:"" help:"Print version, commit, engines and kernels." group:"maintain"`
	Completion completionCmd   `cmd:"" json:"-" help:"Print a script for completion in the shell." group:"maintain"`
	Complete   completeCmd     `cmd:"" hidden:"" help:"List what a word may become."`
	Man        manCmd          `cmd:"" hidden:"" help:"Write manual pages."`

	JSON        bool             `name:"json" group:"common" help:"Print JSON."`
	Verbose     bool             `group:"common" help:"Print all that is logged; with repro run, all tables."`
	ShowVersion kong.VersionFlag `group:"common" name:"version" help:"Print the version."`
}

// groups are the headings of repro --help, what most people ask for first, and that of the flags that commands share.
var groups = []kong.Group{
	{Key: "ask", Title: "Ask:"},
	{Key: "text", Title: "Your text:"},
	{Key: "paper", Title: "The paper:"},
	{Key: "transport", Title: "Transport:"},
	{Key: "maintain", Title: "Maintain:"},
	{Key: "common", Title: "Common flags:"},
}

// run is main without the process: it returns the exit code.
func run(args []string, stdout io.Writer, stderr *os.File) (code int) {
	var progress *cli.Progress
	defer func() {
		if v := recover(); v != nil {
			if progress != nil {
				progress.Close()
			}
			code = cli.ExitDefect
			fmt.Fprintf(stderr, `repro: a defect of the program, not of what it was given. Please report it with these lines:
  version: %s
  command: repro %q
  panic: %v
%s`, programVersion().Version, args, v, debug.Stack())
		}
	}()
	// The first signal cancels ctx; then its handling is as before, so a second kills.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	exited := -1
	all := new(commands)
	parser := newParser(all, stdout, stderr, func(code int) { exited = code }) // --help
	command, err := parser.Parse(args)
	if exited >= 0 {
		return exited
	}
	if err != nil {
		hint := "repro"
		var parse *kong.ParseError
		if errors.As(err, &parse) && parse.Context != nil {
			if node := parse.Context.Selected(); node != nil {
				hint = strings.ReplaceAll(manName(node), "-", " ")
			}
		}
		fmt.Fprintf(stderr, "repro: %s (see %s --help)\n", shown(err.Error()), hint)
		return cli.ExitUsage
	}

	progress = cli.NewProgress(stderr)
	group := command.Selected().Group
	question := group != nil && group.Key == "ask"
	slog.SetDefault(slog.New(cli.NewLog(progress, question && !all.Verbose)))
	e := cli.NewEnv(ctx, stdout, progress)
	e.AsJSON, e.Verbose = all.JSON, all.Verbose
	err = command.Run(e)
	progress.Close()
	// What was found is worth showing even if the command failed in the end.
	if flush := e.Out.Flush(); err == nil {
		err = flush
	}
	if err == nil {
		return 0
	}
	code = cli.ExitCode(err)
	if code == cli.ExitInterrupted {
		err = errors.New("interrupted")
	}
	if message := printable.Message(err); message != "" {
		fmt.Fprintf(stderr, "repro: %s\n", shown(message))
	}
	return code
}

// newParser returns what parses the command line into the commands; exit is called where that is all there is to do.
func newParser(into *commands, stdout, stderr io.Writer, exit func(code int)) *kong.Kong {
	parser, err := kong.New(into,
		kong.Name("repro"),
		kong.Description("Context Mover: words as distributions over contexts, compared by optimal transport."),
		cli.Vars(), cli.Check, paper.Vars(), kong.Vars{"version": "repro " + programVersion().Version},
		kong.Writers(stdout, stderr),
		kong.Exit(exit),
		kong.KindMapper(reflect.String, kong.MapperFunc(asGiven)),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.ExplicitGroups(groups),
	)
	if err != nil {
		panic(err) // the command line's own definition is wrong
	}
	parser.Model.HelpFlag.Group = &groups[len(groups)-1]
	root := parser.Model.Node
	json := slices.IndexFunc(root.Flags, func(f *kong.Flag) bool { return f.Name == "json" })
	for _, leaf := range parser.Model.Leaves(false) {
		if leaf.Tag.Get("json") != "-" {
			leaf.Flags = append(leaf.Flags, root.Flags[json])
		}
		lines := "Examples:\n\n"
		for _, example := range examples[strings.TrimPrefix(manName(leaf), "repro-")] {
			lines += "    $ repro " + example + "\n"
		}
		leaf.Detail = strings.TrimRight(lines+"\n"+leaf.Detail, "\n")
	}
	root.Flags = slices.Delete(root.Flags, json, json+1)
	return parser
}

// asGiven keeps the bytes of an argument, which may name a file in another encoding: kong passes text
// through JSON, which has none but UTF-8.
func asGiven(c *kong.DecodeContext, target reflect.Value) error {
	token, err := c.Scan.PopValue("string")
	if err != nil {
		return err
	}
	text, ok := token.Value.(string)
	if !ok {
		return fmt.Errorf("expected text but got %v", token.Value)
	}
	target.SetString(text)
	return nil
}

// shown is a message of one or several lines as a terminal may have it: words, paths and arguments in it are
// anybody's.
func shown(message string) string {
	lines := strings.Split(message, "\n")
	for i, line := range lines {
		lines[i] = printable.Text(line)
	}
	return strings.Join(lines, "\n")
}
