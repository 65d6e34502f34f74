package ask

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"contextmover/cmdlib"
	"contextmover/cmdlib/search"
	"contextmover/experiments/repro/batch"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/answer"
	"contextmover/experiments/show/convergence"
	"contextmover/internal/atomicfile"
)

// Search is repro search.
type Search struct {
	Query     []string `arg:"" optional:"" help:"A word or a text."`
	Texts     string   `and:"file" placeholder:"FILE" help:"Instead of one query: queries, one per line."`
	In        []string `required:"" sep:"none" placeholder:"FILE|FOLDER" help:"The text to search, or an index of one. Repeat the flag for more text."`
	Index     string   `placeholder:"FILE" help:"Keep an index of the text in this new file, to be searched by --in FILE; a query is then optional. An index among --in is copied into it."`
	N         int      `short:"n" default:"10" min:"1" placeholder:"N" help:"How many sentences to list (default ${default})."`
	Documents bool     `help:"List documents instead of sentences; each is as near as its nearest sentence."`
	Method    string   `sep:"none" placeholder:"NAME[,KEY=VALUE…]" help:"sif, the cosine of the vectors that encode makes; nearest; or, by transport, average, comb or debiased, with settings such as average,reg=0.05 (default: what the space records for texts, which is nearest in english)."`
	Exact     bool     `help:"Compare all sentences of a large index."`
	cli.SpaceFlags
	batchFlags
}

func (c *Search) Help() string {
	return "Lists the sentences nearest to the query, each once, with its place and how often it occurs. The " +
		"vectors of all sentences are compared, or in an index with more than 3 GiB of vectors those in the lists " +
		"nearest to the query, with a warning; --exact compares all. A method other than sif orders the nearest of " +
		"these: nearest the first 100, transport the first 1,000. Text is indexed first, which takes longer than the " +
		"search, so keep an index (--index) of what you search more than once. With --texts, nearest.tsv has one " +
		"line per sentence found: the line number of the query, the distance, the place and the sentence, or the " +
		"number and \"unknown\". With --documents, lines have the distance, the place, the title and the nearest " +
		"sentence. A document is what the index.tsv of repro corpus prepare says; else, in a text with one sentence " +
		"per line, what lies between blank lines; else a file. " + batchHelp
}

func (c *Search) Validate() error {
	name, _, err := splitSettings(c.Method)
	if err == nil && !slices.Contains([]string{"", cmdlib.Nearest, cmdlib.SIF, "average", "comb", "debiased"}, name) {
		err = fmt.Errorf("--method %s: expected nearest, sif, average, comb or debiased", c.Method)
	}
	return err
}

func (c *Search) Run(e *cli.Env) error {
	query := strings.Join(c.Query, " ")
	if query == "" && c.Index == "" && c.Texts == "" {
		return cli.BadUsage("expected \"<query>\", a word or a text, --texts FILE, or --index FILE")
	}
	s, monitor, err := c.Open(e)
	if err != nil {
		return err
	}
	defer s.Close()
	o := search.Options{N: c.N, Documents: c.Documents, Exact: c.Exact}
	if c.Method != "" {
		if o.Rerank, err = (methodFlags{c.Method}).by(s); err != nil {
			return err
		}
	}
	x, closing, err := c.openIndex(e, s)
	if err != nil {
		return err
	}
	defer closing()
	if x.HasLists() && !c.Exact {
		slog.Warn("approximate: only sentences of the lists nearest to a query are compared, and nearer ones may be "+
			"missing: --exact compares all", "sentences", x.Sentences)
	}
	if c.Texts != "" {
		b, err := batch.Search(x, s, o, c.Texts, c.Out)
		if err != nil {
			return err
		}
		return indexed(makeBatch(e, c.Share, b, monitor))
	}
	if query == "" {
		return nil
	}
	start := time.Now()
	found, err := x.Search(e, query, o)
	if err != nil {
		return indexed(err)
	}
	a := &answer.Found{Query: query, Method: x.Method(o), Found: found, Seconds: time.Since(start).Seconds()}
	warn(a.Left())
	a.Worst = convergence.Warn(monitor, hint)
	if e.AsJSON {
		return e.JSON(a)
	}
	for _, h := range found.Nearest {
		fmt.Fprintf(e.Out, "%s\t%s\n", fixed(h.Distance), h.Line())
	}
	slog.Info("compared", "sentences", found.Compared, "transported", found.Transported,
		"seconds", fmt.Sprintf("%.2f", a.Seconds))
	return nil
}

// openIndex opens the index that --in is, or makes one of text, and of an index: in the file --index, or for the time
// of the command.
func (c *Search) openIndex(e *cli.Env, s *cmdlib.Space) (x *search.Index, closing func(), err error) {
	path, release := c.In[0], func() {}
	if len(c.In) > 1 || !search.IsIndex(path) || c.Index != "" {
		old, in := "", slices.Clone(c.In)
		if i := slices.IndexFunc(in, search.IsIndex); i >= 0 {
			if c.Index == "" {
				return nil, nil, cli.BadUsage("--in %s: an index; --index FILE makes another one of it and text", in[i])
			}
			old = in[i]
			in = slices.Delete(in, i, i+1)
		}
		text, err := cli.Text(in)
		if err != nil {
			return nil, nil, err
		}
		if path = c.Index; path == "" {
			var dir string
			if dir, release, err = atomicfile.Temporary("repro-search", 0); err != nil {
				return nil, nil, err
			}
			path = filepath.Join(dir, "index")
		}
		written, err := search.Write(e, path, s, text, old, e.Progress.Step("index the text"))
		if err != nil {
			release()
			return nil, nil, cli.BadData(err)
		}
		cli.WarnInvalid(written.Invalid, written.FirstInvalid)
		if c.Index != "" && len(c.Query) == 0 && c.Texts == "" {
			fmt.Fprintf(e.Out, "%d sentences in %d documents of %d files added, %d files were there; %d sentences in "+
				"%d documents in %s\n", written.Sentences, written.Documents, written.Files, written.Known,
				written.Total, written.TotalDocuments, path)
		}
	}
	if x, err = search.Open(path, s); err != nil {
		release()
		return nil, nil, indexed(err)
	}
	return x, func() {
		x.Close()
		release()
	}, nil
}

// indexed gives the errors of an index their codes.
func indexed(err error) error {
	for _, data := range []error{search.ErrDamaged, search.ErrOtherSpace, search.ErrNoIndex} {
		if errors.Is(err, data) {
			return cli.BadData(err)
		}
	}
	return asked(err)
}
