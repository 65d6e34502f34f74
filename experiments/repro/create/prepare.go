package create

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/prepare"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/disk"
	"contextmover/internal/printable"
)

// PrepareFlags say what raw text is prepared, and where to.
type PrepareFlags struct {
	Books     []string `sep:"none" placeholder:"PATH" help:"Plain-text books, one per file, as Project Gutenberg has them: a folder or a file. Repeat the flag for more."`
	Wikipedia []string `sep:"none" placeholder:"PATH" help:"Wikipedia as WikiExtractor writes it: a folder or a file."`
	Text      []string `sep:"none" placeholder:"PATH" help:"Any other text, one document per file."`
	JSONLines []string `name:"json-lines" sep:"none" placeholder:"PATH" help:"JSON objects, one per line, with the text in \"text\"; \"title\", \"author\", \"url\" and \"licence\" go to the index."`
	Seed      uint64   `default:"1" placeholder:"N" help:"Seed of the drawing of shards (default ${default})."`
	Out       string   `required:"" placeholder:"DIR" help:"Folder to write to."`
}

// Validate wants some text.
func (f PrepareFlags) Validate() error {
	if len(f.Books)+len(f.Wikipedia)+len(f.Text)+len(f.JSONLines) == 0 {
		return errors.New("expected at least one of --books, --wikipedia, --text and --json-lines")
	}
	return nil
}

// Options are the values of the flags.
func (f PrepareFlags) Options() prepare.Options {
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
		slog.Info("prepared", "kind", p.Kind, "documents", p.Documents, "sentences", p.Sentences, "tokens", p.Tokens,
			"repeated", p.Repeated, "odd", p.Odd)
		if all := p.Sentences + p.Repeated + p.Odd; p.Odd > all/5 {
			slog.Warn(fmt.Sprintf("%s %% of all sentences are left out, most of them for %s", cli.Percent(p.Odd, all),
				p.MostOdd()), "kind", p.Kind)
		}
	}
	fmt.Fprintf(e.Out, "next\trepro build --text %s --out SPACE\n", printable.Shell(dir))
}

// Prepare is repro corpus prepare.
type Prepare struct {
	PrepareFlags
	Force bool `help:"Replace prepared text that is in this folder."`
}

func (c *Prepare) Help() string {
	return "Writes shards KIND-00.txt.zst, which --text of corpus count and build reads, index.tsv (where each " +
		"document is, who wrote it, and its licence), left-out.tsv and corpus.json. All files may be plain, gzip " +
		"or zstd. repro-scale prepare does the same on many machines: see docs/dev/scale.md."
}

func (c *Prepare) Run(e *cli.Env) error {
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
	o := c.Options()
	o.Progress = e.Progress.Step("prepare")
	parts, err := prepare.Run(e, c.Out, o)
	if err != nil {
		return pipeline.DataError(err)
	}
	if e.AsJSON {
		return e.JSON(parts)
	}
	PrintPrepared(e, c.Out, parts)
	return nil
}
