package hypernymy

import (
	"slices"
	"testing"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
)

// What stores have of hypernymy is found again by its keys.
func TestKeys(t *testing.T) {
	pipelinetest.GoldenKeys(t, func(k *pipelinetest.Keys, w *pipeline.Workspace) {
		p := w.Profile.Hypernymy
		if len(p.Sets) == 0 {
			return
		}
		rows := slices.Concat(baselineRows(w), paperRows(w), transposedRow(w), gridRows(w))
		for _, geometry := range []string{method.Discrete, method.Shuffled} {
			rows = append(rows, paperRows(w)[1].withGeometry(geometry))
		}
		for _, s := range systems(w) {
			rows = append(append(rows, s.Row), s.grid...)
		}
		for _, row := range rows {
			var scores, draws []pipelinetest.Staged
			for _, set := range p.Sets {
				node := scoresNode(w, row, set)
				scores, draws = append(scores, node), append(draws, drawsNode(w, node, set))
			}
			k.Add(row.Key, scores...)
			k.Add(row.Key, draws...)
			switch m := row.Method.(type) {
			case system:
				k.Add(row.Key, m.trained(w))
			case Pattern, movedPatterns:
				k.Add(row.Key, w.PatternsNode())
			}
			if p.HyperLex != "" {
				k.Add(row.Key, gradedScoresNode(w, row, p.HyperLex))
			}
			further := w.WithSeed(w.Profile.Seed + 1)
			k.Add(row.Key+", further seed", scoresNode(further, row, p.Sets[0]))
		}
	})
}
