package methods

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/score"
)

// The record is of the built-in space as it is, and has all that is measured: repro methods --measure --json makes it.
func TestRecorded(t *testing.T) {
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	if r.Space != s.Identity() {
		t.Errorf("the record is of the space %s, the built-in one is %s", r.Space, s.Identity())
	}
	for _, name := range Names() {
		m := r.Of(name)
		if m == nil || len(m.Scores) != len(r.Sets) || !(m.TextsPerSecond > 0) {
			t.Errorf("%s: %+v", name, m)
			continue
		}
		for i, x := range m.Scores {
			if !(x.Low <= x.Value && x.Value <= x.High) {
				t.Errorf("%s on %s: %+v", name, r.Sets[i].Name, x)
			}
		}
	}
	if !slices.ContainsFunc(r.Sets, func(s Set) bool { return s.Validation }) || len(r.Table().Blocks[0].Rows) != len(r.Methods) {
		t.Errorf("sets %+v", r.Sets)
	}
}

// What is measured is the correlation of the space's scores, the mean over years of means over files.
func TestMeasure(t *testing.T) {
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var files []string
	var values []float64
	m, err := s.Method("sif")
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{
		"5\tthe king\tthe queen\n3\ta dog\ta cat\n0\tmusic\tthe sea\n", "1\ta house\ta ship\n4\ta car\ta truck\n2\ta tree\tthe forest\n",
		"2\tred wine\twhite bread\n5\tgood food\tfood\n1\tlove\tiron\n",
	} {
		path := filepath.Join(t.TempDir(), "pairs.tsv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
		pairs, gold, err := read(path)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := s.Score(t.Context(), pairs, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		x, err := score.Pearson(scores.Value, gold)
		if err != nil {
			t.Fatal(i, err)
		}
		values = append(values, 100*x)
	}
	sets := []Set{{Name: "both", Years: [][]string{files[:2], files[2:]}}}
	r, err := Measure(t.Context(), s, "", sets, []string{"sif", "sent2vec"}) // a space has no n-grams
	if err != nil {
		t.Fatal(err)
	}
	want := (values[0]+values[1])/4 + values[2]/2
	if len(r.Methods) != 1 || r.Sets[0].Pairs != 9 || math.Abs(r.Methods[0].Scores[0].Value-want) > 1e-9 {
		t.Errorf("%+v, want %v", r, want)
	}
	if _, err := Measure(t.Context(), s, t.TempDir(), []Set{{Years: [][]string{{"none.tsv"}}}}, cmdlib.Askable()); err == nil {
		t.Error("measured without data")
	}
}
