package geometry

import (
	"math"
	"testing"

	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
)

// Two clusters have one distance: shuffling and flattening their cost change nothing,
// and total variation is that cost without entropy. With more clusters all differ.
func TestWords(t *testing.T) {
	small := []string{"seeds.hypernymy=1", "hypernymy.vectors.dim=20", "hypernymy.vectors.samples=50000", "hypernymy.cmd.clusters=[20]"}
	w := pipelinetest.World(t, append(small, "wordsim.blocks.paper.method=average-mix,smoothing=0.15,shift=1,clusters=2,cost_normalisation=log2,clip=0,mix=0.8", "wordsim.blocks.chosen.method=average-mix,smoothing=0.15,shift=1,clusters=20,metric=angular,spherical=true,clip=0,mix=0.8")...)
	r, err := ComputeWords(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Similarity) != 2 || len(r.Similarity[0].Scores) != len(comparisons()) || len(r.Hypernymy.Rows) != len(geometries) {
		t.Fatalf("%d blocks, %d rows of hypernymy", len(r.Similarity), len(r.Hypernymy.Rows))
	}
	two, more := r.Similarity[0], r.Similarity[1]
	for i, m := range two.Minus[:len(geometries)-1] {
		if math.Abs(m.Value) > 1e-9 || math.Abs(m.Low) > 1e-9 || math.Abs(m.High) > 1e-9 {
			t.Errorf("%s − true with two clusters: %v [%v, %v]", geometries[i+1], m.Value, m.Low, m.High)
		}
	}
	for i, m := range more.Minus {
		if m.Value == 0 || m.Value != more.Scores[i+1].Value-more.Scores[0].Value {
			t.Errorf("%s − true with 20 clusters: %v", comparisons()[i+1], m.Value)
		}
	}
	for i, name := range comparisons() {
		row := more.Rows[i].Histograms()
		if own := row.Geometry == name || row.Compare == name; !own || more.Tried[i] == 0 || two.Tried[i] != 0 {
			t.Errorf("%s: geometry %q, compared by %q, %d settings tried, %d where none are chosen", name, row.Geometry, row.Compare, more.Tried[i], two.Tried[i])
		}
	}
	for _, table := range r.Tables(w.Profile) {
		for _, b := range table.Blocks {
			for _, row := range b.Rows {
				if len(row.Cells) != len(table.Columns) {
					t.Errorf("%s, %s: %d cells in %d columns", table.ID, row.Label, len(row.Cells), len(table.Columns))
				}
			}
		}
	}
	for _, q := range r.quantities() {
		if q.Low == nil || !(*q.Low <= *q.High) || math.IsNaN(q.Value) || q.Draws != nil {
			t.Errorf("quantity %+v", q)
		}
	}
	if len(Files(&profile.Profile{})) != 0 {
		t.Error("files for a profile without the experiment")
	}
}
