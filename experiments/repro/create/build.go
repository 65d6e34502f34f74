// Package create has the commands that make a space of a text, or the counts and vectors on the way there.
package create

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"time"

	"contextmover/cmdlib"
	"contextmover/cmdlib/build"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/disk"
	"contextmover/internal/elementary"
	"contextmover/internal/printable"
	"contextmover/internal/system"
)

// Build is repro build.
type Build struct {
	textFlags
	vocabularyFlags
	windowFlag
	packFlags
	Counts    string  `placeholder:"DIR" help:"Use the vocab.txt and cooccurrence.bin in this folder instead of a text."`
	Vectors   string  `placeholder:"FILE" help:"Use these word vectors (GloVe, word2vec, fastText .vec; gzip, zstd, or zip, where FILE.zip/NAME is one of several files) instead of singular vectors."`
	Dim       int     `default:"300" placeholder:"N" help:"Dimensions of singular vectors (default ${default})."`
	Clusters  int     `placeholder:"K" help:"Clusters of contexts (default 300, or a tenth of the words if that is less)."`
	Smoothing float64 `default:"0.55" placeholder:"α" help:"Context counts are raised to this power in the associations, 0 to 1 (default ${default})."`
	Shift     float64 `default:"5" placeholder:"s" help:"Associations are lowered by ln s, s ≥ 1 (default ${default})."`
	Sentences string  `enum:"average,barycenter,debiased" default:"average" placeholder:"NAME" help:"How words combine to sentences: average of their histograms, Wasserstein barycenter, or debiased barycenter (default ${default})."`
	Seed      uint64  `default:"1" placeholder:"N" help:"Seed of all random numbers (default ${default})."`
	DryRun    bool    `help:"Only predict time, memory and disk."`
	JSON      bool    `name:"json" group:"common" help:"Print JSON."`
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

func (c *Build) Validate() error {
	if err := errors.Join(c.windowFlag.check(), c.packFlags.check()); err != nil {
		return err
	}
	switch err := checkAssociations(c.Smoothing, c.Shift); {
	case c.MinCount < 1:
		return fmt.Errorf("--min-count=%d: expected at least 1", c.MinCount)
	case c.Dim < 1:
		return fmt.Errorf("--dim=%d: expected at least 1", c.Dim)
	case c.Clusters < 0:
		return fmt.Errorf("--clusters=%d: expected at least 1", c.Clusters)
	case err != nil:
		return err
	case c.Counts != "" && len(c.Text)+len(c.More) > 0:
		return errors.New("expected either --text or --counts, not both")
	case c.Space != "" && (c.Counts != "" || c.Vectors != "" || len(c.Text)+len(c.More) > 0):
		return errors.New("expected either --space, to pack it, or what to build of")
	case c.Space == "" && c.Counts == "" && len(c.Text)+len(c.More) == 0:
		return errors.New("expected --text FILE or --counts DIR: vectors alone do not tell which contexts a word has")
	}
	return nil
}

func (c *Build) Run(e *cli.Env) error {
	if c.Space != "" {
		return c.pack(e, c.Out)
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
	parent := filepath.Dir(filepath.Clean(c.Out))
	if free, ok := system.DiskFree(parent); ok && prediction.Disk > free {
		slog.Warn("the disk may be too full for the space", "space", printable.Bytes(prediction.Disk), "free",
			printable.Bytes(free))
	}
	if c.DryRun {
		if c.JSON {
			return e.JSON(prediction)
		}
		printPrediction(e, prediction)
		return nil
	}
	slog.Info("prediction, within a factor of two or so",
		"takes", about(prediction.Seconds), "memory", printable.Bytes(prediction.Memory), "disk",
		printable.Bytes(prediction.Disk))
	if err := disk.MkdirAll(parent); err != nil {
		return err
	}
	steps := stepLog{show: e.Progress.Step}
	b.Progress = steps.step
	built, err := b.Run(e, c.Out)
	if errors.Is(err, cmdlib.ErrSettings) {
		return cli.WithCode(err, cli.ExitUsage)
	}
	if err != nil {
		return err
	}
	steps.step("")
	cli.WarnInvalid(built.Invalid, built.FirstInvalid)
	if c.JSON {
		return e.JSON(built)
	}
	fmt.Fprintf(e.Out, "%s\t%d words, %d of them with an estimate over %d clusters, vectors of %d dimensions\n",
		c.Out, built.Words, built.WithEstimate, built.Clusters, built.Dim)
	if missing := built.Words - built.WithVector; missing > 0 {
		slog.Info("words without a vector are left out, as words and as contexts", "words", missing)
	}
	cli.LogFinished("seconds", fmt.Sprintf("%.1f", built.Duration.Seconds()))
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

// stepLog shows the progress of steps, and logs how long each took.
type stepLog struct {
	show    func(step string) func(done, total int64)
	running string
	since   time.Time
}

// step starts a step and ends the one before; an empty name starts none.
func (l *stepLog) step(name string) func(done, total int64) {
	now := time.Now()
	if l.running != "" {
		slog.Info("done", "step", l.running, "seconds", fmt.Sprintf("%.1f", now.Sub(l.since).Seconds()))
	}
	l.running, l.since = name, now
	if name == "" {
		return nil
	}
	return l.show(name)
}

func printPrediction(e *cli.Env, p *build.Prediction) {
	how := "extrapolated from an excerpt"
	if p.Exact {
		how = "counted"
	}
	if p.TextBytes > 0 {
		fmt.Fprintf(e.Out, "text    %s, %s tokens\n", printable.Bytes(p.TextBytes), rounded(p.Tokens, p.Exact))
	}
	fmt.Fprintf(e.Out, "words   %s, with %s pairs that occur together (%s)\n", rounded(p.Words, p.Exact),
		rounded(p.Pairs, p.Exact), how)
	fmt.Fprintf(e.Out, "space   %d clusters, vectors of %d dimensions\n", p.Clusters, p.Dim)
	fmt.Fprintf(e.Out, "disk    %s\nmemory  %s\ntime    %s\n", printable.Bytes(p.Disk), printable.Bytes(p.Memory),
		about(p.Seconds))
	for _, s := range p.Steps {
		fmt.Fprintf(e.Out, "        %-26s %s\n", s.Name, about(s.Seconds))
	}
	fmt.Fprintln(e.Out, "Time and memory are estimates: expect them within a factor of two or so.")
}

// about writes a duration with two digits.
func about(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	for unit := time.Hour; unit >= time.Second; unit /= 60 {
		if d >= 10*unit {
			return d.Round(unit).String()
		}
	}
	return d.Round(100 * time.Millisecond).String()
}

// rounded writes a number, with three digits if it is not exact.
func rounded(n int64, exact bool) string {
	if exact || n < 1000 {
		return fmt.Sprint(n)
	}
	unit := int64(math.Pow10(int(elementary.Log10(float64(n))) - 2))
	return fmt.Sprintf("about %d", (n+unit/2)/unit*unit)
}
