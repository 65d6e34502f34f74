// Package create has the commands that make a space of a text, or the counts and vectors on the way there.
package create

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"contextmover/cmdlib"
	"contextmover/cmdlib/build"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/disk"
	"contextmover/internal/printable"
	"contextmover/internal/system"
)

// Build is repro build.
type Build struct {
	textFlags
	vocabularyFlags
	windowFlag
	packFlags
	Counts    string  `xor:"from" placeholder:"DIR" help:"Use the vocab.txt and cooccurrence.bin in this folder instead of a text."`
	Vectors   string  `xor:"pack" placeholder:"FILE" help:"Use these word vectors (GloVe, word2vec, fastText .vec; gzip, zstd, or zip, where FILE.zip/NAME is one of several files) instead of singular vectors."`
	Dim       int     `default:"300" min:"1" placeholder:"N" help:"Dimensions of singular vectors (default ${default})."`
	Clusters  int     `min:"1" placeholder:"K" help:"Clusters of contexts (default 300, or a tenth of the words if that is less)."`
	Smoothing float64 `default:"0.55" min:"0" max:"1" placeholder:"α" help:"Context counts are raised to this power in the associations, 0 to 1 (default ${default})."`
	Shift     float64 `default:"5" min:"1" placeholder:"s" help:"Associations are lowered by ln s, s ≥ 1 (default ${default})."`
	Sentences string  `enum:"average,barycenter,debiased" default:"average" placeholder:"NAME" help:"How words combine to sentences: average of their histograms, Wasserstein barycenter, or debiased barycenter (default ${default})."`
	Seed      uint64  `default:"1" placeholder:"N" help:"Seed of all random numbers (default ${default})."`
	DryRun    bool    `help:"Only predict time, memory and disk."`
	Out       string  `required:"" placeholder:"FILE" help:"File to write the space to."`
	Force     bool    `help:"Replace a space that is there."`
}

func (c *Build) Help() string {
	return "An interrupted build keeps nothing, so take a big text step by step: corpus count, embed svd or glove, " +
		"then build --counts DIR --vectors FILE. Queries are lower-cased, so a --tokenised text should be, too. A " +
		"packed space has fewer digits in its histograms and vectors; packing measures on 200 words what that " +
		"changes. Words beyond words=N that have a vector have no contexts, but take part in vectors of texts. " +
		"Numbers and signs are left out; punctuation stays."
}

func (c *Build) Run(e *cli.Env) error {
	if c.Space != "" {
		return c.pack(e, c.Out)
	}
	if len(c.Pack) > 0 {
		return cli.BadUsage("--pack: expected --space, the space to pack")
	}
	if c.Counts == "" && len(c.Text)+len(c.More) == 0 {
		return cli.BadUsage("expected --text FILE or --counts DIR: vectors alone do not tell which contexts a word has")
	}
	b := build.New()
	b.MinCount, b.Window, b.Vectors, b.Dim, b.Clusters, b.Seed = c.MinCount, c.Window, c.Vectors, c.Dim,
		c.Clusters, c.Seed
	b.SPPMI.Smoothing, b.SPPMI.Shift = c.Smoothing, c.Shift
	b.Sentences = map[string]cmdlib.Combination{
		"average": cmdlib.Average, "barycenter": cmdlib.Barycenter, "debiased": cmdlib.DebiasedBarycenter,
	}[c.Sentences]
	b.Progress = e.Progress.Step
	if c.Counts != "" {
		b.Vocabulary, b.Cooccurrences = filepath.Join(c.Counts, vocabularyName), filepath.Join(c.Counts, countsName)
	} else {
		var err error
		if b.Text, err = c.text(); err != nil {
			return err
		}
	}
	if !c.DryRun {
		if err := cmdlib.Replaceable(c.Out); err != nil {
			return err
		}
		if _, err := os.Stat(c.Out); err == nil && !c.Force {
			return cli.BadUsage("--out=%s: a space is there: choose another name, or replace it with --force", c.Out)
		}
	}
	prediction, err := b.Predict(e)
	if errors.Is(err, cmdlib.ErrSettings) {
		return cli.WithCode(err, cli.ExitUsage)
	}
	if err != nil {
		return err
	}
	if err := affordable(prediction.Memory, system.FreeMemory); err != nil {
		return err
	}
	if c.DryRun {
		if e.AsJSON {
			return e.JSON(prediction)
		}
		how := "extrapolated from an excerpt"
		if prediction.Exact {
			how = "counted"
		}
		fmt.Fprintf(e.Out, "words   %d, with %d pairs that occur together (%s)\nspace   %d clusters, vectors of %d "+
			"dimensions\ndisk    %s\nmemory  %s\ntime    %s\nTime and memory are estimates: expect them within a "+
			"factor of two or so.\n", prediction.Words, prediction.Pairs, how, prediction.Clusters, prediction.Dim,
			printable.Bytes(prediction.Disk), printable.Bytes(prediction.Memory), cli.Took(prediction.Seconds))
		return nil
	}
	slog.Info("prediction, within a factor of two or so", "takes", cli.Took(prediction.Seconds),
		"memory", printable.Bytes(prediction.Memory), "disk", printable.Bytes(prediction.Disk))
	if err := disk.MkdirAll(filepath.Dir(filepath.Clean(c.Out))); err != nil {
		return err
	}
	built, err := b.Run(e, c.Out)
	if errors.Is(err, cmdlib.ErrSettings) {
		return cli.WithCode(err, cli.ExitUsage)
	}
	if err != nil {
		return err
	}
	cli.WarnInvalid(built.Invalid, built.FirstInvalid)
	if e.AsJSON {
		return e.JSON(built)
	}
	fmt.Fprintf(e.Out, "%s\t%d words, %d of them with an estimate over %d clusters, vectors of %d dimensions\n",
		c.Out, built.Words, built.WithEstimate, built.Clusters, built.Dim)
	if missing := built.Words - built.WithVector; missing > 0 {
		slog.Info("words without a vector are left out, as words and as contexts", "words", missing)
	}
	slog.Info("finished", "took", built.Duration)
	return nil
}

// affordable warns of what may take more memory than there is, and refuses what takes twice as much
// by a prediction that is right within a factor of two or so: the system would kill it in the middle.
func affordable(memory int64, free func() (int64, bool)) error {
	there, ok := free()
	switch {
	case !ok || memory <= there:
	case memory/2 <= there:
		slog.Warn("this may take more memory than is free; a larger --min-count takes less",
			"memory", printable.Bytes(memory), "free", printable.Bytes(there))
	default:
		return fmt.Errorf("this takes about %s of memory, and %s are free: count with a larger --min-count, or use a "+
			"machine with more", printable.Bytes(memory), printable.Bytes(there))
	}
	return nil
}
