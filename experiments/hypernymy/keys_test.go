package hypernymy

import (
	"slices"
	"testing"

	"contextmover/cmdlib/method"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/pipelinetest"
	"contextmover/experiments/store"
)

// What stores have of hypernymy is found again by its keys.
func TestKeys(t *testing.T) {
	pipelinetest.GoldenKeys(t, func(k *pipelinetest.Keys, w *pipeline.Workspace) {
		p := w.Profile.Hypernymy
		if len(p.Sets) == 0 {
			return
		}
		rows := slices.Concat(baselineRows(), paperRows(w), transposedRow(w), gridRows(w))
		for _, geometry := range []string{method.Flat, method.Shuffled} {
			rows = append(rows, paperRows(w)[1].withGeometry(w, geometry))
		}
		for _, s := range systems(p) {
			rows = append(append(rows, s.row), s.grid...)
		}
		for _, row := range rows {
			var scores, draws []store.Stage
			for _, set := range p.Sets {
				stage := k.Must(scoresStage(w, row, set))
				scores = append(scores, stage)
				sampling := pipeline.Seed(w.Profile.Seed, "bootstrap "+set.File)
				draws = append(draws, drawsStage("hypernymy-draws", stage.Key(), sampling))
			}
			k.Add(row.Key, scores...)
			k.Add(row.Key, draws...)
			if row.Trained != nil {
				k.Add(row.Key, k.Must(w.SystemStage(row.Trained.System)))
			}
			if p.HyperLex != "" {
				k.Add(row.Key, k.Must(gradedStage(w, row, p.HyperLex)))
			}
			further := w.WithSeed(w.Profile.Seed + 1)
			k.Add(row.Key+", further seed", k.Must(scoresStage(further, row.withSeed(further), p.Sets[0])))
		}
	})
}
