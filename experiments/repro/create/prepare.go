package create

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"contextmover/cmdlib/corpus/job"
	"contextmover/cmdlib/prepare"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/checkpoint"
	"contextmover/internal/disk"
	"contextmover/internal/printable"
)

// PrepareFlags say what raw text is prepared, and where to.
type PrepareFlags struct {
	Books     []string `sep:"none" placeholder:"PATH" help:"Plain-text books, one a file, as Project Gutenberg has them: a folder or a file. Repeat the flag for more."`
	Wikipedia []string `sep:"none" placeholder:"PATH" help:"Wikipedia as WikiExtractor writes it, with or without its option --json: a folder or a file."`
	Text      []string `sep:"none" placeholder:"PATH" help:"Any other text, a document a file."`
	JSONLines []string `name:"json-lines" sep:"none" placeholder:"PATH" help:"JSON objects, one a line, with the text in \"text\"; \"title\", \"author\", \"url\" and \"licence\" go to the index."`
	Seed      uint64   `default:"1" placeholder:"N" help:"Seed of the drawing of shards (default ${default})."`
	Size      ByteSize `default:"64MB" placeholder:"SIZE" help:"Pieces in which several processes read the text are about this large, as stored (default ${default})."`
	Out       string   `required:"" placeholder:"DIR" help:"Folder to write to; where several processes share the work, the folder of the job, in which the folder corpus comes."`
}

// Validate wants some text.
func (f PrepareFlags) Validate() error {
	if len(f.Books)+len(f.Wikipedia)+len(f.Text)+len(f.JSONLines) == 0 {
		return errors.New("expected at least one of --books, --wikipedia, --text and --json-lines")
	}
	return nil
}

func (f PrepareFlags) options() prepare.Options {
	o := prepare.Options{Seed: f.Seed}
	for _, s := range []prepare.Source{
		{Kind: prepare.Books, Paths: f.Books}, {Kind: prepare.Wikipedia, Paths: f.Wikipedia},
		{Kind: prepare.Text, Paths: f.Text}, {Kind: prepare.JSON, Paths: f.JSONLines},
	} {
		if len(s.Paths) > 0 {
			o.Sources = append(o.Sources, s)
		}
	}
	return o
}

// Job cuts the text into the pieces of a job, whose log says what is begun.
func (f PrepareFlags) Job() (*prepare.Job, error) {
	j, err := prepare.NewJob(f.Out, f.options(), int64(f.Size))
	if err != nil {
		return nil, pipeline.DataError(err)
	}
	LogPreparing(j)
	return j, nil
}

// LogPreparing has a job say in the log what it begins and what it mends. If the process is killed, for want of
// memory perhaps, the log says what it was doing.
func LogPreparing(j *prepare.Job) {
	j.Begin = func(what string) { slog.Info("preparing", "what", what) }
	j.Mend = checkpoint.Warn
}

// PrintPrepared says what has been prepared, and is in a folder, and what to do with it.
func PrintPrepared(e *cli.Env, dir string, parts []prepare.Part) {
	for _, p := range parts {
		for _, s := range p.Shards {
			fmt.Fprintf(e.Out, "%s\t%d documents, %d sentences, %d tokens\n", filepath.Join(dir, s.Name), s.Documents,
				s.Sentences, s.Tokens)
		}
		for _, reason := range slices.Sorted(maps.Keys(p.LeftOut)) {
			slog.Info("left out", "kind", p.Kind, "reason", reason, "documents", p.LeftOut[reason])
		}
		warnOdd(p)
		slog.Info("prepared", "kind", p.Kind, "documents", p.Documents, "sentences", p.Sentences, "tokens", p.Tokens,
			"repeated", p.Repeated, "odd", p.Odd)
	}
	fmt.Fprintf(e.Out, "next\trepro build --text %s --out SPACE\n", printable.Shell(dir))
}

// mostOdd is the share of a source's sentences that may be left out without a warning.
const mostOdd = 0.2

// warnOdd tells of a source of which many sentences are left out, and why most of them are.
func warnOdd(p prepare.Part) {
	all := p.Sentences + p.Repeated + p.Odd
	if float64(p.Odd) <= mostOdd*float64(all) {
		return
	}
	most := ""
	for _, why := range slices.Sorted(maps.Keys(p.Why)) {
		if most == "" || p.Why[why].Sentences > p.Why[most].Sentences {
			most = why
		}
	}
	slog.Warn(fmt.Sprintf("%s %% of all sentences are left out, most of them for %s", cli.Percent(p.Odd, all), most),
		"kind", p.Kind, "left_out", p.Odd, "of", all,
		"for_this", p.Why[most].Sentences, "such_as", p.Why[most].Quoted())
}

// Prepare is repro corpus prepare.
type Prepare struct {
	PrepareFlags
	JSON  bool `name:"json" help:"Print JSON."`
	Force bool `help:"Replace prepared text that is in this folder."`
	cli.ShareFlag
}

func (c *Prepare) Help() string {
	return "Writes shards KIND-00.txt.zst, which --text of corpus count and build reads, index.tsv (which document " +
		"lies where, by whom, under which licence), left-out.tsv and corpus.json. All files may be plain, gzip, zstd " +
		"or bzip2. With --share it is a process of a job array, which is given twice: first the text is read, and " +
		"the last process deals the documents; then the shards are written, and the last process makes the folder " +
		"corpus in that of the job. What is finished is not made again."
}

func (c *Prepare) Run(e *cli.Env) error {
	if c.Share != (cli.Share{}) {
		return c.share(e)
	}
	if err := disk.MkdirAll(filepath.Dir(filepath.Clean(c.Out))); err != nil {
		return err
	}
	if err := prepare.Replaceable(c.Out); err != nil {
		return cli.WithCode(err, cli.ExitUsage)
	}
	// What is replaceable and has something in it is prepared text.
	if entries, err := os.ReadDir(c.Out); err == nil && len(entries) > 0 && !c.Force {
		return cli.BadUsage("--out=%s: prepared text is there: choose another folder, "+
			"or replace it with --force", c.Out)
	}
	o := c.options()
	o.Progress = e.Progress.Step("prepare")
	parts, err := prepare.Run(e, c.Out, o)
	if err != nil {
		return pipeline.DataError(err)
	}
	return c.finish(e, c.Out, parts)
}

func (c *Prepare) finish(e *cli.Env, dir string, parts []prepare.Part) error {
	if c.JSON {
		return e.JSON(parts)
	}
	PrintPrepared(e, dir, parts)
	cli.LogFinished()
	return nil
}

// share does what there is to do of the share, as far as others have come.
func (c *Prepare) share(e *cli.Env) error {
	if c.Force {
		return cli.BadUsage(
			"--force: expected no --share beside it: the folder of a job is not replaced, but gone on with",
		)
	}
	j, err := c.Job()
	if err != nil {
		return err
	}
	each := func(what string, n int, do checkpoint.ByNumber) error {
		made, there, err := c.Each(e, what, n, do)
		if err != nil {
			return pipeline.DataError(err)
		}
		slog.Info("the share is done", what+"s_made", made, "were_there", there, "of_all", n)
		return nil
	}
	var notYet *job.NotYetError
	waits := func(err error) error {
		if errors.As(err, &notYet) {
			slog.Info("give all shares again when they have ended", "missing", notYet.Missing, "first", notYet.First)
			return nil
		}
		return pipeline.DataError(err)
	}
	if err := each("piece", j.Pieces(), j.Read); err != nil {
		return err
	}
	d, err := j.Deal(e)
	if err != nil {
		return waits(err)
	}
	if err := each("shard", d.Shards(), d.Write); err != nil {
		return err
	}
	parts, err := d.Corpus(e)
	if err != nil {
		return waits(err)
	}
	return c.finish(e, d.Folder(), parts)
}
