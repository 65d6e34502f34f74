package create

import (
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/atomicfile"
	"contextmover/internal/disk"
	"contextmover/internal/printable"
)

// The files of GloVe's tools.
const (
	vocabularyName = "vocab.txt"
	countsName     = "cooccurrence.bin"
)

// textFlags name a text.
type textFlags struct {
	Text      []string `sep:"none" placeholder:"FILE|FOLDER" help:"Text in UTF-8, plain, gzip or zstd, or a folder of it, such as the one that corpus prepare makes. Repeat the flag, or name more files at the end."`
	More      []string `arg:"" optional:"" name:"file" help:"More files or folders of text."`
	Layout    string   `enum:"auto,sentences,paragraphs,wrapped" default:"auto" placeholder:"NAME" help:"Where sentences end: sentences (one sentence per line), paragraphs (lines are cut at sentence ends), or wrapped (lines are broken anywhere, paragraphs end at blank lines). auto (default) looks at the text."`
	Tokenised bool     `help:"The text is tokenised already: split it at white space only, and keep its case."`
}

// text returns the text that the flags name; every file can be opened.
func (f textFlags) text() (corpus.Text, error) {
	paths := append(append([]string(nil), f.Text...), f.More...)
	if len(paths) == 0 {
		return corpus.Text{}, cli.BadUsage("expected at least one file of text: --text FILE")
	}
	files, err := cli.TextFiles(paths)
	if err != nil {
		return corpus.Text{}, err
	}
	var layout corpus.Layout
	switch {
	case f.Layout != "auto":
		layout = corpus.Layout(f.Layout) // the flag allows no other
	case f.Tokenised: // its maker has decided about lines too
	default:
		layout, err = cli.Layout(files)
	}
	if err != nil {
		return corpus.Text{}, cli.BadData(err)
	}
	if f.Layout == "auto" && !f.Tokenised {
		slog.Info("guessed the layout of the text, see --layout", "layout", layout)
	}
	return corpus.Text{Files: files, Tokenised: f.Tokenised, SplitDots: true, Layout: layout}, nil
}

type vocabularyFlags struct {
	MinCount int64 `default:"10" placeholder:"N" help:"Leave out words that occur less often (default ${default})."`
}

// build counts the words of a text.
func (f vocabularyFlags) build(e *cli.Env, text corpus.Text) (*corpus.Vocabulary, corpus.Stats, error) {
	if f.MinCount < 1 {
		return nil, corpus.Stats{}, cli.BadUsage("--min-count=%d: expected at least 1", f.MinCount)
	}
	v, stats, err := corpus.BuildVocabulary(e, text, f.MinCount, e.Progress.Step("vocabulary"))
	if err != nil {
		return nil, stats, pipeline.DataError(err)
	}
	cli.WarnInvalid(stats.Invalid, stats.FirstInvalid)
	return v, stats, nil
}

// windowFlag says how near to each other words occur together.
type windowFlag struct {
	Window int `default:"10" placeholder:"N" help:"Count words up to this far to each side, weighted 1/distance (default ${default})."`
}

func (f windowFlag) check() error {
	if f.Window < 1 || f.Window > corpus.MaxWindow {
		return fmt.Errorf("--window=%d: expected 1 to %d", f.Window, corpus.MaxWindow)
	}
	return nil
}

// CountFlags say what text is counted, and how.
type CountFlags struct {
	textFlags
	vocabularyFlags
	windowFlag
}

// Validate wants a window and a count that there can be.
func (f CountFlags) Validate() error {
	if f.MinCount < 1 {
		return fmt.Errorf("--min-count=%d: expected at least 1", f.MinCount)
	}
	return f.windowFlag.check()
}

// Input returns the text, whose files can be opened.
func (f CountFlags) Input() (corpus.Text, error) { return f.text() }

// Count is repro corpus count.
type Count struct {
	CountFlags
	Vocab  string   `placeholder:"FILE" help:"Count the words of this vocab.txt instead of those that occur --min-count times."`
	Memory ByteSize `placeholder:"SIZE" help:"Take about this much memory at most, such as 2GB; this is slower and gives the same counts (default: all at once)."`
	Out    string   `required:"" placeholder:"DIR" help:"Folder to write vocab.txt and cooccurrence.bin to."`
}

func (c *Count) Validate() error { return c.windowFlag.check() }

// countsKind is that of the folders that counts are written to.
var countsKind = atomicfile.Kind{Name: "counts", Files: []string{vocabularyName, countsName}}

func (c *Count) Run(e *cli.Env) (err error) {
	text, err := c.text()
	if err != nil {
		return err
	}
	if err := outFolder(c.Out, countsKind); err != nil {
		return err
	}
	var v *corpus.Vocabulary
	if c.Vocab != "" {
		if v, err = corpus.ReadVocabulary(c.Vocab); err != nil {
			return cli.BadData(err)
		}
	} else if v, _, err = c.build(e, text); err != nil {
		return err
	}
	var stats corpus.Stats
	var size int64
	// Both files are put in place together, so that the folder never holds the counts of another vocabulary.
	err = atomicfile.Replace(c.Out, countsKind, func(made string) error {
		if err := v.Write(filepath.Join(made, vocabularyName)); err != nil {
			return err
		}
		path := filepath.Join(made, countsName)
		f := corpus.CountFile{Path: path, Window: c.Window, Memory: int64(c.Memory)}
		if stats, err = corpus.CountToFile(e, text, v, f, e.Progress.Step("count co-occurrences")); err != nil {
			return pipeline.DataError(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		size = info.Size()
		return e.Err()
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "%s\t%d words, %s %% of %d tokens in %d sentences\n", filepath.Join(c.Out, vocabularyName),
		v.Len(), cli.Percent(stats.Known, stats.Tokens), stats.Tokens, stats.Lines)
	fmt.Fprintf(e.Out, "%s\t%d pairs of words, %s\n", filepath.Join(c.Out, countsName), size/16, printable.Bytes(size))
	return nil
}

// outFolder makes what a folder to be written as a whole is in, and returns an error if it must not be replaced.
func outFolder(out string, kind atomicfile.Kind) error {
	if err := disk.MkdirAll(filepath.Dir(filepath.Clean(out))); err != nil {
		return err
	}
	if err := atomicfile.Replaceable(out, kind); err != nil {
		return cli.BadUsage("--out: %v", err)
	}
	return nil
}

// ByteSize is a number of bytes, written with a unit.
type ByteSize int64

// UnmarshalText reads a number and a unit: B, kB, MB, GB, TB, or KiB, MiB, GiB, TiB;
// case and the B do not matter.
func (b *ByteSize) UnmarshalText(text []byte) error {
	s := strings.ToLower(strings.TrimSpace(string(text)))
	number := strings.TrimRight(s, "bikmgt ")
	unit, binary := strings.TrimSuffix(strings.TrimSpace(s[len(number):]), "b"), false
	if unit, binary = strings.CutSuffix(unit, "i"); unit == "" && binary {
		unit = "?"
	}
	x, err := strconv.ParseFloat(number, 64)
	factor, ok := map[string]float64{"": 1, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}[unit]
	if binary {
		factor, ok = map[string]float64{"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}[unit]
	}
	if err != nil || !ok || !(x*factor >= 1 && x*factor < math.MaxInt64) {
		return fmt.Errorf("expected a size such as 500MB or 2GB but got %q", text)
	}
	*b = ByteSize(x * factor)
	return nil
}
