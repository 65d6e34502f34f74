package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
)

// compared are pairs of one kind, over the same rows.
type compared struct {
	kind  string
	pairs []ot.Pair
}

// divergences compares the cost of the regularised plan and the Sinkhorn divergence
// with the exact cost, over all pairs of each kind and what else is given.
func (s *subject) divergences(ctx context.Context, others ...compared) error {
	var all []compared
	for at, k := range kinds {
		c := compared{kind: k}
		for i := at * sample; i < (at+1)*sample; i++ {
			for j := at * sample; j < i; j++ {
				c.pairs = append(c.pairs, ot.Pair{Source: int32(i), Target: int32(j)})
			}
		}
		all = append(all, c)
	}
	fmt.Println("\n| λ | | rank correlation with the exact cost: cost | divergence | median of what it is of the " +
		"exact cost: cost | divergence | least divergence |")
	fmt.Println("|--:|:--|--:|--:|--:|--:|--:|")
	for _, reg := range []float64{0.3, 0.1, 0.05, 0.02} {
		for _, c := range append(all, others...) {
			p := s.problem()
			p.Settings = ot.Settings{Reg: reg, MaxIter: patience, Tol: 1e-5}
			p.Pairs = c.pairs
			best, err := ot.Distances(ctx, exact.New(), p)
			if err != nil {
				return err
			}
			solved, err := ot.Divergences(ctx, cpu.New(), p)
			if err != nil {
				return err
			}
			var optimum, cost, divergence, ofCost, ofDivergence []float64
			for i, d := range solved {
				w := best[i].Cost
				if w == 0 {
					continue // equal rows have no share
				}
				optimum, cost, divergence = append(optimum, w), append(cost, d.Between.Cost),
					append(divergence, d.Value)
				ofCost, ofDivergence = append(ofCost, 100*d.Between.Cost/w), append(ofDivergence, 100*d.Value/w)
			}
			plain, err := score.Spearman(cost, optimum)
			if err != nil {
				return err
			}
			debiased, err := score.Spearman(divergence, optimum)
			if err != nil {
				return err
			}
			fmt.Printf("| %g | %s | %.4f | %.4f | %.0f %% | %.0f %% | %.2g |\n",
				reg, c.kind, plain, debiased, median(ofCost), median(ofDivergence), slices.Min(divergence))
		}
	}
	return nil
}

// ofEnglish measures the Sinkhorn divergence of words and sentences of a file of pairs in the space that is built in.
func ofEnglish(ctx context.Context, path string) error {
	pairs, err := dataset.ReadPairs(path)
	if err != nil {
		return err
	}
	space, err := english.Open(cpu.New())
	if err != nil {
		return err
	}
	defer space.Close()
	barycenters, err := space.Asked(cmdlib.Override{Combination: cmdlib.Barycenter}, cpu.New())
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 0))
	s := &subject{cost: space.Cost, rows: ot.Histograms{K: space.Cost.K}}
	for s.rows.Len() < 2*sample {
		text := pairs[random.IntN(len(pairs))].A
		if s.rows.Len() < sample {
			words := strings.Fields(text)
			if id, ok := space.ID(words[random.IntN(len(words))]); ok && space.Has(space.Words[id]) {
				row, err := space.Row(id)
				if err != nil {
					return err
				}
				s.rows.Data = append(s.rows.Data, row...)
			}
			continue
		}
		h, err := barycenters.Sentence(ctx, text)
		var unknown *cmdlib.UnknownError
		if errors.As(err, &unknown) {
			continue
		}
		if err != nil {
			return err
		}
		s.rows.Data = append(s.rows.Data, h.Histogram...)
	}
	// What belongs together is nearer than what does not.
	together := compared{kind: "sentences of a line"}
	for _, p := range pairs[:min(len(pairs), 100)] {
		a, err := barycenters.Sentence(ctx, p.A)
		if err != nil {
			return err
		}
		b, err := barycenters.Sentence(ctx, p.B)
		if err != nil {
			return err
		}
		n := int32(s.rows.Len())
		s.rows.Data = append(append(s.rows.Data, a.Histogram...), b.Histogram...)
		together.pairs = append(together.pairs, ot.Pair{Source: n, Target: n + 1})
	}
	fmt.Printf("English, K = %d: %d words, %d sentences and those of %d lines of %s, as barycenters.\n",
		s.cost.K, sample, sample, len(together.pairs), path)
	return s.divergences(ctx, together)
}
