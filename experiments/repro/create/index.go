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
	Out string   `required:"" placeholder:"DIR" help:"Folder of the index. If one is there, it gets the files that are new."`
	cli.SpaceFlags
}

func (c *Index) Help() string {
	return "Writes the sentences of a text into a folder that repro search --in DIR takes: as text and as numbers of " +
		"the space's words. Files whose content is there already are left out, so the same command adds what is new. " +
		"The layout of the text (a sentence a line, paragraphs, broken lines) is guessed of all files together."
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
	added, err := search.Add(e, c.Out, s, text, e.Progress.Step("index the text"))
	if err != nil {
		return cli.BadData(err)
	}
	fmt.Fprintf(e.Out, "%d sentences in %d documents of %d files added, %d files were there; %d sentences in %d "+
		"documents in %s\n",
		added.Sentences, added.Documents, added.Files, added.Known, added.Total, added.AllDocuments, c.Out)
	cli.WarnInvalid(added.Invalid, added.FirstInvalid)
	slog.Info("indexed", "sentences", added.Sentences, "seconds", fmt.Sprintf("%.1f", time.Since(start).Seconds()))
	return nil
}
