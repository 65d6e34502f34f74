package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/trainers/sent2vec"
	"contextmover/internal/system"
)

// comparison is peers sent2vec: it trains the authors' program and this library in turn on the same text, with the same
// settings and as many threads, reads what both have written, and prints losses, scores of STS sets and seconds.
type comparison struct {
	original, text, sts, sentence string
	runs, threads                 int
	minCount                      int64
	sent2vec.Params
}

func trainSent2vec(ctx context.Context, args []string) error {
	var c comparison
	flags := flag.NewFlagSet("sent2vec", flag.ExitOnError)
	flags.StringVar(&c.original, "original", "", "the authors' program")
	flags.StringVar(&c.text, "text", "", "file of tokenised sentences, one a line")
	flags.StringVar(&c.sts, "sts", "", "folder of sets, YEAR/SET.tsv")
	flags.IntVar(&c.runs, "runs", 3, "trainings of each")
	flags.IntVar(&c.threads, "threads", runtime.NumCPU(), "threads of both")
	flags.Int64Var(&c.minCount, "min-count", 5, "of a word")
	flags.StringVar(&c.sentence, "sentence", "the dog sleeps in the barn .",
		"that both programs make a vector of from a file of this library's")
	flags.IntVar(&c.Dim, "dim", 300, "components")
	flags.IntVar(&c.Epochs, "epochs", 5, "passes")
	flags.Float64Var(&c.Rate, "rate", 0.2, "of learning")
	flags.IntVar(&c.NGrams, "ngrams", 2, "longest n-gram")
	flags.IntVar(&c.Buckets, "buckets", 200_000, "for n-grams")
	flags.IntVar(&c.Dropout, "dropout", 4, "places whose n-grams are left out")
	flags.IntVar(&c.Negatives, "negatives", 10, "words drawn")
	flags.Float64Var(&c.Subsample, "subsample", 1e-4, "t")
	flags.Int64Var(&c.MinTarget, "min-target", 8, "count of words foretold")
	flags.Parse(args)
	return c.run(ctx)
}

// outcome is what a training comes to.
type outcome struct {
	loss    float64 // mean over all epochs
	scores  []float64
	seconds float64 // of the processor, which do not depend on what else runs
}

func (c *comparison) run(ctx context.Context) error {
	runtime.GOMAXPROCS(c.threads)
	dir, err := os.MkdirTemp("", "sent2vec")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sets, err := filepath.Glob(filepath.Join(c.sts, "[0-9]*", "*.tsv"))
	if err != nil || len(sets) == 0 {
		return fmt.Errorf("no sets YEAR/SET.tsv in %s", c.sts)
	}
	var years []string
	for _, set := range sets {
		if year := filepath.Base(filepath.Dir(set)); !slices.Contains(years, year) {
			years = append(years, year)
		}
	}
	fmt.Printf("| | loss | %s | mean | processor seconds |\n|---|---|%s---|---|\n",
		strings.Join(years, " | "), strings.Repeat("---|", len(years)))
	var ratios []float64
	for r := range c.runs {
		var both [2]outcome
		for i, train := range []func(context.Context, string, int) (outcome, error){c.theirs, c.ours} {
			path := filepath.Join(dir, []string{"original", "ours"}[i])
			o, err := train(ctx, path, r+1)
			if err != nil {
				return err
			}
			m, err := sent2vec.Read(ctx, path+".bin")
			if err != nil {
				return err
			}
			if err := o.rate(m, sets, years); err != nil {
				return err
			}
			both[i] = o
			fmt.Printf("| %s %d | %.4f |", []string{"original", "here, seed"}[i], r+1, o.loss)
			for _, s := range o.scores {
				fmt.Printf(" %.1f |", s)
			}
			fmt.Printf(" %.1f |\n", o.seconds)
		}
		ratios = append(ratios, both[0].seconds/both[1].seconds)
	}
	slices.Sort(ratios)
	fmt.Printf("\n%s threads: the original takes %.2f times as much of the processor (median; %.2f to %.2f).\n",
		strconv.Itoa(c.threads), ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
	return c.sameVector(ctx, filepath.Join(dir, "ours.bin"))
}

var lossForm = regexp.MustCompile(`loss: +([-0-9.a-z]+)`)

func (c *comparison) theirs(ctx context.Context, path string, _ int) (outcome, error) {
	var messages bytes.Buffer
	run := exec.CommandContext(ctx, c.original, "sent2vec", "-input", c.text, "-output", path,
		"-minCount", fmt.Sprint(c.minCount), "-dim", fmt.Sprint(c.Dim), "-epoch", fmt.Sprint(c.Epochs), "-lr",
		fmt.Sprint(c.Rate),
		"-wordNgrams", fmt.Sprint(c.NGrams), "-bucket", fmt.Sprint(c.Buckets), "-dropoutK", fmt.Sprint(c.Dropout),
		"-neg", fmt.Sprint(c.Negatives),
		"-t", fmt.Sprint(c.Subsample), "-minCountLabel", fmt.Sprint(c.MinTarget), "-thread", fmt.Sprint(c.threads),
		"-numCheckPoints", "1", "-verbose", "1")
	run.Stderr = &messages
	if err := run.Run(); err != nil {
		return outcome{}, fmt.Errorf("%s: %w: %s", c.original, err, messages.Bytes())
	}
	o := outcome{seconds: (run.ProcessState.UserTime() + run.ProcessState.SystemTime()).Seconds()}
	losses := lossForm.FindAllStringSubmatch(messages.String(), -1)
	if len(losses) == 0 {
		return outcome{}, fmt.Errorf("%s tells no loss: %s", c.original, messages.Bytes())
	}
	var err error
	o.loss, err = strconv.ParseFloat(losses[len(losses)-1][1], 64)
	return o, err
}

func (c *comparison) ours(ctx context.Context, path string, seed int) (outcome, error) {
	p := c.Params
	p.Seed = uint64(seed)
	before, _ := system.ProcessorSeconds()
	text := corpus.Text{Files: []string{c.text}, Tokenised: true}
	v, _, err := corpus.BuildVocabulary(ctx, text, c.minCount, nil)
	if err != nil {
		return outcome{}, err
	}
	r, err := sent2vec.Train(ctx, sent2vec.Source{Text: text, Vocabulary: v, Scratch: filepath.Dir(path)}, p, nil, nil)
	if err != nil {
		return outcome{}, err
	}
	if err := r.Model.Write(ctx, path+".bin"); err != nil {
		return outcome{}, err
	}
	after, _ := system.ProcessorSeconds()
	o := outcome{seconds: after - before}
	for _, x := range r.Loss {
		o.loss += x / float64(p.Epochs)
	}
	return o, nil
}

// rate scores a model: Pearson × 100 of the cosine, mean over the sets of each year, and their mean.
func (o *outcome) rate(m *sent2vec.Model, sets, years []string) error {
	sums, n := make([]float64, len(years)), make([]float64, len(years))
	for _, set := range sets {
		pairs, err := dataset.ReadPairs(set)
		if err != nil {
			return err
		}
		var x, y []float64
		for _, pair := range pairs {
			if pair.HasGold {
				x = append(x, cosine(m.Sentence(strings.Fields(pair.A)), m.Sentence(strings.Fields(pair.B))))
				y = append(y, pair.Gold)
			}
		}
		r, err := score.Pearson(x, y)
		if err != nil {
			return fmt.Errorf("%s: %w", set, err)
		}
		year := slices.Index(years, filepath.Base(filepath.Dir(set)))
		sums[year] += 100 * r
		n[year]++
	}
	mean := 0.0
	for i := range sums {
		o.scores = append(o.scores, sums[i]/n[i])
		mean += sums[i] / n[i] / float64(len(years))
	}
	o.scores = append(o.scores, mean)
	return nil
}

func cosine(x, y []float32) float64 {
	var xy, xx, yy float64
	for k := range x {
		xy += float64(x[k]) * float64(y[k])
		xx += float64(x[k]) * float64(x[k])
		yy += float64(y[k]) * float64(y[k])
	}
	if xy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// sameVector tells how far the vectors of a sentence are apart that both programs make from this library's file.
func (c *comparison) sameVector(ctx context.Context, path string) error {
	m, err := sent2vec.Read(ctx, path)
	if err != nil {
		return err
	}
	run := exec.CommandContext(ctx, c.original, "print-sentence-vectors", path)
	run.Stdin = strings.NewReader(c.sentence + "\n")
	out, err := run.Output()
	if err != nil {
		return fmt.Errorf("%s on a file of this library's: %w", c.original, err)
	}
	x, theirs, worst := m.Sentence(strings.Fields(c.sentence)), strings.Fields(string(out)), 0.0
	if len(x) != len(theirs) {
		return fmt.Errorf("%s makes %d components of the sentence, expected %d", c.original, len(theirs), len(x))
	}
	for k, field := range theirs {
		y, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return err
		}
		worst = max(worst, math.Abs(y-float64(x[k])))
	}
	fmt.Printf("\nThe vector that the original makes of %q from the file written here differs by %.1g at most.\n",
		c.sentence, worst)
	return nil
}
