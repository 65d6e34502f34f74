package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"

	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
)

// printSpace is peers space: histograms of words that are drawn from the more frequent ones, and of sentences, the
// barycenters of eight such words at λ = 0.1.
func printSpace(ctx context.Context, _ []string) error {
	s, err := english.Open(cpu.New())
	if err != nil {
		return err
	}
	defer s.Close()

	const n, members, frequent = 24, 8, 20_000
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(n int) (ot.Histograms, error) {
		h := ot.Histograms{K: s.Cost.K}
		for h.Len() < n {
			id := int32(rng.IntN(frequent))
			if !s.Has(s.Words[id]) {
				continue
			}
			row, err := s.Row(id)
			if err != nil {
				return h, err
			}
			h.Data = append(h.Data, row...)
		}
		return h, nil
	}

	words, err := draw(n)
	if err != nil {
		return err
	}
	p := &ot.BarycenterProblem{
		Settings: ot.Settings{Reg: 0.1, MaxIter: 100, Tol: 1e-4}, Cost: s.Cost, Offsets: []int{0},
	}
	if p.Rows, err = draw(n * members); err != nil {
		return err
	}
	for i := range n * members {
		p.Members, p.Weights = append(p.Members, int32(i)), append(p.Weights, 1./members)
		if i%members == members-1 {
			p.Offsets = append(p.Offsets, i+1)
		}
	}
	barycenters, err := ot.Barycenters(ctx, cpu.New(), p)
	if err != nil {
		return err
	}
	var sentences []float32
	for _, b := range barycenters {
		sentences = append(sentences, b.Histogram...)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"k": s.Cost.K, "cost": s.Cost.Data, "words": words.Data, "sentences": sentences,
	})
}
