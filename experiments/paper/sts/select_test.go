package sts

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
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
		if interrupted, err = Tune(t.Context(), w, budget, Part{}); err != nil {
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
	whole, err := Tune(t.Context(), w, time.Hour, Part{})
	if err != nil || len(whole.Unfinished) > 0 {
		t.Fatal(whole.Unfinished, err)
	}
	if len(whole.Rows) != len(rows) || len(whole.Tried) != len(interrupted.Tried) {
		t.Fatalf("%d rows and %d tried, interrupted %d", len(whole.Rows), len(whole.Tried), len(interrupted.Tried))
	}
	for i, c := range whole.Tried {
		if o := interrupted.Tried[i]; !reflect.DeepEqual(c, o) {
			t.Errorf("tried %+v, interrupted %+v", c, o)
		}
	}
	seen := map[profile.Row]bool{}
	best := map[string]pipeline.Trial[profile.Row]{}
	for _, c := range whole.Tried {
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
		if b := best[row.ID]; b.Row != row || b.Value < tried[0].Value {
			t.Errorf("row %s: tuned to %v, best tried %v, chosen %v", row.ID, row, b, tried[0])
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

// The parts of a search go through all of it, each from a beginning of its own, and meet at the ends.
func TestOrderOfParts(t *testing.T) {
	for _, c := range []struct {
		part Part
		n    int
		want []int
	}{
		{Part{}, 4, []int{0, 1, 2, 3}},
		{Part{1, 1}, 2, []int{0, 1}},
		{Part{1, 2}, 5, []int{0, 1, 4, 3, 2}},
		{Part{2, 2}, 5, []int{2, 3, 4, 1, 0}},
		{Part{2, 3}, 6, []int{2, 3, 5, 4, 1, 0}},
		{Part{4, 4}, 2, []int{1, 0}},
		{Part{2, 3}, 0, nil},
	} {
		if got := c.part.order(c.n); !slices.Equal(got, c.want) {
			t.Errorf("%v of %d: %v, want %v", c.part, c.n, got, c.want)
		}
	}
}

// Three parts at once, in workspaces of their own over one store, score the settings that a
// search alone scores; after them it finds all of them, and ends where it would have alone.
func TestTuneInParts(t *testing.T) {
	world := func() *pipeline.Workspace {
		w := pipelinetest.World(t, tunable...)
		w.Profile.STS.Rows = slices.DeleteFunc(w.Profile.STS.Rows, func(r profile.Row) bool {
			return !r.Select || r.Kind() != "euclidean" && r.Kind() != "sif"
		})
		return w
	}
	alone := world()
	want, err := Tune(t.Context(), alone, time.Hour, Part{})
	if err != nil {
		t.Fatal(err)
	}
	shared := world()
	if shared.Store.Dir() == alone.Store.Dir() {
		t.Fatal("one store")
	}
	ended := make(chan error)
	for i := range 3 {
		go func() {
			s, err := store.Open(shared.Store.Dir())
			if err == nil {
				w := &pipeline.Workspace{Profile: shared.Profile, Store: s, Data: shared.Data, Engine: shared.Engine, Progress: shared.Progress}
				_, err = Tune(t.Context(), w, time.Hour, Part{i + 1, 3})
			}
			ended <- err
		}()
	}
	for range 3 {
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	got, err := Tune(t.Context(), shared, 0, Part{}) // no time to score anything
	if err != nil || len(got.Unfinished) > 0 {
		t.Fatal(got.Unfinished, err)
	}
	if !reflect.DeepEqual(got.Tried, want.Tried) || !slices.Equal(got.Rows, want.Rows) || len(want.Tried) < 20 {
		t.Errorf("tried %d and chosen %v, alone %d and %v", len(got.Tried), got.Rows, len(want.Tried), want.Rows)
	}
}
