package ask

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"contextmover/cmdlib"
	"contextmover/cmdlib/search"
	"contextmover/experiments/harness/convergence"
	"contextmover/experiments/repro/batch"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/atomicfile"
)

// Search is repro search.
type Search struct {
	Query     []string `arg:"" optional:"" help:"A word or a text."`
	Texts     string   `placeholder:"FILE" help:"Instead of one query: queries, one a line."`
	In        []string `required:"" sep:"none" placeholder:"FILE|FOLDER" help:"The text to search, or an index that repro index has made. Repeat the flag for more text."`
	N         int      `short:"n" default:"10" placeholder:"N" help:"How many sentences to list (default ${default})."`
	Documents bool     `help:"List documents instead of sentences, each with the sentence that is nearest."`
	Method    string   `placeholder:"NAME" help:"sif, the cosine of vectors of texts, as encode makes them, or average, the context mover's distance. The default is sif where the index has vectors of the space; else, for documents, and with settings of average, it is average."`
	Exact     bool     `help:"With --method sif, compare all sentences of a large index, too."`
	cli.SpaceFlags
	JSON bool `name:"json" help:"Print JSON."`
	batchFlags
	askFlags
}

func (c *Search) Help() string {
	return "The sentences of a text that are nearest to the query, each once, with its place and how often it " +
		"occurs. With --method sif by 1 − the cosine of vectors: of all sentences, but in an index whose vectors " +
		"take more than 3 GiB of those in the lists nearest to the query, which it says; --exact compares all. " +
		"With --method average by the distance between the averages of their words' histograms. All are compared;" +
		" those that a bound of their distance rules out need no transport problem, so the result is that of " +
		"solving all, as far as transport converges. Text is indexed first, which takes longer than the search: " +
		"use repro index for what you search more than once. With --texts, nearest.tsv has a line for each " +
		"sentence found: the number of the query's line, the distance, the place and the sentence; or the number " +
		"and \"unknown\". With --documents, lines have the distance, the place, the title or else the first " +
		"sentence, and the nearest sentence. A document is what the index.tsv of repro corpus prepare says; else," +
		" in a text with a sentence a line, what lies between blank lines; else a file. " + batchHelp
}

func (c *Search) Validate() error {
	if c.N < 1 {
		return fmt.Errorf("-n %d: expected at least 1", c.N)
	}
	switch c.Method {
	case "", cmdlib.SIF, average:
	case "cmd":
		return errors.New("--method cmd is called --method average, as everywhere")
	default:
		return fmt.Errorf("--method %s: expected sif or average", c.Method)
	}
	return c.flags().Validate()
}

func (c *Search) flags() *spaceFlags {
	return &spaceFlags{SpaceFlags: c.SpaceFlags, askFlags: c.askFlags}
}

// average is the method of transport that indexes are searched by.
var average = cmdlib.MethodOf(cmdlib.Average)

type jsonFound struct {
	Query       string         `json:"query"`
	Method      string         `json:"method"`
	Words       []string       `json:"words"`
	Unknown     []string       `json:"unknown,omitempty"`
	Sentences   []jsonHit      `json:"sentences,omitempty"`
	Documents   []jsonDocument `json:"documents,omitempty"`
	Compared    int64          `json:"compared"`
	Bounded     int64          `json:"bounded"`
	Begun       int64          `json:"begun"`
	Solved      int64          `json:"solved"`
	Approximate bool           `json:"approximate,omitempty"` // not all were compared
	*convergence.Worst
	Seconds float64 `json:"seconds"`
}

type jsonHit struct {
	Distance float64 `json:"distance"`
	Path     string  `json:"path"`
	Number   int64   `json:"number"`
	Text     string  `json:"text"`
	Equal    int64   `json:"equal"`
}

type jsonDocument struct {
	Distance float64 `json:"distance"`
	Path     string  `json:"path"`
	First    int64   `json:"first"`
	Last     int64   `json:"last"`
	Title    string  `json:"title,omitempty"`
	Text     string  `json:"text"`
	Sentence jsonHit `json:"sentence"`
}

func newJSONHit(h search.Hit) jsonHit { return jsonHit{h.Distance, h.Path, h.Number, h.Text, h.Equal} }

func (c *Search) Run(e *cli.Env) error {
	if c.Texts != "" {
		return c.makeAll(e)
	}
	if c.given() {
		return cli.BadUsage("--out and --share belong to --texts")
	}
	if len(c.Query) == 0 {
		return cli.BadUsage("expected \"<query>\", a word or a text, or --texts FILE")
	}
	if err := noFiles(c.Query); err != nil {
		return err
	}
	s, monitor, err := c.flags().open(e)
	if err != nil {
		return err
	}
	defer s.Close()
	x, closing, err := openIndex(e, s.Space, c.In)
	if err != nil {
		return err
	}
	defer closing()
	query := strings.Join(c.Query, " ")
	start := time.Now()
	of, err := c.searching(x)
	if err != nil {
		return err
	}
	found, err := of.Search(e, query, c.N)
	if err != nil {
		return indexed(err)
	}
	seconds := time.Since(start).Seconds()
	leftOut(query, found.Unknown)
	convergence.Warn(monitor, hint)
	if c.JSON {
		j := jsonFound{Query: query, Method: c.Method, Words: found.Words, Unknown: found.Unknown,
			Compared: found.Compared, Bounded: found.Bounded, Begun: found.Begun, Solved: found.Solved,
			Approximate: found.Approximate, Worst: convergence.Of(monitor), Seconds: seconds}
		for _, h := range found.Nearest {
			if d := h.Document; d != nil {
				j.Documents = append(j.Documents, jsonDocument{
					h.Distance, h.Path, h.Number, d.Last, d.Title, h.Text, newJSONHit(d.Sentence),
				})
			} else {
				j.Sentences = append(j.Sentences, newJSONHit(h))
			}
		}
		return e.JSON(j)
	}
	for _, h := range found.Nearest {
		fmt.Fprintf(e.Out, "%.4f\t%s\n", h.Distance, h.Line())
	}
	things := "sentences"
	if c.Documents {
		things = "documents"
	}
	slog.Info("compared", things, found.Compared, "solved", found.Solved, "spared",
		cli.Percent(found.Compared-found.Solved, found.Compared)+" %",
		"seconds", fmt.Sprintf("%.2f", seconds))
	return nil
}

// searching is the way that is asked for, whose method it sets, or the best that the index has.
func (c *Search) searching(x *search.Index) (batch.Searching, error) {
	vectors := x.HasVectors()
	if _, settings := c.override(); c.Method == "" {
		if c.Method = average; vectors == nil && !c.Documents && !settings {
			c.Method = cmdlib.SIF
		}
	}
	switch {
	case c.Documents && c.Method == cmdlib.SIF:
		return batch.Searching{}, cli.BadUsage("--documents: expected --method average: documents have no vectors")
	case c.Documents:
		return batch.Searching{Method: average + " of documents", Search: x.SearchDocuments}, nil
	case c.Method == average:
		return batch.Searching{Method: c.Method, Search: x.Search}, nil
	case vectors != nil:
		return batch.Searching{}, cli.BadUsage("--method sif: %w", vectors)
	}
	of := batch.Searching{Method: c.Method, Vectors: true}
	if x.Exact = c.Exact; x.Exact {
		of.Method += " of all"
	}
	var once sync.Once
	of.Search = func(ctx context.Context, query string, n int) (*search.Found, error) {
		found, err := x.SearchVectors(ctx, query, n)
		if err == nil && found.Approximate {
			once.Do(func() {
				slog.Warn("approximate: only sentences of the lists nearest to the query are compared, and nearer "+
					"ones may be missing: --exact compares all", "compared", found.Compared, "of", x.Sentences)
			})
		}
		return found, err
	}
	return of, nil
}

// openIndex opens the index that a path is, or makes one of text for the time of the command.
func openIndex(e *cli.Env, s *cmdlib.Space, in []string) (x *search.Index, closing func(), err error) {
	dir, release := in[0], func() {}
	if len(in) > 1 || !isIndex(dir) {
		text, err := cli.Text(in)
		if err != nil {
			return nil, nil, err
		}
		if dir, release, err = atomicfile.Temporary("repro-search", 0); err != nil {
			return nil, nil, err
		}
		dir = filepath.Join(dir, "index")
		added, err := search.Add(e, dir, s, text, e.Progress.Step("index the text"))
		if err != nil {
			release()
			return nil, nil, cli.BadData(err)
		}
		cli.WarnInvalid(added.Invalid, added.FirstInvalid)
	}
	if x, err = search.Open(dir, s); err != nil {
		release()
		return nil, nil, indexed(err)
	}
	return x, func() {
		x.Close()
		release()
	}, nil
}

func isIndex(path string) bool {
	_, err := os.Stat(filepath.Join(path, search.ManifestFile))
	return err == nil
}

// indexed gives the errors of an index their codes.
func indexed(err error) error {
	if errors.Is(err, search.ErrCombination) {
		return cli.BadUsage("%w: ask with --sentences average", err)
	}
	for _, data := range []error{search.ErrDamaged, search.ErrOtherSpace, search.ErrNoIndex} {
		if errors.Is(err, data) {
			return cli.BadData(err)
		}
	}
	return asked(err)
}
