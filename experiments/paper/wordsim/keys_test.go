package wordsim

import (
	"testing"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
)

// What stores have of word similarity is found again by its keys.
func TestKeys(t *testing.T) {
	pipelinetest.GoldenKeys(t, func(k *pipelinetest.Keys, w *pipeline.Workspace) {
		for _, row := range w.Profile.WordSim.Rows() {
			var scores, draws, validations []pipelinetest.Staged
			for _, set := range w.Profile.WordSim.Sets {
				scores, draws = append(scores, scoresNode(w, row, set)), append(draws, drawsNode(w, row, set))
			}
			k.Add(row.ID, scores...)
			k.Add(row.ID, draws...)
			if row.Select {
				for _, setting := range w.Profile.WordSim.Settings(row) {
					validations = append(validations, validationNode(w, setting))
				}
				k.Add(row.ID+", grid", validations...)
			}
		}
	})
}
