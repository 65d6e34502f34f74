package verdict

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/show/render"
)

// Any recorded run is refused, or can be compared with and written again.
func FuzzReference(f *testing.F) {
	f.Add([]byte(`{"version":1,"profile":"p","tables":[]}`))
	f.Add([]byte(`{"version":1,"profile":"p","tables":[{"experiment":"e","table":"t","columns":["c"],"rows":[{"row":"r","cells":[[1,0,2,3,3]]}]}]}`))
	f.Add([]byte(`{"version":1,"profile":"p","tables":[{"experiment":"e","table":"t","columns":["c"],"rows":[{"row":"r","cells":[[1,0,2,3,3],[1],[]]}]}]}`))
	f.Add([]byte(`[]`))
	value := 1.5
	now := []*results.Result{{Header: results.Header{Profile: "p", Experiment: "e"}, Tables: []*render.Table{{
		ID: "t", Columns: []render.Column{{Name: "c"}},
		Blocks: []render.Block{{Rows: []render.Row{{Key: "r", Cells: []render.Cell{{Value: &value, Coverage: &render.Coverage{Covered: 1, Total: 3}}}}}}},
	}}}}
	path := filepath.Join(f.TempDir(), "reference.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		ref, err := ReadReference(path, "p")
		if err != nil {
			if !errors.Is(err, dataset.ErrData) {
				t.Fatal(err)
			}
			return
		}
		changes, _ := ref.Compare(now)
		for _, c := range changes {
			if c.What == "" {
				t.Fatalf("%+v", c)
			}
		}
		if err := ref.Write(path); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadReference(path, "p"); err != nil {
			t.Fatal(err)
		}
	})
}
