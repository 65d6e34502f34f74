// Command embeddings trains the authors' programs of DIVE, Gaussian embeddings and Poincaré
// GloVe and this library in turn on the same text, with the same settings and as many threads,
// and prints losses, scores of hypernymy and of similarity, and seconds. See embeddings.sh.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding/dive"
	"contextmover/cmdlib/embedding/gaussian"
	"contextmover/cmdlib/embedding/poincare"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
	"contextmover/internal/system"
)

var (
	python   = flag.String("python", "", "with what the authors' programs need")
	script   = flag.String("script", "", "embeddings.py")
	source   = flag.String("source", "", "folder of the authors' program, built")
	name     = flag.String("system", "", "gaussian, poincare or dive")
	textFile = flag.String("text", "", "file of tokenised sentences, one a line")
	data     = flag.String("data", "", "folder with hypernymy/*.all and wordsim/*")
	runs     = flag.Int("runs", 3, "trainings of each")
	threads  = flag.Int("threads", 1, "threads of both")
	passes   = flag.Int("passes", 2, "over the text or its counts")
	minCount = flag.Int64("min-count", 10, "of a word")
	dim      = flag.Int("dim", 100, "components")
)

func main() {
	flag.Parse()
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "embeddings:", err)
		os.Exit(1)
	}
}

// A peer is a system and how both sides train it.
type peer struct {
	window int
	// weigh is what a neighbour at a distance counts.
	weigh func(distance int) float64
	// prepare writes what their program reads besides text and vocabulary.
	prepare func(ctx context.Context, dir string, v *corpus.Vocabulary, x *corpus.Counts) error
	// train trains this library's on the counts and returns a row for each word, and the loss of the last pass.
	train func(ctx context.Context, x *corpus.Counts, seed uint64) (rows []float32, loss float64, err error)
	// scores are of a pair of rows of words; of names with "similarity"
	// the Spearman correlation is shown, of others the average precision.
	scores func(rows []float32, words int) map[string]func(narrow, wide int) float64
}

func flat(int) float64 { return 1 }

var peers = map[string]peer{
	// As word2gauss reads text: every pair of words up to 5 apart is drawn twice a pass, once with a
	// context against the second word and once against the first, any word as likely as any other.
	"gaussian": {
		window: 5, weigh: flat,
		train: func(ctx context.Context, x *corpus.Counts, seed uint64) ([]float32, float64, error) {
			r, err := gaussian.Train(ctx, x, gaussian.Params{
				Dim: *dim, Passes: *passes, Samples: int64(*passes) * int64(total(x)), Negatives: 1,
				Energy: gaussian.KL, Spherical: true,
				Margin: 0.1, Length: 2, Least: 0.7, Greatest: 1.5, Rate: 0.1, Seed: seed,
			}, nil)
			if err != nil {
				return nil, 0, err
			}
			return r.Distributions, r.Loss[*passes-1], nil
		},
		scores: func(rows []float32, words int) map[string]func(narrow, wide int) float64 {
			of := rowsOf(rows, words)
			return map[string]func(narrow, wide int) float64{
				"-KL":               func(n, w int) float64 { return -gaussian.Divergence(of(n), of(w)) },
				"cosine":            func(n, w int) float64 { return gaussian.Cosine(of(n), of(w)) },
				"similarity cosine": func(n, w int) float64 { return gaussian.Cosine(of(n), of(w)) },
			}
		},
	},
	"poincare": {
		window: 10, weigh: func(distance int) float64 { return 1 / float64(distance) },
		prepare: writeShuffled,
		train: func(ctx context.Context, x *corpus.Counts, seed uint64) ([]float32, float64, error) {
			r, err := poincare.Train(ctx, x, poincare.Params{
				Disks: *dim / 2, Epochs: *passes, Rate: 0.05, XMax: 100, Exponent: 0.75, Seed: seed,
			}, nil, nil)
			if err != nil {
				return nil, 0, err
			}
			return r.Points, r.Loss[*passes-1], nil
		},
		scores: func(rows []float32, words int) map[string]func(narrow, wide int) float64 {
			const general = 400 // words that stand for general ones, as the authors take them
			var generic, specific []int
			for i := range min(general, words/4) {
				generic, specific = append(generic, i), append(specific, min(words, 50_000)-1-i)
			}
			of := rowsOf(poincare.Gaussians(rows, *dim/2, generic, specific), words)
			points := rowsOf(rows, words)
			return map[string]func(narrow, wide int) float64{
				"is-a":                func(n, w int) float64 { return poincare.IsA(of(n), of(w)) },
				"-KL":                 func(n, w int) float64 { return -poincare.Divergence(of(n), of(w)) },
				"similarity distance": func(n, w int) float64 { return -squaredDistance(points(n), points(w)) },
			}
		},
	},
	// The authors' window of 10 on rows of 100 words without stop
	// words; their filter, and 30 negatives a word in a window of 20.
	"dive": {
		window: 10, weigh: flat,
		train: func(ctx context.Context, x *corpus.Counts, seed uint64) ([]float32, float64, error) {
			const filter, inclusion = 1.5, 1.5
			r, err := dive.Train(ctx, x, dive.Params{
				Dim: *dim, Passes: *passes, Samples: int64(*passes) * int64(kept(x, filter)), Negatives: 30,
				Filter: filter, Inclusion: inclusion,
				Rate: 0.05, Seed: seed,
			}, nil)
			if err != nil {
				return nil, 0, err
			}
			return r.Vectors, r.Loss[*passes-1], nil
		},
		scores: func(rows []float32, words int) map[string]func(narrow, wide int) float64 {
			of := rowsOf(rows, words)
			return map[string]func(narrow, wide int) float64{
				"C·ΔS":              func(n, w int) float64 { return dive.CDeltaS(of(n), of(w)) },
				"ΔS":                func(n, w int) float64 { return dive.DeltaS(of(n), of(w)) },
				"similarity cosine": func(n, w int) float64 { return cosine(of(n), of(w)) },
			}
		},
	},
}

func rowsOf(rows []float32, words int) func(i int) []float32 {
	dim := len(rows) / words
	return func(i int) []float32 { return rows[i*dim:][:dim] }
}

func run(ctx context.Context) error {
	p, ok := peers[*name]
	if !ok {
		return fmt.Errorf("no system %q, expected one of %q", *name, slices.Sorted(maps.Keys(peers)))
	}
	runtime.GOMAXPROCS(*threads)
	dir, err := os.MkdirTemp("", "embeddings")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if *name == "dive" {
		if *textFile, err = rowsOfWords(ctx, dir); err != nil {
			return err
		}
	}
	v, _, err := corpus.BuildVocabulary(ctx, corpus.Text{Files: []string{*textFile}, Tokenised: true}, *minCount, nil)
	if err != nil {
		return err
	}
	if err := v.Write(filepath.Join(dir, "vocab.txt")); err != nil {
		return err
	}
	before, _ := system.ProcessorSeconds()
	x, tokens, err := count(v, p)
	if err != nil {
		return err
	}
	after, _ := system.ProcessorSeconds()
	if p.prepare != nil {
		if err := p.prepare(ctx, dir, v, x); err != nil {
			return err
		}
	}
	sets, err := readSets(v)
	if err != nil {
		return err
	}
	fmt.Printf("%d tokens, %d words, %d counts of %.0f co-occurrences (%.1f processor seconds); %d dimensions, %d "+
		"passes, threads: %d each.\n\n",
		tokens, v.Len(), x.NonZeros(), total(x), after-before, *dim, *passes, *threads)
	var ratios []float64
	for r := range *runs {
		var seconds [2]float64
		for side, train := range []func() ([]float32, float64, float64, error){
			func() ([]float32, float64, float64, error) { return theirs(ctx, dir, v, r+1) },
			func() ([]float32, float64, float64, error) {
				before, _ := system.ProcessorSeconds()
				rows, loss, err := p.train(ctx, x, uint64(r+1))
				after, _ := system.ProcessorSeconds()
				return rows, loss, after - before, err
			},
		} {
			rows, loss, s, err := train()
			if err != nil {
				return err
			}
			seconds[side] = s / float64(*passes)
			t := trained{[]string{"original", "here"}[side], r + 1, loss, seconds[side]}
			if err := t.show(sets, p.scores(rows, v.Len()), r == 0 && side == 0); err != nil {
				return err
			}
		}
		ratios = append(ratios, seconds[0]/seconds[1])
	}
	slices.Sort(ratios)
	fmt.Printf("\nThe original takes %.2f times as much of the processor (median; %.2f to %.2f).\n",
		ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
	return nil
}

// rowsOfWords writes the text as DIVE's authors prepare it: rows of 100 words, without stop words and what is no word.
func rowsOfWords(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "rows.txt")
	c := exec.CommandContext(ctx, *python, "dataset_preproc.py", "-s", "stop_word_list", "-r", "100", "-l",
		"1000000000", "-i", *textFile, "-o", path)
	c.Dir, c.Stderr = *source, os.Stderr
	return path, c.Run()
}

// A report is what embeddings.py prints.
type report struct {
	Seconds float64  `json:"seconds"` // of the processor, training alone
	Loss    *float64 `json:"loss"`    // mean of the last pass; nil where it tells none that compares
	Rows    string   `json:"rows"`
}

func theirs(ctx context.Context, dir string, v *corpus.Vocabulary, seed int) ([]float32, float64, float64, error) {
	c := exec.CommandContext(ctx, *python, *script, *name, "--source", *source, "--text", *textFile, "--folder", dir,
		"--dim", fmt.Sprint(*dim), "--passes", fmt.Sprint(*passes), "--threads", fmt.Sprint(*threads),
		"--seed", fmt.Sprint(seed))
	c.Stderr = os.Stderr
	c.Env = append(os.Environ(), "OMP_NUM_THREADS="+fmt.Sprint(*threads), "OPENBLAS_NUM_THREADS=1")
	out, err := c.Output()
	if err != nil {
		return nil, 0, 0, fmt.Errorf("%s: %w: %s", *script, err, out)
	}
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	var r report
	if err := json.Unmarshal(lines[len(lines)-1], &r); err != nil {
		return nil, 0, 0, fmt.Errorf("%s: %w: %s", *script, err, out)
	}
	shape, rows, err := npy.ReadFloat32(r.Rows)
	if err == nil && (len(shape) != 2 || shape[0] != v.Len()) {
		err = fmt.Errorf("%s: shape %v, expected %d rows", r.Rows, shape, v.Len())
	}
	loss := math.NaN()
	if r.Loss != nil {
		loss = *r.Loss
	}
	return rows, loss, r.Seconds, err
}

// count counts the pairs of the vocabulary's words that are at
// most a window apart in a line, other words standing between.
func count(v *corpus.Vocabulary, p peer) (x *corpus.Counts, tokens int, err error) {
	f, err := os.Open(*textFile)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	type cell struct{ row, column int32 }
	sums := map[cell]float64{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<26)
	var ids []int32
	for lines.Scan() {
		ids = ids[:0]
		for _, word := range strings.Fields(lines.Text()) {
			tokens++
			id, ok := v.ID(word)
			if !ok {
				id = -1
			}
			for d := 1; ok && d <= min(p.window, len(ids)); d++ {
				if other := ids[len(ids)-d]; other >= 0 {
					sums[cell{id, other}] += p.weigh(d)
					sums[cell{other, id}] += p.weigh(d)
				}
			}
			ids = append(ids, id)
		}
	}
	cells := slices.SortedFunc(maps.Keys(sums), func(a, b cell) int {
		return int(a.row-b.row)*v.Len() + int(a.column-b.column)
	})
	x = &corpus.Counts{Rows: v.Len(), Cols: v.Len(), Start: make([]int64, v.Len()+1)}
	for _, c := range cells {
		x.Index, x.Value = append(x.Index, c.column), append(x.Value, sums[c])
		x.Start[c.row+1]++
	}
	for i := range v.Len() {
		x.Start[i+1] += x.Start[i]
	}
	return x, tokens, lines.Err()
}

func total(x *corpus.Counts) (sum float64) {
	for _, value := range x.Value {
		sum += value
	}
	return sum
}

// kept is the sum of the counts that are at least filter times those of independent words.
func kept(x *corpus.Counts, filter float64) (sum float64) {
	rows, all := make([]float64, x.Rows), total(x) // the counts are symmetric
	for i := range rows {
		_, values := x.Row(i)
		for _, value := range values {
			rows[i] += value
		}
	}
	for i := range rows {
		index, values := x.Row(i)
		for e, j := range index {
			if values[e] >= filter*rows[i]*rows[j]/all {
				sum += values[e]
			}
		}
	}
	return sum
}

// writeShuffled writes the counts as the shuffle of GloVe's tools does: two numbers of words, from 1, and a count.
func writeShuffled(_ context.Context, dir string, _ *corpus.Vocabulary, x *corpus.Counts) error {
	type record struct {
		Row, Column int32
		Value       float64
	}
	var records []record
	for i := range x.Rows {
		index, values := x.Row(i)
		for e, j := range index {
			records = append(records, record{int32(i) + 1, j + 1, values[e]})
		}
	}
	random := rand.New(rand.NewPCG(1, 1))
	random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, records); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "cooccurrence.bin"), b.Bytes(), 0o666)
}

// A set is what is known of the pairs of a set whose words both have a vector.
type set struct {
	narrow, wide []int
	positive     []bool    // of hypernymy
	gold         []float64 // of similarity
}

// readSets reads all sets of the data folder.
func readSets(v *corpus.Vocabulary) (sets []set, err error) {
	hypernymy, err := filepath.Glob(filepath.Join(*data, "hypernymy", "*.all"))
	if err != nil || len(hypernymy) == 0 {
		return nil, fmt.Errorf("no sets hypernymy/*.all in %s", *data)
	}
	for _, path := range hypernymy {
		pairs, err := dataset.ReadHypernymy(path)
		if err != nil {
			return nil, err
		}
		var s set
		for _, pair := range pairs {
			a, b, ok := both(v, pair.A, pair.B)
			if ok {
				s.narrow, s.wide, s.positive = append(s.narrow, a), append(s.wide, b), append(s.positive, pair.True)
			}
		}
		sets = append(sets, s)
	}
	similarity, err := filepath.Glob(filepath.Join(*data, "wordsim", "*"))
	if err != nil {
		return nil, err
	}
	for _, path := range similarity {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			continue
		}
		pairs, err := dataset.ReadWordSimilarity(path)
		if err != nil {
			return nil, err
		}
		var s set
		for _, pair := range pairs {
			a, b, ok := both(v, pair.A, pair.B)
			if ok {
				s.narrow, s.wide, s.gold = append(s.narrow, a), append(s.wide, b), append(s.gold, pair.Score)
			}
		}
		if len(s.gold) >= 30 {
			sets = append(sets, s)
		}
	}
	return sets, nil
}

func both(v *corpus.Vocabulary, a, b string) (narrow, wide int, ok bool) {
	i, first := v.ID(a)
	j, second := v.ID(b)
	return int(i), int(j), first && second
}

// trained is a training of one side, in a run from 1 on. seconds are those of the processor for a pass over the text.
type trained struct {
	side          string
	run           int
	loss, seconds float64
}

// show prints a row, with a head where it is the first: means over the sets.
func (t trained) show(sets []set, scores map[string]func(narrow, wide int) float64, head bool) error {
	names := slices.Sorted(maps.Keys(scores))
	if head {
		fmt.Printf("| | loss | %s | processor seconds a pass |\n|---|---|%s---|\n",
			strings.Join(names, " | "), strings.Repeat("---|", len(names)))
	}
	shown := "–"
	if !math.IsNaN(t.loss) {
		shown = fmt.Sprintf("%.4f", t.loss)
	}
	fmt.Printf("| %s %d | %s |", t.side, t.run, shown)
	for _, name := range names {
		similarity := strings.HasPrefix(name, "similarity")
		sum, n := 0.0, 0
		for _, s := range sets {
			if similarity != (s.gold != nil) {
				continue
			}
			values := make([]float64, len(s.narrow))
			for i := range values {
				values[i] = scores[name](s.narrow[i], s.wide[i])
			}
			var x float64
			var err error
			if similarity {
				x, err = score.Spearman(values, s.gold)
			} else {
				x, err = score.AveragePrecision(s.positive, values)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			sum += 100 * x
			n++
		}
		fmt.Printf(" %.1f |", sum/float64(n))
	}
	fmt.Printf(" %.2f |\n", t.seconds)
	return nil
}

// squaredDistance is that of two points of a product of Poincaré disks.
func squaredDistance(x, y []float32) (sum float64) {
	for k := 0; k < len(x); k += 2 {
		a, b, c, d := float64(x[k]), float64(x[k+1]), float64(y[k]), float64(y[k+1])
		u := ((a-c)*(a-c) + (b-d)*(b-d)) / ((1 - a*a - b*b) * (1 - c*c - d*d))
		s := 2 * math.Asinh(math.Sqrt(u))
		sum += s * s
	}
	return sum
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
