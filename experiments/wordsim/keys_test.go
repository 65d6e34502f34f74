package wordsim

import (
	"testing"

	"contextmover/experiments/pipeline"
	"contextmover/experiments/pipelinetest"
	"contextmover/experiments/store"
)

// What stores have of word similarity is found again by its keys.
func TestKeys(t *testing.T) {
	pipelinetest.GoldenKeys(t, func(k *pipelinetest.Keys, w *pipeline.Workspace) {
		for _, row := range w.Profile.WordSim.Rows() {
			var scores, draws, validations []store.Stage
			for _, set := range w.Profile.WordSim.Sets {
				stage, sampling, err := scoresStage(w, row, set)
				scores = append(scores, k.Must(stage, err))
				draws = append(draws, drawsStage(stage.Key(), sampling))
			}
			k.Add(row.ID, scores...)
			k.Add(row.ID, draws...)
			if row.Select {
				for _, setting := range w.Profile.WordSim.Settings(row) {
					stage, _, err := validationStage(w, setting)
					validations = append(validations, k.Must(stage, err))
				}
				k.Add(row.ID+", grid", validations...)
			}
		}
	})
}
