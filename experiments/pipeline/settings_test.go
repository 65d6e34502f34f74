package pipeline_test

import (
	"encoding/json"
	"testing"

	"contextmover/cmdlib/method"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
)

// Whatever setting of a method is another one, its scores have another key, unless the setting does not count.
func TestEverySettingIsInTheKey(t *testing.T) {
	p, err := profile.Load("mini", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &pipeline.Workspace{Profile: p, Engine: cpu.New()}
	key := func(m method.Method) string {
		row := profile.Row{Method: m}
		b, err := json.Marshal(w.ScoreParams(row))
		if err != nil {
			t.Fatal(err)
		}
		n := m.Needs()
		needs, err := json.Marshal([]any{n.Vectors, n.Bins, n.Marginals, n.Files}) // what the inputs are keys of
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + string(needs)
	}
	all := method.Settings{ // so that all others count
		"mix": .5, "weights": profile.Inverse, "remove_pc": true, "unit": true, "own": method.UnknownOwn, "beside": "glove",
		"rotator": .5,
	}
	for _, k := range method.Kinds() {
		for _, f := range method.Fields(k.New()) {
			m := all.On(k.New())
			if f.Name == "geometry" || f.Name == "compare" || f.Name == "tolerance" {
				m = method.Settings{"mix": 0.}.On(m)
			}
			var other any
			switch v, _ := method.Get(m, f.Name); x := v.(type) {
			case bool:
				other = !x
			case int:
				other = x + 1
			case float64:
				other = x + 1
			default:
				other = "another"
			}
			if f.Name == "compare" {
				other = "hellinger"
			}
			if f.Name == "geometry" {
				other = method.Discrete
			}
			if f.Name == "weights" {
				other = profile.SIFList
			}
			counts := f.Name != "tolerance" || m.Needs().Combined != nil // of barycenters
			if changed := key(method.Set(m, f.Name, other)) != key(m); changed != counts {
				t.Errorf("%s: another %s changes the key: %v", k.ID, f.Name, changed)
			}
		}
	}
}
