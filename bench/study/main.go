// Command study measures on real histograms what docs/solvers.md says about the
// transport engines: accuracy against λ and iterations, plain against debiased
// barycenters, and what acceleration would bring. It prints tables in Markdown.
//
//	go run ./bench/study [-profile NAME] [-data DIR] [-store DIR]
//	go run ./bench/study -english FILE.tsv
//
// The second takes the words and sentences of the file's pairs in the
// space that is built in, and measures the Sinkhorn divergence alone.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/ot/reference"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/bench"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/store"
)

func main() {
	name := flag.String("profile", "mini", "profile whose histograms are used")
	data := flag.String("data", os.Getenv("CONTEXTMOVER_DATA"), "folder of real data")
	dir := flag.String("store", "", "folder of finished artefacts (default: the user's)")
	pairs := flag.String("english", "", "file of pairs of sentences, for the space that is built in")
	flag.Parse()
	if *pairs != "" {
		if err := ofEnglish(context.Background(), *pairs); err != nil {
			fmt.Fprintln(os.Stderr, "study:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(context.Background(), *name, *data, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "study:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, name, data, dir string) error {
	s, err := draw(ctx, name, data, dir)
	if err != nil {
		return err
	}
	fmt.Printf("Profile %s, K = %d; words: %d histograms of words of its sentences; sentences: as many barycenters.\n",
		name, s.cost.K, sample)
	fmt.Println("\n### Accuracy of distances")
	if err := s.accuracy(ctx); err != nil {
		return err
	}
	fmt.Println("\n### The Sinkhorn divergence")
	if err := s.divergences(ctx); err != nil {
		return err
	}
	fmt.Println("\n### Barycenters, plain and debiased")
	if err := s.barycenters(ctx); err != nil {
		return err
	}
	fmt.Println("\n### Over-relaxation and warm starts")
	s.acceleration()
	fmt.Println("\n### The engine's own acceleration")
	if err := s.accelerated(ctx); err != nil {
		return err
	}
	return s.acceleratedBarycenters(ctx)
}

// sample is how many histograms of either kind are looked at.
const sample = 16

var kinds = []string{"words", "sentences"}

// subject is what is studied: rows are the words, then the sentences; pairs are
// those of neighbouring rows.
type subject struct {
	cost  ot.Cost
	rows  ot.Histograms
	pairs []ot.Pair
}

// kind is that of a pair.
func kind(pair int) string { return kinds[2*pair/sample] }

// draw takes histograms of the first row of the profile that combines words by
// barycenters.
func draw(ctx context.Context, name, data, dir string) (*subject, error) {
	p, err := profile.Load(name, nil)
	if err != nil {
		return nil, err
	}
	if dir == "" {
		if dir, err = store.DefaultDir(); err != nil {
			return nil, err
		}
	}
	artefacts, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	w := &pipeline.Workspace{Profile: p, Store: artefacts, Data: data, Engine: cpu.New()}
	row, ok := bench.SentenceRow(p)
	if !ok {
		return nil, fmt.Errorf("profile %s has no row of barycenters", name)
	}
	work, err := bench.NewSentences(ctx, w, row)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(1, 0))
	b := work.Barycenter
	s := &subject{cost: b.Cost, rows: ot.Histograms{K: b.Cost.K}}
	for s.rows.Len() < 2*sample {
		set := work.Sets[random.IntN(len(work.Sets))]
		words := set[random.IntN(len(set))].A
		if len(words) == 0 {
			continue
		}
		word := int(words[random.IntN(len(words))])
		if !b.Estimates.Known[word] {
			continue
		}
		if s.rows.Len() < sample {
			s.rows.Data = append(s.rows.Data, b.Estimates.Row(word)...)
			continue
		}
		h, err := b.Combine(ctx, []sentence.Sentence{words})
		if err != nil {
			return nil, err
		}
		s.rows.Data = append(s.rows.Data, h.Data...)
	}
	for i := 0; i < s.rows.Len(); i += 2 {
		s.pairs = append(s.pairs, ot.Pair{Source: int32(i), Target: int32(i + 1)})
	}
	return s, nil
}

func (s *subject) problem() *ot.Problem {
	return &ot.Problem{Cost: s.cost, Rows: s.rows, Pairs: s.pairs}
}

// accuracy compares cpu with reference at equal iterations, and with exact transport.
func (s *subject) accuracy(ctx context.Context) error {
	p := s.problem()
	optimum := make([]float64, len(p.Pairs))
	for i := range p.Pairs {
		a, b, m := p.Explicit(i)
		r, err := exact.Solve(ctx, a, b, m)
		if err != nil {
			return err
		}
		optimum[i] = r.Cost
	}
	fmt.Println("\n| λ | iterations | | float32 against float64, worst | marginal error, median | worst | above the " +
		"exact cost, median | worst |")
	fmt.Println("|--:|--:|:--|--:|--:|--:|--:|--:|")
	for _, reg := range []float64{0.3, 0.1, 0.05, 0.02, 0.01, 0.005} {
		for _, iterations := range []int{10, 100, 1000} {
			p.Settings = ot.Settings{Reg: reg, MaxIter: iterations}
			got, err := ot.Distances(ctx, cpu.New(), p)
			if err != nil {
				return err
			}
			var want []ot.Result
			if iterations <= 100 {
				if want, err = ot.Distances(ctx, reference.New(), p); err != nil {
					return err
				}
			}
			for _, k := range kinds {
				var away, marginal, above []float64
				for i, r := range got {
					if kind(i) != k {
						continue
					}
					if want != nil {
						away = append(away, math.Abs(r.Cost-want[i].Cost)/want[i].Cost)
					}
					marginal = append(marginal, r.MarginalError)
					above = append(above, 100*(r.Cost/optimum[i]-1))
				}
				compared := ""
				if want != nil {
					compared = fmt.Sprintf("%.1e", slices.Max(away))
				}
				fmt.Printf("| %g | %d | %s | %s | %.1e | %.1e | %.3g %% | %.3g %% |\n", reg, iterations, k, compared,
					median(marginal), slices.Max(marginal), median(above), slices.Max(above))
			}
		}
	}
	return nil
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}

// barycenters compares the two methods: how much of one histogram is left in its
// barycenter, how spread out the barycenter of 8 words is, and how long it takes.
func (s *subject) barycenters(ctx context.Context) error {
	var entropyOfWords float64
	for i := range sample {
		entropyOfWords += entropy(s.rows.Row(i)) / sample
	}
	fmt.Printf("\nEntropy of the words' histograms: %.2f bits.\n\n", entropyOfWords)
	fmt.Println("| λ | | one word: L1 distance from its histogram | 8 words: entropy in bits | iterations until 1e-4 |")
	fmt.Println("|--:|:--|--:|--:|--:|")
	const length = 8
	for _, reg := range []float64{0.3, 0.1, 0.05, 0.02} {
		for _, debiased := range []bool{false, true} {
			p := &ot.BarycenterProblem{
				Settings: ot.Settings{Reg: reg, MaxIter: 1000, Tol: 1e-4},
				Cost:     s.cost, Rows: s.rows, Debiased: debiased, Offsets: []int{0},
			}
			for _, n := range []int{1, length} {
				for i := range sample {
					for j := range n {
						p.Members, p.Weights = append(p.Members, int32((i+j)%sample)), append(p.Weights, 1/float32(n))
					}
					p.Offsets = append(p.Offsets, len(p.Members))
				}
			}
			results, err := ot.Barycenters(ctx, cpu.New(), p)
			if err != nil {
				return err
			}
			var away, bits, iterations []float64
			for i, r := range results[:sample] {
				var d float64
				for j, x := range r.Histogram {
					d += math.Abs(float64(x) - float64(s.rows.Row(i)[j]))
				}
				away = append(away, d)
			}
			for _, r := range results[sample:] {
				bits, iterations = append(bits, entropy(r.Histogram)), append(iterations, float64(r.Iterations))
			}
			label := "plain"
			if debiased {
				label = "debiased"
			}
			fmt.Printf("| %g | %s | %.2g | %.2f | %.0f |\n", reg, label, median(away), median(bits), median(iterations))
		}
	}
	return nil
}

func entropy(h []float32) float64 {
	var bits float64
	for _, x := range h {
		if x > 0 {
			bits -= float64(x) * math.Log2(float64(x))
		}
	}
	return bits
}
