package sts

import (
	"testing"
	"time"

	"contextmover/experiments/pipeline"
	"contextmover/experiments/pipelinetest"
	"contextmover/experiments/profile"
)

// A search ends above the settings it starts from, does not depend on where its budget
// interrupts it, tries nothing twice, and knows nothing of the test groups.
func TestTuneSTS(t *testing.T) {
	overrides := []string{
		"sts.defaults.clusters=20", "sts.defaults.iterations=20",
		"sts.select.transport.clusters=[20]", "sts.select.transport.metric=[\"angular\"]", "sts.select.transport.shift=[1]", "sts.select.transport.clip=[0]",
		"sts.rows.chosen-euclidean-mix.clusters=20", "sts.rows.chosen-euclidean-mix-pc.clusters=20",
		"sts.tune.transport.clusters=[10, 20]", "sts.tune.transport.clip=[0, 10]", "sts.tune.transport.smoothing=[]", "sts.tune.transport.shift=[]", "sts.tune.transport.normalisation=[]",
		"sts.tune.transport.cost_normalisation=[\"median\", \"max\"]", "sts.tune.transport.reg=[0.1]", "sts.tune.transport.metric=[]", "sts.tune.transport.pc_batch=[]",
		"sts.select.vectors.a=[1e-3,1e-4]", "sts.select.vectors.pc_batch=[0]",
	}
	w := pipelinetest.World(t, overrides...)
	var rows []profile.Row
	for _, r := range w.Profile.STS.Rows {
		if r.Select && (r.Method == profile.Euclidean || r.Method == profile.SIF) {
			rows = append(rows, r)
		}
	}
	w.Profile.STS.Rows = rows

	var validation []profile.Group
	for _, g := range w.Profile.STS.Groups {
		if g.Validation {
			validation = append(validation, g)
		}
	}
	all := w.Profile.STS.Groups
	w.Profile.STS.Groups = validation
	interruptions, tried := 0, 0
	budget := 300 * time.Millisecond
	var interrupted *Result
	for done := false; !done; interruptions++ {
		var err error
		if interrupted, err = Tune(t.Context(), w, budget); err != nil {
			t.Fatal(err)
		}
		if len(interrupted.Tried) <= tried {
			budget *= 2 // too little here to get on with
		}
		tried = len(interrupted.Tried)
		if len(interrupted.Rows) != len(interrupted.Measures) {
			t.Fatalf("%d rows, %d measured", len(interrupted.Rows), len(interrupted.Measures))
		}
		done = len(interrupted.Unfinished) == 0
	}
	t.Logf("%d calls", interruptions)

	w.Profile.STS.Groups = all
	whole, err := Tune(t.Context(), w, time.Hour)
	if err != nil || len(whole.Unfinished) > 0 {
		t.Fatal(whole.Unfinished, err)
	}
	if len(whole.Rows) != len(rows) || len(whole.Tried) != len(interrupted.Tried) {
		t.Fatalf("%d rows and %d tried, interrupted %d", len(whole.Rows), len(whole.Tried), len(interrupted.Tried))
	}
	for i, c := range whole.Tried {
		if c != interrupted.Tried[i] {
			t.Errorf("tried %+v, interrupted %+v", c, interrupted.Tried[i])
		}
	}
	seen := map[pipeline.Candidate]bool{}
	best := map[string]pipeline.Candidate{}
	for _, c := range whole.Tried {
		if _, ok := best[c.For]; !ok {
			best[c.For] = c
		}
		if best[c.For].Validation < c.Validation || seen[c] {
			t.Errorf("out of order, or twice: %+v", c)
		}
		seen[c] = true
	}
	for i, row := range whole.Rows {
		tried, err := tryRows(t.Context(), w, rows[i:i+1], time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if b := best[row.ID]; b.Row != row || b.Validation < tried[0][0].Validation {
			t.Errorf("row %s: tuned to %v, best tried %v, chosen %v", row.ID, row, b, tried[0][0])
		}
	}
	tables, err := whole.TuneTables(w.Profile)
	if err != nil || len(tables) != 3 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	// In every block of the table of values the best of a column is the row's best.
	for _, block := range tables[1].Blocks {
		for c := range tables[1].Columns {
			var top float64
			for _, r := range block.Rows {
				if v := r.Cells[c].Value; v != nil {
					top = max(top, *v)
				}
			}
			if b := best[whole.Rows[c].ID]; top != b.Validation {
				t.Errorf("%s, %s: best %v, want %v", block.Title, tables[1].Columns[c].Name, top, b.Validation)
			}
		}
	}
}
