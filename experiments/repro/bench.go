package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"contextmover/cmdlib/cluster"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding/svd"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments"
)

type benchCmd struct {
	Engine string `default:"auto" enum:"${engines}" placeholder:"NAME" help:"One of ${enum} (default ${default})."`
	JSON   bool   `name:"json" help:"Print JSON."`
}

// benchmark is the JSON form of the results.
type benchmark struct {
	Machine string        `json:"machine"`
	Engine  string        `json:"engine"`
	Peak    float64       `json:"peak_gflops"` // float32, all threads, the best moment of this run
	Results []measurement `json:"results"`
}

// measurement is the median speed of one kind of work. GFLOPS counts the products
// that the method needs, not the instructions that ran; 0 where that says little.
type measurement struct {
	Name     string  `json:"name"`
	Unit     string  `json:"unit"`
	Rate     float64 `json:"per_second"`
	GFLOPS   float64 `json:"gflops"`
	Fraction float64 `json:"fraction_of_peak"`
}

func (c *benchCmd) Run(e *env) error {
	engine, err := experiments.Engine(c.Engine)
	if err != nil {
		return err
	}
	machine := processor()
	if machine == "" {
		machine = runtime.GOARCH
	}
	b := benchmark{
		Machine: fmt.Sprintf("%s, %d threads, %s %s/%s", machine, runtime.GOMAXPROCS(0), runtime.Version(), runtime.GOOS, runtime.GOARCH),
		Engine:  engine.Name(),
	}
	total := int64(3 + len(distanceSizes) + len(barycenterSizes))
	step := e.progress.Step("bench")
	add := func(name, unit string, flop float64, work work) error {
		// Other programs take turns with this one: the peak of one moment says little
		// about the next, so it is looked for beside each measurement.
		b.Peak = max(b.Peak, cpu.Peak())
		rate, err := measure(e, work)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		b.Results = append(b.Results, measurement{Name: name, Unit: unit, Rate: rate, GFLOPS: rate * flop / 1e9})
		step(int64(len(b.Results)), total)
		return nil
	}
	if err := benchCorpus(e, add); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 0))
	for _, k := range distanceSizes {
		if err := benchDistances(e, engine, k, random, add); err != nil {
			return err
		}
	}
	for _, s := range barycenterSizes {
		if err := benchBarycenters(e, engine, s.k, s.words, random, add); err != nil {
			return err
		}
	}
	for i := range b.Results {
		b.Results[i].Fraction = b.Results[i].GFLOPS / b.Peak
	}
	if c.JSON {
		return e.json(b)
	}
	fmt.Fprintf(e.out, "%s\nengine %s, float32 peak %.0f GFLOP/s\n\n", b.Machine, b.Engine, b.Peak)
	fmt.Fprintf(e.out, "%-33s %12s %-17s %8s %8s\n", "", "a second", "", "GFLOP/s", "of peak")
	for _, r := range b.Results {
		line := fmt.Sprintf("%-33s %12s %-17s", r.Name, speed(r.Rate), r.Unit)
		if r.GFLOPS > 0 {
			line += fmt.Sprintf(" %8s %6.0f %%", speed(r.GFLOPS), 100*r.Fraction)
		}
		fmt.Fprintln(e.out, strings.TrimRight(line, " "))
	}
	return nil
}

// speed writes three digits, or more where a number has more before the point.
func speed(x float64) string {
	digits := 0
	if x < 100 {
		digits = max(0, 2-int(math.Floor(math.Log10(x))))
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

const (
	repetitions = 5
	// repetition is how long one repetition should take.
	repetition = 300 * time.Millisecond
)

// work does about n units and returns how many it did.
type work func(n int) (done int, err error)

// adder measures some work and adds the result; flop is the cost of a unit.
type adder func(name, unit string, flop float64, work work) error

// measure returns the median number of units a second. It first looks for the
// number of units that takes long enough to be timed.
func measure(ctx context.Context, work work) (float64, error) {
	rate := func(n int) (float64, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		start := time.Now()
		done, err := work(n)
		return float64(done) / time.Since(start).Seconds(), err
	}
	n := 1
	for {
		r, err := rate(n)
		if err != nil {
			return 0, err
		}
		want := int(math.Ceil(r * repetition.Seconds()))
		if want <= 2*n {
			n = max(1, want)
			break
		}
		n = min(want, 64*n) // the first few units say little
	}
	rates := make([]float64, repetitions)
	for i := range rates {
		var err error
		if rates[i], err = rate(n); err != nil {
			return 0, err
		}
	}
	slices.Sort(rates)
	return rates[repetitions/2], nil
}

// benchCorpus measures the way from text to clusters on generated text.
func benchCorpus(ctx context.Context, add adder) (err error) {
	const (
		tokens, words, length = 400_000, 20_000, 20
		window, dim, k        = 10, 100, 100
	)
	dir, err := os.MkdirTemp("", "repro-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	text := corpus.Text{Files: []string{filepath.Join(dir, "text.txt")}, Tokenised: true}
	if err := writeText(text.Files[0], tokens, words, length); err != nil {
		return err
	}
	vocabulary, _, err := corpus.BuildVocabulary(ctx, text, 5, nil)
	if err != nil {
		return err
	}
	var counts *corpus.Counts
	if err := add(fmt.Sprintf("count/window=%d", window), "tokens", 0, func(n int) (done int, err error) {
		for ; done < n; done += tokens {
			if counts, _, err = corpus.Count(ctx, text, vocabulary, window, nil); err != nil {
				return done, err
			}
		}
		return done, nil
	}); err != nil {
		return err
	}
	associations, err := sppmi.Compute(ctx, counts, sppmi.Params{Smoothing: 0.75, Shift: 1})
	if err != nil {
		return err
	}
	var vectors *svd.Result
	if err := add(fmt.Sprintf("svd/dim=%d/nonzeros=%d", dim, associations.NonZeros()), "decompositions", 0, func(n int) (done int, err error) {
		for ; done < n; done++ {
			if vectors, err = svd.Compute(ctx, associations, svd.Params{Dim: dim, Oversampling: 10, PowerIterations: 2, Exponent: 0.5, Seed: 1}, nil); err != nil {
				return done, err
			}
		}
		return done, nil
	}); err != nil {
		return err
	}
	points := len(vectors.Vectors) / dim
	return add(fmt.Sprintf("kmeans/k=%d/dim=%d", k, dim), "points·iterations", 2*k*dim, func(n int) (done int, err error) {
		for done < n {
			r, err := cluster.KMeans(ctx, vectors.Vectors, dim, cluster.Params{K: k, MaxIter: 10, Seed: 1}, nil)
			if err != nil {
				return done, err
			}
			done += points * r.Iterations
		}
		return done, nil
	})
}

// writeText writes tokens from Zipf's law, the law of words.
func writeText(path string, tokens, words, length int) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	zipf := rand.NewZipf(rand.New(rand.NewPCG(2, 0)), 1.1, 2, uint64(words-1))
	for i := range tokens {
		end := byte(' ')
		if i%length == length-1 {
			end = '\n'
		}
		fmt.Fprintf(w, "w%d%c", zipf.Uint64(), end)
	}
	if err = w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// The sizes of the paper's settings: clusters, and words of a sentence.
var (
	distanceSizes   = []int{100, 300, 500}
	barycenterSizes = []struct{ k, words int }{{100, 25}, {300, 12}}
)

const iterations = 100

func benchDistances(ctx context.Context, engine ot.Engine, k int, random *rand.Rand, add adder) error {
	p := &ot.Problem{
		Settings: ot.Settings{Reg: 0.1, MaxIter: iterations},
		Cost:     randomCost(k, random),
		Rows:     randomHistograms(512, k, random),
	}
	return add(fmt.Sprintf("sinkhorn/k=%d/iters=%d", k, iterations), "distances", 4*float64(k*k)*iterations, func(n int) (int, error) {
		p.Pairs = p.Pairs[:0]
		for i := range n {
			p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i % 512), Target: int32((i*7 + 1) % 512)})
		}
		return n, engine.Distances(ctx, p, func(int, []ot.Result) error { return nil })
	})
}

func benchBarycenters(ctx context.Context, engine ot.Engine, k, words int, random *rand.Rand, add adder) error {
	p := &ot.BarycenterProblem{
		Settings: ot.Settings{Reg: 0.1, MaxIter: iterations},
		Cost:     randomCost(k, random),
		Rows:     randomHistograms(512, k, random),
	}
	flop := 4 * float64(k*k) * float64(words) * iterations
	return add(fmt.Sprintf("barycenter/words=%d/k=%d/iters=%d", words, k, iterations), "barycenters", flop, func(n int) (int, error) {
		p.Offsets, p.Members, p.Weights = append(p.Offsets[:0], 0), p.Members[:0], p.Weights[:0]
		for i := range n * words {
			p.Members = append(p.Members, int32(i*7%512))
			p.Weights = append(p.Weights, 1/float32(words))
			if (i+1)%words == 0 {
				p.Offsets = append(p.Offsets, i+1)
			}
		}
		return n, engine.Barycenters(ctx, p, func(int, []ot.Barycenter) error { return nil })
	})
}

// randomCost is the distance between k random points of a square, in units of the
// median.
func randomCost(k int, random *rand.Rand) ot.Cost {
	points := make([]complex128, k)
	for i := range points {
		points[i] = complex(random.Float64(), random.Float64())
	}
	cost := ot.Cost{K: k, Data: make([]float32, k*k)}
	for i, x := range points {
		for j, y := range points {
			cost.Data[i*k+j] = float32(math.Hypot(real(x-y), imag(x-y)))
		}
	}
	sorted := slices.Clone(cost.Data)
	slices.Sort(sorted)
	for i := range cost.Data {
		cost.Data[i] /= sorted[len(sorted)/2]
	}
	return cost
}

// randomHistograms fills about a third of the bins, as words do.
func randomHistograms(n, k int, random *rand.Rand) ot.Histograms {
	h := ot.Histograms{K: k, Data: make([]float32, n*k)}
	for i := range n {
		row, sum := h.Row(i), 0.0
		for j := range row {
			if j == i%k || random.IntN(3) == 0 {
				row[j] = float32(random.ExpFloat64() + 1e-3)
				sum += float64(row[j])
			}
		}
		for j := range row {
			row[j] = float32(float64(row[j]) / sum)
		}
	}
	return h
}
