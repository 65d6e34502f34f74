package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/score"
)

// divergences compares the cost of the regularised plan and the Sinkhorn divergence with the exact cost, over all pairs of each kind.
func (s *subject) divergences(ctx context.Context) error {
	fmt.Println("\n| λ | | rank correlation with the exact cost: cost | divergence | median difference from it: cost | divergence | least divergence |")
	fmt.Println("|--:|:--|--:|--:|--:|--:|--:|")
	for _, reg := range []float64{0.3, 0.1, 0.05, 0.02} {
		for at, k := range kinds {
			p := s.problem()
			p.Settings = ot.Settings{Reg: reg, MaxIter: patience, Tol: 1e-5}
			p.Pairs = nil
			for i := at * sample; i < (at+1)*sample; i++ {
				for j := at * sample; j < i; j++ {
					p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i), Target: int32(j)})
				}
			}
			best, err := ot.Distances(ctx, exact.New(), p)
			if err != nil {
				return err
			}
			all, err := ot.Divergences(ctx, cpu.New(), p)
			if err != nil {
				return err
			}
			var optimum, cost, divergence, costOff, divergenceOff []float64
			for i, d := range all {
				w := best[i].Cost
				optimum, cost, divergence = append(optimum, w), append(cost, d.Between.Cost), append(divergence, d.Value)
				costOff = append(costOff, 100*math.Abs(d.Between.Cost/w-1))
				divergenceOff = append(divergenceOff, 100*math.Abs(d.Value/w-1))
			}
			ofCost, err := score.Spearman(cost, optimum)
			if err != nil {
				return err
			}
			ofDivergence, err := score.Spearman(divergence, optimum)
			if err != nil {
				return err
			}
			fmt.Printf("| %g | %s | %.4f | %.4f | %.3g %% | %.3g %% | %.2g |\n", reg, k, ofCost, ofDivergence, median(costOff), median(divergenceOff), slices.Min(divergence))
		}
	}
	return nil
}
