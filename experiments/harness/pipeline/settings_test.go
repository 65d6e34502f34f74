package pipeline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
)

// bases are settings by which others count, or do not.
var bases = []method.Settings{
	{},
	{"normalisation": "none"},
	{"weights": method.Inverse, "remove_pc": true, "mix": .5, "rotator": .5},
	{"weights": method.SIFCorpus, "mix": .5, "point_weights": method.Uniform, "rotator": .5},
	{"unit": true, "own": method.UnknownOwn},
	{"unit": true, "beside": method.SVD, "weights": method.Inverse, "rotator": .5},
	{"compare": "total variation", "remove_pc": true},
	{"compare": method.MaximumMeanDiscrepancy, "geometry": method.Shuffled},
	{"compare": method.SlicedWasserstein, "accelerate": true},
	{"geometry": method.Discrete, "accelerate": true},
}

// quick are settings with which methods take little time.
var quick = method.Settings{"clusters": 8, "iterations": 20, "documents": 20, "file": "scores"}

// methods returns a method of each kind with each of the bases that it can have.
func methods() (all []method.Method) {
	for _, k := range method.Kinds() {
		for _, base := range bases {
			m := base.On(quick.On(k.Method))
			if m.Validate() == nil && !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}

// others returns the method with other values of a setting that it can have.
func others(m method.Method, f method.Field) (all []method.Method) {
	value := f.In(m).Interface()
	var values []any
	switch x := value.(type) {
	case bool:
		values = []any{!x}
	case int:
		values = []any{x + 2}
	case float64:
		values = []any{x + 1, x / 2, x + .25}
	default:
		for _, option := range f.OneOf {
			values = append(values, option)
		}
		if f.OneOf == nil {
			values = []any{"another"}
		}
	}
	for _, v := range values {
		if fmt.Sprint(v) == fmt.Sprint(value) || f.Check(v) != "" {
			continue
		}
		if other := method.Set(m, f.Name, v); other.Validate() == nil {
			all = append(all, other)
		}
	}
	return all
}

// Whatever setting of a method is another one, its scores have another key, unless the setting does not count. What is
// kept on the way to scores has no key of its own unless the scores have.
func TestEverySettingThatCountsIsInTheKey(t *testing.T) {
	p, err := profile.Load("mini", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &pipeline.Workspace{Profile: p, Engine: cpu.New()}
	key := func(m method.Method) string {
		if m == nil {
			return ""
		}
		n := m.Needs()
		b, err := json.Marshal([]any{w.MethodParams(m), n.Vectors, n.Bins, n.Marginals, n.Files}) // with inputs
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, m := range methods() {
		counting := method.Counting(m)
		for _, f := range method.Fields(m) {
			_, counts := counting[f.Name]
			for _, other := range others(m, f) {
				changed := key(other) != key(m)
				if changed != counts {
					t.Errorf("%+v: another %s changes the key: %v", m, f.Name, changed)
				}
				if key(other.Needs().Combined) != key(m.Needs().Combined) && !changed {
					t.Errorf("%+v: another %s changes combined histograms alone", m, f.Name)
				}
			}
		}
	}
}

// A setting that does not count changes no score.
func TestWhatDoesNotCountChangesNoScore(t *testing.T) {
	w, ctx := pipelinetest.World(t, "corpus.tokens=20_000"), context.Background()
	var set profile.Set
	for _, g := range w.Profile.STS.Groups {
		if g.Test() {
			set = g.Sets[0]
		}
	}
	scores := func(m method.Method) []float64 {
		t.Helper()
		scorer, _, err := w.Scorer(ctx, profile.Row{Method: m}, set, false)
		if err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		s, err := scorer(ctx)
		if err != nil {
			t.Fatalf("%+v: %v", m, err)
		}
		return s.Value
	}
	checked := 0
	for _, m := range methods() {
		if n := m.Needs(); n.NGrams || len(n.Files) > 0 {
			continue // takes a training or a file of its own
		}
		counting := method.Counting(m)
		var want []float64
		for _, f := range method.Fields(m) {
			if _, counts := counting[f.Name]; counts {
				continue
			}
			for _, other := range others(m, f)[:min(1, len(others(m, f)))] {
				if want == nil {
					want = scores(m)
				}
				if got := scores(other); !slices.Equal(got, want) {
					t.Errorf("%+v: another %s counts", m, f.Name)
				}
				checked++
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d settings do not count", checked)
	}
}
