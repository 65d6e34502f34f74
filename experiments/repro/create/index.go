package create

import (
	"fmt"
	"log/slog"
	"time"

	"contextmover/cmdlib/search"
	"contextmover/experiments/repro/cli"
)

// Index is repro index.
type Index struct {
	In  []string `required:"" sep:"none" placeholder:"FILE|FOLDER" help:"Text, plain or compressed. Repeat the flag for more."`
	Out string   `required:"" placeholder:"DIR" help:"New folder to write the index to."`
	Old string   `placeholder:"DIR" help:"Another index of the space, which the new one takes over."`
	cli.SpaceFlags
}

func (c *Index) Help() string {
	return "Writes the sentences of a text into a folder that repro search --in DIR takes: as text and as vectors. " +
		"To add text to an index, write another one with --old, which copies what the old one has and leaves out " +
		"files whose content is there. The layout of the text (a sentence a line, paragraphs, broken lines) is " +
		"guessed of all files together."
}

func (c *Index) Run(e *cli.Env) error {
	text, err := cli.Text(c.In)
	if err != nil {
		return err
	}
	s, _, err := c.Open(e)
	if err != nil {
		return err
	}
	defer s.Close()
	start := time.Now()
	written, err := search.Write(e, c.Out, s, text, c.Old, e.Progress.Step("index the text"))
	if err != nil {
		return cli.BadData(err)
	}
	fmt.Fprintf(e.Out, "%d sentences in %d documents of %d files added, %d files were there; %d sentences in %d "+
		"documents in %s\n",
		written.Sentences, written.Documents, written.Files, written.Known, written.Total, written.TotalDocuments,
		c.Out)
	cli.WarnInvalid(written.Invalid, written.FirstInvalid)
	slog.Info("indexed", "sentences", written.Sentences, "seconds", fmt.Sprintf("%.1f", time.Since(start).Seconds()))
	return nil
}
