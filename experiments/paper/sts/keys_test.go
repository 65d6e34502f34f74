package sts

import (
	"testing"
	"time"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
)

// The searches for settings are found again by their keys: whole grids, and steps of a tuning from each row.
func TestKeys(t *testing.T) {
	pipelinetest.GoldenKeys(t, func(k *pipelinetest.Keys, w *pipeline.Workspace) {
		p := w.Profile
		for _, row := range p.STS.Rows {
			if !row.Select {
				continue
			}
			group, err := w.ValidationGroup()
			if err != nil {
				t.Fatal(err)
			}
			rows := p.Settings(p.STS.Select.For(row), row)
			stages := func(of string) {
				var all []pipelinetest.Staged
				for i := 0; i < len(rows); i += 1 + len(rows)/20 { // some of them
					all = append(all, validationNode(w, rows[i], group, time.Time{}))
				}
				k.Add(of, all...)
			}
			stages(row.ID + ", grid")
			rows = nil
			for _, coordinate := range p.STS.Tune.For(row).Coordinates(row.Method) {
				rows = append(rows, p.Settings(coordinate, row)...)
			}
			stages(row.ID + ", tuning")
		}
	})
}
