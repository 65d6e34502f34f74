package pipeline_test

import (
	"fmt"
	"slices"
	"testing"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
)

// What stores have is found again by its keys: those of text, vectors, clusters, and all that rows of sentence
// similarity have of sets.
func TestKeys(t *testing.T) {
	pipelinetest.GoldenKeys(t, func(k *pipelinetest.Keys, w *pipeline.Workspace) {
		p := w.Profile
		base := func(of string, w *pipeline.Workspace) {
			for _, node := range w.TextNodes() {
				k.Add(of, node)
			}
			k.Add(of, w.CountsNode())
		}
		base("text", w)
		kinds := []string{profile.SVD, profile.GloVe, profile.Sent2vec}
		if len(p.Hypernymy.Sets) > 0 {
			kinds = append(kinds, profile.Entailment)
		}
		for _, row := range p.STS.Rows {
			for _, kind := range row.Method.Needs().Vectors {
				if !slices.Contains(kinds, kind) {
					kinds = append(kinds, kind)
				}
			}
		}
		for _, kind := range kinds {
			k.Add(kind, w.VectorsNode(kind))
			further := w.WithSeed(p.Seed + 1)
			k.Add(kind+", further seed", further.VectorsNode(kind))
		}
		k.Add("space", w.SpaceNode(p.Space.Row()))
		for _, n := range p.Scaling.Parts {
			base(fmt.Sprintf("%d parts of the text", n), w.WithParts(n))
		}
		for _, row := range p.STS.Rows {
			if row.HasHistograms() {
				k.Add(row.ID, w.ClustersNode(w.RowEstimates(row).Clusters))
			}
			var before, scores, draws []pipelinetest.Staged
			for _, set := range pipelinetest.Sets(p, false) {
				for _, node := range w.KeptNodes(row, set) {
					before = append(before, node)
				}
				scores, draws = append(scores, w.ScoresNode(row, set)), append(draws, w.DrawsNode(row, set))
			}
			k.Add(row.ID, before...)
			k.Add(row.ID, scores...)
			k.Add(row.ID, draws...)
		}
		for _, id := range p.Geometry.Rows {
			row, _ := p.Row(id)
			variants := p.Geometry.Variations(row)
			for _, compare := range method.Comparisons() {
				variants = append(variants, profile.Variation{Name: compare, Row: row.With("compare", compare)})
			}
			for _, geometry := range []string{method.Discrete, method.Shuffled} {
				variants = append(variants, profile.Variation{Name: geometry, Row: row.With("geometry", geometry)})
			}
			for _, v := range variants {
				var all []pipelinetest.Staged
				for _, set := range pipelinetest.Sets(p, false) {
					for _, node := range w.KeptNodes(v.Row, set) {
						all = append(all, node)
					}
					all = append(all, w.ScoresNode(v.Row, set), w.DrawsNode(v.Row, set))
				}
				k.Add(id+", "+v.Name, all...)
			}
		}
	})
}
