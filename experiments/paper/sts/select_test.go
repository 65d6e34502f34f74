package sts

import (
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
)

// tunable are overrides of a profile whose search takes seconds.
var tunable = []string{
	"sts.defaults.clusters=20", "sts.defaults.iterations=20",
	"sts.select.transport.clusters=[20]", "sts.select.transport.metric=[\"angular\"]", "sts.select.transport.shift=[1]", "sts.select.transport.clip=[0]",
	"sts.rows.euclidean-mix.method=average-mix,smoothing=0.95,shift=1,clusters=20", "sts.rows.euclidean-mix-pc.method=average-mix,smoothing=0.95,shift=1,clusters=20,remove_pc=true",
	"sts.tune.transport.clusters=[10, 20]", "sts.tune.transport.clip=[0, 10]", "sts.tune.transport.smoothing=[]", "sts.tune.transport.shift=[]", "sts.tune.transport.normalisation=[]",
	"sts.tune.transport.cost_normalisation=[\"median\", \"max\"]", "sts.tune.transport.reg=[0.1]", "sts.tune.transport.metric=[]", "sts.tune.transport.pc_batch=[]",
	"sts.select.vectors.a=[1e-3,1e-4]", "sts.select.vectors.pc_batch=[0]",
}

// list are all settings that were tried.
func list(r *Result) []pipeline.Trial[profile.Row] {
	return slices.Concat(slices.Collect(maps.Values(r.Tried))...)
}

// A search ends above the settings it starts from, does not depend on where its budget
// interrupts it, tries nothing twice, and knows nothing of the test groups.
func TestTuneSTS(t *testing.T) {
	w := pipelinetest.World(t, tunable...)
	var rows []profile.Row
	for _, r := range w.Profile.STS.Rows {
		if r.Select && (r.Kind() == "euclidean" || r.Kind() == "sif") {
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
		before := tried
		if tried = len(list(interrupted)); tried <= before {
			budget *= 2 // too little here to get on with
		}
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
	if len(whole.Rows) != len(rows) || !reflect.DeepEqual(whole.Tried, interrupted.Tried) {
		t.Errorf("%d rows and %+v tried, interrupted %+v", len(whole.Rows), whole.Tried, interrupted.Tried)
	}
	seen := map[profile.Row]bool{}
	best := map[string]pipeline.Trial[profile.Row]{}
	for _, c := range list(whole) {
		if _, ok := best[c.Row.ID]; !ok {
			best[c.Row.ID] = c
		}
		if best[c.Row.ID].Value < c.Value || seen[c.Row] {
			t.Errorf("out of order, or twice: %+v", c)
		}
		seen[c.Row] = true
	}
	for i, row := range whole.Rows {
		_, tried, err := choose(t.Context(), w, rows[i:i+1], time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if b, chosen := best[row.ID], tried[row.ID][0]; b.Row != row || b.Value < chosen.Value {
			t.Errorf("row %s: tuned to %v, best tried %v, chosen %v", row.ID, row, b, chosen)
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
			if b := best[whole.Rows[c].ID]; top != b.Value {
				t.Errorf("%s, %s: best %v, want %v", block.Title, tables[1].Columns[c].Name, top, b.Value)
			}
		}
	}
}
