package experiments_test

import (
	"slices"
	"testing"

	"contextmover/experiments"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/judge/verdict"
)

// What experiments have made is what they declare: nothing else, and in one profile or another all of it.
func TestIDs(t *testing.T) {
	declared, made := map[string]bool{}, map[string]bool{}
	for _, name := range []string{"open", "alignment", "best", "documents", "encoders", "patterns", "systems"} {
		p, err := profile.Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		recorded, err := verdict.RecordedResults(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range experiments.Experiments() {
			ids := e.IDs(p)
			at := slices.IndexFunc(recorded, func(r *results.Result) bool { return r.Experiment == e.Name })
			if at < 0 {
				continue
			}
			for _, id := range ids {
				declared[e.Name+" "+id] = true
			}
			check := func(id string) {
				made[e.Name+" "+id] = true
				if !slices.Contains(ids, id) {
					t.Errorf("%s of profile %s makes %s, which it does not declare", e.Name, name, id)
				}
			}
			for _, table := range recorded[at].Tables {
				check(table.ID)
			}
			for _, f := range recorded[at].Figures {
				check(f.ID)
			}
		}
	}
	for id := range declared {
		if !made[id] {
			t.Errorf("no recorded run makes %s", id)
		}
	}
}
