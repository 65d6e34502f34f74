package create

import (
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
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
	Text      []string `sep:"none" xor:"from" placeholder:"FILE|FOLDER" help:"Text in UTF-8, plain, gzip or zstd, or a folder of it, such as the one that corpus prepare makes. Repeat the flag, or name more files at the end."`
	More      []string `arg:"" optional:"" name:"file" help:"More files or folders of text."`
	Layout    string   `enum:"auto,sentences,paragraphs,wrapped" default:"auto" placeholder:"NAME" help:"Where sentences end: sentences (one sentence per line), paragraphs (lines are cut at sentence ends), or wrapped (lines are broken anywhere, paragraphs end at blank lines). auto (default) looks at the text."`
	Tokenised bool     `help:"The text is tokenised already: split it at white space only, and keep its case."`
}

// text returns the text that the flags name; every file can be opened.
func (f textFlags) text() (corpus.Text, error) {
	paths := slices.Concat(f.Text, f.More)
	if len(paths) == 0 {
		return corpus.Text{}, cli.BadUsage("expected at least one file of text: --text FILE")
	}
	files, err := cli.TextFiles(paths)
	if err != nil {
		return corpus.Text{}, err
	}
	var layout corpus.Layout // of a tokenised text none: its maker has decided about lines too
	switch {
	case f.Layout != "auto":
		layout = corpus.Layout(f.Layout) // the flag allows no other
	case !f.Tokenised:
		if layout, err = cli.Layout(files); err != nil {
			return corpus.Text{}, cli.BadData(err)
		}
		slog.Info("guessed the layout of the text, see --layout", "layout", layout)
	}
	return corpus.Text{Files: files, Tokenised: f.Tokenised, SplitDots: true, Layout: layout}, nil
}

type vocabularyFlags struct {
	MinCount int64 `default:"10" min:"1" placeholder:"N" help:"Leave out words that occur less often (default ${default})."`
}

// windowFlag says how near to each other words occur together.
type windowFlag struct {
	Window int `default:"10" min:"1" max:"22" placeholder:"N" help:"Count words up to this far to each side, weighted 1/distance (default ${default})."`
}

// CountFlags say what text is counted, and how.
type CountFlags struct {
	textFlags
	vocabularyFlags
	windowFlag
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
	var stats corpus.Stats
	if c.Vocab != "" {
		v, err = corpus.ReadVocabulary(c.Vocab)
	} else {
		v, stats, err = corpus.BuildVocabulary(e, text, c.MinCount, e.Progress.Step("vocabulary"))
		cli.WarnInvalid(stats.Invalid, stats.FirstInvalid)
	}
	if err != nil {
		return pipeline.DataError(err)
	}
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
