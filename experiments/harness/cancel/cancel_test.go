// Package cancel tells every stage that may take long to end. It is a program of its own, since decompositions that
// were told to end keep a processor busy until it does.
package cancel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"contextmover/cmdlib"
	"contextmover/cmdlib/cluster"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding/svd"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/ot/reference"
	"contextmover/cmdlib/sentence"
	"contextmover/cmdlib/sparse"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/trainers/dive"
	"contextmover/experiments/harness/trainers/entailment"
	"contextmover/experiments/harness/trainers/gaussian"
	"contextmover/experiments/harness/trainers/glove"
	"contextmover/experiments/harness/trainers/poincare"
	"contextmover/experiments/show/density"
	"contextmover/experiments/show/tsne"
	"contextmover/internal/system"
)

// Every stage that may take long ends within a second of being told to, at whatever moment that is.
//
// A machine that is busy with something else makes any work late: what counts is a second on the clock in
// which this process had a second of a processor.
func TestCancelEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("stages that run for seconds")
	}
	random := rand.New(rand.NewPCG(1, 2))
	tell(t, random, 3, longStages(t, random)...)
	// Last and once, as they leave a processor busy, which would count against those after them.
	tell(t, random, 1,
		longStage{"singular vectors of nearly all dimensions", 4 * time.Second, decomposition(t, random, 1500, 300)},
		longStage{"singular vectors of many dimensions", 8 * time.Second, decomposition(t, random, 5000, 200)})
}

// tell tells each stage to end, as often as is said.
func tell(t *testing.T, random *rand.Rand, times int, stages ...longStage) {
	t.Helper()
	for _, stage := range stages {
		t.Run(stage.name, func(t *testing.T) {
			within := stage.within
			hits := 0
			for try := 0; try < 12 && hits < times; try++ {
				ctx, cancel := context.WithCancel(t.Context())
				type moment struct {
					at      time.Time
					seconds float64
				}
				told := make(chan moment, 1)
				timer := time.AfterFunc(time.Duration(random.Int64N(int64(within))), func() {
					seconds, _ := system.ProcessorSeconds()
					told <- moment{time.Now(), seconds}
					cancel()
				})
				err := stage.run(ctx)
				seconds, measured := system.ProcessorSeconds()
				returned := time.Now()
				early := timer.Stop()
				cancel()
				if err == nil {
					within /= 2 // done before
					continue
				}
				if early || !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				hits++
				m := <-told
				wall := returned.Sub(m.at)
				if raceEnabled {
					continue
				}
				if wall > time.Second && (!measured || seconds-m.seconds > 1) {
					t.Errorf("returned %v after it was told to, having taken %.1f seconds of the processors", wall, seconds-m.seconds)
				}
			}
			if hits == 0 {
				t.Error("was always finished before it was told to end: give it more to do")
			}
		})
	}
}

type longStage struct {
	name   string
	within time.Duration // it is told to end at a random moment of the first of these seconds
	run    func(ctx context.Context) error
}

func longStages(t *testing.T, random *rand.Rand) []longStage {
	t.Helper()
	var text bytes.Buffer
	for range 60_000 {
		for range 25 {
			fmt.Fprintf(&text, "w%d ", int(3000*random.Float64()*random.Float64()))
		}
		text.WriteByte('\n')
	}
	file := filepath.Join(t.TempDir(), "text.txt")
	if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	words := corpus.Text{Files: []string{file}, Layout: corpus.Sentences}
	vocabulary, _, err := corpus.BuildVocabulary(t.Context(), words, 1, nil)
	if err != nil {
		t.Fatal(err)
	}

	counts := randomCounts(random, 4000, 1000)
	associations, err := sppmi.Compute(t.Context(), counts, sppmi.Params{Smoothing: 1, Shift: 1})
	if err != nil {
		t.Fatal(err)
	}
	assignment := make([]int32, counts.Rows)
	for i := range assignment {
		assignment[i] = int32(random.IntN(300))
	}
	points := normal(random, 40_000*100)

	cost := randomGround(t, random, 300)
	many := &ot.Problem{Settings: ot.Settings{Reg: 0.1, MaxIter: 100}, Cost: cost, Rows: randomRows(random, 2000, 300)}
	for i := range int32(200_000) {
		many.Pairs = append(many.Pairs, ot.Pair{Source: i % 2000, Target: (7*i + 1) % 2000})
	}
	hard := *many
	hard.Settings = ot.Settings{Reg: 1e-4, MaxIter: 1 << 30, Tol: 1e-15}
	groups := &ot.BarycenterProblem{Settings: many.Settings, Cost: cost, Rows: many.Rows}
	groups.MaxIter = 1000
	for g := range 2000 {
		groups.Offsets = append(groups.Offsets, 25*g)
		for m := range 25 {
			groups.Members = append(groups.Members, int32((25*g+m)%2000))
			groups.Weights = append(groups.Weights, 1.0/25)
		}
	}
	groups.Offsets = append(groups.Offsets, len(groups.Members))
	narrow := *groups
	narrow.Settings = ot.Settings{Reg: 1e-4, MaxIter: 1 << 30, Tol: 1e-15}
	large := &ot.Problem{
		Settings: many.Settings, Cost: randomGround(t, random, 1500), Rows: randomRows(random, 2, 1500),
		Pairs: []ot.Pair{{Source: 0, Target: 1}},
	}
	space := randomSpace(t, random)

	distances := func(e ot.Engine, p *ot.Problem) func(context.Context) error {
		return func(ctx context.Context) error {
			return e.Distances(ctx, p, func(int, []ot.Result) error { return nil })
		}
	}
	barycenters := func(e ot.Engine, p *ot.BarycenterProblem) func(context.Context) error {
		return func(ctx context.Context) error {
			return e.Barycenters(ctx, p, func(int, []ot.Barycenter) error { return nil })
		}
	}
	gold := normal64(random, 50_000)
	terms := make([]string, len(gold)+1)
	for i := range terms {
		terms[i] = fmt.Sprint(random.IntN(1000))
	}
	clusters := score.NewPairs(terms[1:], terms[:len(gold)])

	return []longStage{
		{"vocabulary", time.Second, func(ctx context.Context) error {
			_, _, err := corpus.BuildVocabulary(ctx, words, 1, nil)
			return err
		}},
		{"counts", time.Second, func(ctx context.Context) error {
			_, _, err := corpus.Count(ctx, words, vocabulary, 10, nil)
			return err
		}},
		{"counts to a file", 2 * time.Second, func(ctx context.Context) error {
			f := corpus.CountFile{Path: filepath.Join(t.TempDir(), "counts.bin"), Window: 10, Memory: 1 << 20}
			_, err := corpus.CountToFile(ctx, words, vocabulary, f, nil)
			return err
		}},
		{"associations", 200 * time.Millisecond, func(ctx context.Context) error {
			_, err := sppmi.Compute(ctx, counts, sppmi.Params{Smoothing: 0.55, Shift: 5})
			return err
		}},
		{"GloVe", 2 * time.Second, func(ctx context.Context) error {
			_, err := glove.Train(ctx, counts, glove.Params{Dim: 100, Epochs: 10, Rate: 0.05, XMax: 100, Exponent: 0.75, Rule: glove.Rule2020}, nil)
			return err
		}},
		{"entailment", 2 * time.Second, func(ctx context.Context) error {
			_, err := entailment.Train(ctx, counts, nil, entailment.Params{Dim: 100, Passes: 10, Samples: 1, Negatives: 5, Noise: 0.75, Rate: 0.05}, nil)
			return err
		}},
		{"DIVE", 2 * time.Second, func(ctx context.Context) error {
			_, err := dive.Train(ctx, counts, dive.Params{Dim: 100, Passes: 10, Samples: 100_000_000, Negatives: 30, Filter: 1.5, Inclusion: 1.5, Rate: 0.05}, nil)
			return err
		}},
		{"Gaussian embedding", 2 * time.Second, func(ctx context.Context) error {
			_, err := gaussian.Train(ctx, counts, gaussian.Params{Dim: 100, Passes: 10, Samples: 100_000_000, Negatives: 5, Energy: "KL", Margin: 1, Length: 2, Least: 0.7, Greatest: 1.5, Rate: 0.1}, nil)
			return err
		}},
		{"Poincaré GloVe", 2 * time.Second, func(ctx context.Context) error {
			_, err := poincare.Train(ctx, counts, poincare.Params{Disks: 50, Epochs: 10, Rate: 0.05, XMax: 100, Exponent: 0.75}, nil)
			return err
		}},
		{"clusters", 2 * time.Second, func(ctx context.Context) error {
			_, err := cluster.KMeans(ctx, points, 100, cluster.Params{K: 500, Spherical: true, MaxIter: 300}, nil)
			return err
		}},
		{"estimates", 100 * time.Millisecond, func(ctx context.Context) error {
			_, err := estimate.Histograms(ctx, associations, assignment, 300, estimate.Params{Normalisation: estimate.Total, Beta: 1})
			return err
		}},
		{"distances", 2 * time.Second, distances(cpu.New(), many)},
		{"hard distances", 2 * time.Second, distances(cpu.New(), &hard)},
		{"reference distances", time.Second, distances(reference.New(), &hard)},
		{"exact distances", 2 * time.Second, distances(exact.New(), many)},
		{"exact plan", time.Second, func(ctx context.Context) error {
			_, err := exact.New().Plan(ctx, large, 0)
			return err
		}},
		{"plan", time.Second, func(ctx context.Context) error {
			_, err := cpu.New().Plan(ctx, &hard, 0)
			return err
		}},
		{"barycenters", 2 * time.Second, barycenters(cpu.New(), groups)},
		{"hard barycenters", 2 * time.Second, barycenters(cpu.New(), &narrow)},
		{"reference barycenters", time.Second, barycenters(reference.New(), &narrow)},
		{"neighbours", time.Second, func(ctx context.Context) error {
			_, err := space.Neighbours(ctx, "word7", 1000)
			return err
		}},
		{"t-SNE", 3 * time.Second, func(ctx context.Context) error {
			_, err := tsne.Embed(ctx, points[:1500*300], 1500, 300, tsne.Params{Perplexity: 30, Iterations: 1000, Seed: 1}, nil)
			return err
		}},
		{"density", time.Second, func(ctx context.Context) error {
			at, weights := normal64(random, 2*100_000), make([]float64, 100_000)
			for i := range weights {
				weights[i] = 1
			}
			_, err := density.Estimate(ctx, density.Around(at, 1, 200), at, weights, 0.1)
			return err
		}},
		{"bootstrap", 2 * time.Second, func(ctx context.Context) error {
			_, err := score.Correlate(ctx, score.Spearman, gold, gold, 1000, 1)
			return err
		}},
		{"bootstrap of pairs", time.Second, func(ctx context.Context) error {
			_, err := clusters.Draws(ctx, 5000, 1, func(_ int, weights []int32) float64 { return float64(weights[0]) })
			return err
		}},
	}
}

// decomposition is one of so many dimensions that most of the time goes to factors of small matrices.
func decomposition(t *testing.T, random *rand.Rand, n, each int) func(context.Context) error {
	t.Helper()
	counts := randomCounts(random, n, each)
	m, err := sppmi.Compute(t.Context(), counts, sppmi.Params{Smoothing: 1, Shift: 1})
	if err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context) error {
		_, err := svd.Compute(ctx, m, svd.Params{Dim: n - 20, Oversampling: 20, PowerIterations: 3}, nil)
		return err
	}
}

func normal(random *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(random.NormFloat64())
	}
	return x
}

func normal64(random *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = random.NormFloat64()
	}
	return x
}

// randomCounts has n words with about each contexts of every one.
func randomCounts(random *rand.Rand, n, each int) *sparse.Matrix[float64] {
	m := &sparse.Matrix[float64]{Rows: n, Cols: n, Start: []int64{0}}
	share := float64(each) / float64(n)
	for range n {
		for j := range n {
			if random.Float64() < share {
				m.Index, m.Value = append(m.Index, int32(j)), append(m.Value, 1+10*random.ExpFloat64())
			}
		}
		m.Start = append(m.Start, int64(len(m.Value)))
	}
	return m
}

func randomRows(random *rand.Rand, n, k int) ot.Histograms {
	h := ot.Histograms{K: k, Data: make([]float32, n*k)}
	for i := range n {
		sum := float32(0)
		for j := range h.Row(i) {
			h.Row(i)[j] = float32(random.ExpFloat64())
			sum += h.Row(i)[j]
		}
		for j := range h.Row(i) {
			h.Row(i)[j] /= sum
		}
	}
	return h
}

var angular = ground.Params{Metric: ground.Angular, Normalisation: ground.Median, Reg: 0.1}

func randomGround(t *testing.T, random *rand.Rand, k int) ot.Cost {
	t.Helper()
	g, err := ground.New(normal(random, k*20), k, 20, angular)
	if err != nil {
		t.Fatal(err)
	}
	return g.Cost
}

// randomSpace has so many words that are alike that bounds rule out few.
func randomSpace(t *testing.T, random *rand.Rand) *cmdlib.Space {
	t.Helper()
	const n, k, dim = 30_000, 300, 20
	names, counts := make([]string, n), make([]int64, n)
	for i := range names {
		names[i], counts[i] = fmt.Sprintf("word%d", i), 1
	}
	v, err := corpus.NewVocabulary(names, counts)
	if err != nil {
		t.Fatal(err)
	}
	centroids := normal(random, k*dim)
	g, err := ground.New(centroids, k, dim, angular)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "space")
	err = cmdlib.Write(t.Context(), dir, cmdlib.Contents{
		Vocabulary: v, Histograms: randomRows(random, n, k), Dim: dim, Vectors: normal(random, n*dim), Centroids: centroids, Cost: g.Cost,
		Settings: cmdlib.Settings{
			SPPMI: sppmi.Params{Smoothing: 1, Shift: 1}, Estimate: estimate.Params{Normalisation: estimate.Total, Beta: 1}, Ground: angular,
			Transport: ot.Settings{Reg: 0.1, MaxIter: 100},
			Sentence:  cmdlib.SentenceSettings{Combination: cmdlib.Average, Weighting: sentence.Weighting{Scheme: sentence.InverseMarginal, A: 1e-4}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := cmdlib.Open(dir, cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
