// Command exact writes what bench/exact.py solves: sentences of a set with the histograms and
// weights of their words, and what these combine to, by the mean and by entropic barycenters.
//
//	go run ./bench/exact [-profile NAME] [-data DIR] [-store DIR] [-k K] [-pairs N] > problems.json
//
// For barycenters to be solved by linear programming there are few clusters and few sentences.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/store"
)

func main() {
	name := flag.String("profile", "open", "profile whose text and sets are used")
	data := flag.String("data", os.Getenv("CONTEXTMOVER_DATA"), "folder of real data")
	dir := flag.String("store", "", "folder of finished artefacts (default: the user's)")
	k := flag.Int("k", 30, "number of clusters")
	pairs := flag.Int("pairs", 100, "number of pairs of each set")
	flag.Parse()
	if err := run(context.Background(), *name, *data, *dir, *k, *pairs); err != nil {
		fmt.Fprintln(os.Stderr, "exact:", err)
		os.Exit(1)
	}
}

// A problem is a set of pairs.
type problem struct {
	Set   string                 `json:"set"`
	Cost  [][]float32            `json:"cost"`
	Words [][][]float32          `json:"words"`   // of each sentence, the histograms of its words
	Share [][]float64            `json:"weights"` // and their weights, of sum 1
	Made  map[string][][]float32 `json:"made"`    // what they combine to, by name
	Gold  []float64              `json:"gold"`    // of pair i, which is sentences 2i and 2i + 1
}

func run(ctx context.Context, name, data, dir string, k, pairs int) error {
	p, err := profile.Load(name, []string{fmt.Sprintf("sts.rows.comb.clusters=%d", k)})
	if err != nil {
		return err
	}
	if dir == "" {
		if dir, err = store.DefaultDir(); err != nil {
			return err
		}
	}
	artefacts, err := store.Open(dir)
	if err != nil {
		return err
	}
	w := &pipeline.Workspace{Profile: p, Store: artefacts, Data: data, Engine: cpu.New()}
	row, ok := p.Row("comb")
	if !ok {
		return fmt.Errorf("profile %s has no row comb", name)
	}
	estimates, err := w.Estimates(ctx, w.RowEstimates(row))
	if err != nil {
		return err
	}
	g, err := w.Ground(ctx, w.RowGround(row))
	if err != nil {
		return err
	}
	probability, err := w.Probability(ctx, row.Weighting().Marginal())
	if err != nil {
		return err
	}
	weighting := row.Weighting().Of()
	encoder := json.NewEncoder(os.Stdout)
	for _, group := range p.STS.Groups {
		for _, set := range group.Sets {
			read, err := w.ReadPairs(ctx, set)
			if err != nil {
				return err
			}
			out := problem{Set: group.Name + " " + set.Name, Made: map[string][][]float32{}}
			for i := range k {
				out.Cost = append(out.Cost, g.Cost.Data[i*k:(i+1)*k])
			}
			var sentences []sentence.Sentence
			// Pairs are ordered by length; every n-th is a sample of all lengths.
			step := max(1, len(read.Pairs)/pairs)
			for i := 0; i < len(read.Pairs) && len(out.Gold) < pairs; i += step {
				var both []sentence.Sentence
				for _, s := range []sentence.Sentence{read.Pairs[i].A, read.Pairs[i].B} {
					var known sentence.Sentence
					for _, word := range s {
						if estimates.Known[word] {
							known = append(known, word)
						}
					}
					if len(known) > 0 {
						both = append(both, known)
					}
				}
				if len(both) == 2 {
					sentences = append(sentences, both...)
					out.Gold = append(out.Gold, read.Gold[i])
				}
			}
			for _, s := range sentences {
				var rows [][]float32
				var weights []float64
				total := 0.0
				for _, word := range s {
					rows = append(rows, estimates.Row(int(word)))
					a := weighting.A / (weighting.A + probability[word])
					weights, total = append(weights, a), total+a
				}
				for i := range weights {
					weights[i] /= total
				}
				out.Words, out.Share = append(out.Words, rows), append(out.Share, weights)
			}
			b := sentence.Barycenter{
				Estimates: estimates, Weighting: weighting, Probability: probability, Cost: g.Cost, Engine: w.Engine,
			}
			combiners := map[string]sentence.Combiner{
				"mean": sentence.HistogramAverage{Estimates: estimates, Weighting: weighting, Probability: probability},
			}
			for _, reg := range []float64{0.1, 0.02} {
				b.Settings = ot.Settings{Reg: reg, MaxIter: 2000, Tol: 1e-5}
				combiners[fmt.Sprintf("barycenter, λ = %g", reg)] = b
			}
			b.Settings.Reg, b.Debiased = 0.1, true
			combiners["debiased, λ = 0.1"] = b
			for name, c := range combiners {
				h, err := c.Combine(ctx, sentences)
				if err != nil {
					return err
				}
				for i := range sentences {
					out.Made[name] = append(out.Made[name], h.Row(i))
				}
			}
			if err := encoder.Encode(out); err != nil {
				return err
			}
		}
	}
	return nil
}
