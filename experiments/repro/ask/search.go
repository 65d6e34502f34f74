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
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/search"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/answer"
	"contextmover/experiments/show/convergence"
	"contextmover/internal/atomicfile"
)

// Search is repro search.
type Search struct {
	Query     []string `arg:"" optional:"" help:"A word or a text."`
	Texts     string   `placeholder:"FILE" help:"Instead of one query: queries, one per line."`
	In        []string `required:"" sep:"none" placeholder:"FILE|FOLDER" help:"The text to search, or an index of one. Repeat the flag for more text."`
	Index     string   `placeholder:"FILE" help:"Keep an index of the text in this new file, to be searched by --in FILE; a query is then optional. An index among --in is copied into it."`
	N         int      `short:"n" default:"10" placeholder:"N" help:"How many sentences to list (default ${default})."`
	Documents bool     `help:"List documents instead of sentences; each is as near as its nearest sentence."`
	Method    string   `sep:"none" placeholder:"NAME[,KEY=VALUE…]" help:"sif, the cosine of the vectors that encode makes; nearest; or, by transport, average, comb or debiased, with settings such as average,reg=0.05 (default: what the space records for texts, which is nearest in english)."`
	Exact     bool     `help:"Compare all sentences of a large index."`
	cli.SpaceFlags
	JSON bool `name:"json" group:"common" help:"Print JSON."`
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
	if c.N < 1 {
		return fmt.Errorf("-n %d: expected at least 1", c.N)
	}
	name, _, err := splitSettings(c.Method)
	if err != nil {
		return fmt.Errorf("--method %w", err)
	}
	methods := []string{"", cmdlib.Nearest, cmdlib.SIF, "average", "comb", "debiased"}
	if !slices.Contains(methods, name) {
		return fmt.Errorf("--method %s: expected nearest, sif, average, comb or debiased", c.Method)
	}
	return nil
}

// searching is an opened index and how to search it.
type searching struct {
	*search.Index
	search.Options
	asking
	method  string
	monitor *ot.Monitor
	close   func()
}

// open opens the space and the index.
func (c *Search) open(e *cli.Env) (*searching, error) {
	s, monitor, err := (&spaceFlags{SpaceFlags: c.SpaceFlags}).openBy(e, methodFlags{c.Method})
	if err != nil {
		return nil, err
	}
	x, closing, err := c.openIndex(e, s.opened)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	run := &searching{
		Index: x, Options: search.Options{N: c.N, Documents: c.Documents, Exact: c.Exact}, asking: s,
		monitor: monitor, close: func() {
			closing()
			s.Close()
		},
	}
	if c.Method != "" {
		run.Rerank = s.Space
	}
	run.method = x.Method(run.Options)
	if x.HasLists() && !c.Exact {
		slog.Warn("approximate: only sentences of the lists nearest to a query are compared, and nearer ones may be "+
			"missing: --exact compares all", "sentences", x.Sentences)
	}
	return run, nil
}

func (c *Search) Run(e *cli.Env) error {
	if c.Texts != "" {
		return c.makeAll(e)
	}
	if c.given() {
		return cli.BadUsage("--out and --share belong to --texts")
	}
	if len(c.Query) == 0 && c.Index == "" {
		return cli.BadUsage("expected \"<query>\", a word or a text, --texts FILE, or --index FILE")
	}
	if err := noFiles(c.Query); err != nil {
		return err
	}
	x, err := c.open(e)
	if err != nil {
		return err
	}
	defer x.close()
	if len(c.Query) == 0 {
		return nil
	}
	query := strings.Join(c.Query, " ")
	start := time.Now()
	found, err := x.Search(e, query, x.Options)
	if err != nil {
		return indexed(err)
	}
	a := &answer.Found{Query: query, Method: x.method, Found: found, Seconds: time.Since(start).Seconds()}
	warn(a.Left())
	a.Worst = convergence.Warn(x.monitor, hint)
	if c.JSON {
		return e.JSON(a)
	}
	for _, h := range found.Nearest {
		fmt.Fprintf(e.Out, "%s\t%s\n", fixed(h.Distance), h.Line())
	}
	slog.Info("compared", "sentences", found.Compared, "transported", found.Transported,
		"seconds", fmt.Sprintf("%.2f", a.Seconds))
	return nil
}

// openIndex opens the index that --in is, or makes one of text: in the file --index, or for the time of the command.
func (c *Search) openIndex(e *cli.Env, s *cmdlib.Space) (x *search.Index, closing func(), err error) {
	path, release := c.In[0], func() {}
	if len(c.In) > 1 || !search.IsIndex(path) || c.Index != "" {
		old, in := "", slices.Clone(c.In)
		if i := slices.IndexFunc(in, search.IsIndex); i >= 0 && c.Index != "" {
			old = in[i]
			in = slices.Delete(in, i, i+1)
		}
		if i := slices.IndexFunc(in, search.IsIndex); i >= 0 {
			return nil, nil, cli.BadUsage("--in %s: an index; --index FILE makes another one of it and text", in[i])
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
