package method

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every setting has a name, a line of help and a default that it can have; a name means the same everywhere.
func TestFields(t *testing.T) {
	types := map[string]reflect.Type{}
	for _, k := range Kinds() {
		if err := k.Method.Validate(); err != nil && k.ID != "encoder" {
			t.Errorf("%s with its defaults: %v", k.ID, err)
		}
		if again := KindOf(k.Method); again.ID != k.ID {
			t.Errorf("%s is of the kind %s", k.ID, again.ID)
		}
		if !reflect.TypeOf(k.Method).Comparable() {
			t.Errorf("%s is not comparable", k.ID)
		}
		for _, f := range Fields(k.Method) {
			if f.Help == "" {
				t.Errorf("%s: %s has no help", k.ID, f.Name)
			}
			if of := types[f.Name]; of != nil && of != f.Type {
				t.Errorf("%s: %s is %v and %v", k.ID, f.Name, f.Type, of)
			}
			types[f.Name] = f.Type
			if v := f.In(k.Method).Interface(); f.Check(v) != "" && k.ID != "encoder" {
				t.Errorf("%s: %s: %s", k.ID, f.Name, f.Check(v))
			}
		}
	}
	if n := len(AllFields()); n != len(types) {
		t.Errorf("%d settings, want %d", n, len(types))
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		m       Method
		name    string
		value   any
		problem string
	}{
		{Average{}, "smoothing", 1.5, "1.5, expected 0 to 1"},
		{Average{}, "shift", .5, "0.5, expected 1 or more"},
		{Average{}, "mix", 1., "1, expected 0 or more and below 1"},
		{Average{}, "reg", 0., "0, expected 1e-09 to 1e+09"},
		{Average{}, "clusters", 1, "1, expected 2 or more"},
		{Average{}, "metric", "cosine", `"cosine", expected one of "euclidean", "squared euclidean", "angular"`},
		{SIF{}, "a", 0., "0, expected a number above 0"},
		{SIF{}, "pc_batch", 1, "1, expected 0, or 2 or more"},
		{SIF{}, "vectors", "word2vec", `"word2vec", expected one of "svd", "glove", "sent2vec"`},
		{SIF{}, "vectors", "own.vec", ""},
		{SIF{}, "own", "unknown", "vectors assembled from the vectors of others, unchanged: expected unit = true"},
		{Average{}, "geometry", "discrete", ""},
	} {
		err := Set(KindOf(test.m).Method, test.name, test.value).Validate()
		e, _ := err.(*SettingError)
		if (err == nil) != (test.problem == "") || e != nil && (e.Problem != test.problem || e.Name != test.name) {
			t.Errorf("%T, %s = %v: %v, want %q", test.m, test.name, test.value, err, test.problem)
		}
	}
	mixed := Set(KindOf(Average{}).Method, "mix", .5)
	for _, name := range []string{"geometry", "compare"} {
		if err := Set(mixed, name, map[string]string{"geometry": Discrete, "compare": "hellinger"}[name]).Validate(); err == nil {
			t.Errorf("a mix with another %s: no error", name)
		}
	}
}

func TestParse(t *testing.T) {
	m, err := Parse("sif,a=1e-4,remove_pc=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	if s := m.(SIF); s.A != 1e-4 || !s.RemovePC || s.Weights != SIFCorpus || s.Components != 1 {
		t.Errorf("%+v", s)
	}
	if m, err := Parse("comb-mix,mix=0.6", nil); err != nil || m.(Barycenter).Mix != .6 {
		t.Errorf("%+v, %v", m, err)
	}
	if m, err := Parse("wmd, λ,reg=0.5", nil); err != nil || m.(regularisedWMD).Reg != .5 {
		t.Errorf("%+v, %v", m, err)
	}
	space := func(m Method) Method { return Settings{"reg": .2, "clusters": 60}.On(m) }
	if m, err := Parse("average,reg=0.3", space); err != nil || m.(Average).Reg != .3 || m.(Average).Clusters != 60 {
		t.Errorf("%+v, %v", m, err)
	}
	for text, want := range map[string]string{
		"sfi":            `no method "sfi", expected one of: nbow, sif`,
		"sif,reg=1":      `the method "sif" has no setting "reg", expected one of: vectors, weights, a`,
		"sif,a":          `setting a: "", expected a number`,
		"sif,a=0":        "setting a: 0, expected a number above 0",
		"sif,unit=maybe": "expected true or false",
	} {
		if _, err := Parse(text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for _, name := range Names() {
		if _, err := Parse(name, nil); err != nil && name != "encoder" {
			t.Error(err)
		}
	}
}

func TestGrid(t *testing.T) {
	grid := Grid{"smoothing": {.15, .55}, "shift": {1., 5.}, "metric": {"angular", "euclidean"}}
	all := grid.Vary(KindOf(Average{}).Method)
	if len(all) != 8 {
		t.Fatalf("%d methods, want 8", len(all))
	}
	for i, m := range all {
		a := m.(Average)
		smoothing, shift := []float64{.15, .55}[i/4], []float64{1, 5}[i/2%2]
		if a.Spherical != (a.Metric == "angular") || a.Smoothing != smoothing || a.Shift != shift {
			t.Errorf("%d: %+v", i, a)
		}
	}
	// What does not count is not varied.
	grid = Grid{
		"a": {1e-3, 1e-4}, "mix": {.4, .6}, "point_a": {1e-3, 1e-4},
		"normalisation": {"none", "total"}, "beta": {0., 1.},
	}
	average := KindOf(Average{}).Method
	for _, test := range []struct {
		set  Settings
		want int
	}{
		{nil, 3}, {Settings{"mix": .5}, 3 * 2 * 2}, {Settings{"mix": .5, "weights": Inverse}, 3 * 2 * 2 * 2},
		{Settings{"point_weights": Uniform, "mix": .5}, 3 * 2},
	} {
		if got := grid.Vary(test.set.On(average)); len(got) != test.want {
			t.Errorf("%v: %d, want %d", test.set, len(got), test.want)
		}
	}
	if got := grid.Vary(KindOf(NBoW{}).Method); len(got) != 1 {
		t.Errorf("NBoW: %+v", got)
	}
	if c := grid.Coordinates(average); len(c) != 5 || len(c[0]["normalisation"]) != 2 {
		t.Errorf("%v", c)
	}
}

func TestGroups(t *testing.T) {
	m := KindOf(Debiased{}).Method
	transport, ok := GroupOf[Transport](m)
	if !ok || transport.Reg != .1 {
		t.Errorf("%+v, %v", transport, ok)
	}
	transport.Reg = .5
	if changed, _ := GroupOf[Transport](With(m, transport)); changed.Reg != .5 || m.(Debiased).Reg != .1 {
		t.Errorf("%+v", changed)
	}
	if _, ok := GroupOf[Histograms](NBoW{}); ok {
		t.Error("NBoW has histograms")
	}
	if !slices.Contains(options["kinds"], m.(Debiased).Vectors) {
		t.Errorf("%+v", m)
	}
}
