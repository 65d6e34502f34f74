package pipeline_test

import (
	"fmt"
	"slices"
	"testing"

	"contextmover/cmdlib/method"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/pipelinetest"
	"contextmover/experiments/profile"
	"contextmover/experiments/store"
)

// What stores have is found again by its keys: those of text, vectors, clusters, and all that rows of sentence
// similarity have of sets.
func TestKeys(t *testing.T) {
	pipelinetest.GoldenKeys(t, func(k *pipelinetest.Keys, w *pipeline.Workspace) {
		p := w.Profile
		base := func(of string, w *pipeline.Workspace) {
			text, err := w.TextStages()
			for _, s := range text {
				k.Add(of, k.Must(s, err))
			}
			k.Add(of, k.Must(w.CountsStage()))
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
			k.Add(kind, k.Must(w.VectorsStage(kind)))
			further := w.WithSeed(p.Seed + 1)
			k.Add(kind+", further seed", k.Must(further.VectorsStage(kind)))
		}
		k.Add("space", k.Must(w.SpaceStage(p.Space.Row())))
		for _, n := range p.Scaling.Parts {
			base(fmt.Sprintf("%d parts of the text", n), w.WithParts(n))
		}
		for _, row := range p.STS.Rows {
			if row.HasHistograms() {
				k.Add(row.ID, k.Must(w.ClustersStage(w.RowClusters(row))))
			}
			byStage := map[string][]store.Stage{}
			var names []string
			for _, set := range pipelinetest.Sets(p, false) {
				stages, err := w.SetStages(row, set)
				for _, s := range stages {
					if byStage[s.Name] == nil {
						names = append(names, s.Name)
					}
					byStage[s.Name] = append(byStage[s.Name], k.Must(s, err))
				}
			}
			for _, name := range names {
				k.Add(row.ID, byStage[name]...)
			}
		}
		for _, id := range p.Geometry.Rows {
			row, _ := p.Row(id)
			variants := p.Geometry.Variations(row)
			for _, compare := range method.Comparisons() {
				variants = append(variants, profile.Variation{Name: compare, Row: row.With("compare", compare)})
			}
			for _, geometry := range []string{method.Flat, method.Shuffled} {
				variants = append(variants, profile.Variation{Name: geometry, Row: row.With("geometry", geometry)})
			}
			for _, v := range variants {
				var all []store.Stage
				for _, set := range pipelinetest.Sets(p, false) {
					stages, err := w.SetStages(v.Row, set)
					for _, s := range stages {
						all = append(all, k.Must(s, err))
					}
				}
				k.Add(id+", "+v.Name, all...)
			}
		}
	})
}
