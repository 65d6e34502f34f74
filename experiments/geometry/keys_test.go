package geometry

import (
	"testing"

	"contextmover/experiments/pipeline"
	"contextmover/experiments/pipelinetest"
)

// What stores have of histograms over single contexts is found again by its keys.
func TestKeys(t *testing.T) {
	pipelinetest.GoldenKeys(t, func(k *pipelinetest.Keys, w *pipeline.Workspace) {
		for _, id := range w.Profile.Geometry.Rows {
			row, _ := w.Profile.Row(id)
			if !row.Averages() {
				continue
			}
			var scores, moved []pipelinetest.Staged
			for _, set := range pipelinetest.Sets(w.Profile, false) {
				scores = append(scores, unclusteredNode(w, row, set))
				moved = append(moved, movedNode(w, row, set, keptContexts))
			}
			k.Add(id, scores...)
			k.Add(id, moved...)
		}
	})
}
