package costs

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/store"
)

// The setting of a family is the one that scores best on the validation group; differences are those of the scores, and a
// family's setting that changes nothing has none.
func TestFamilies(t *testing.T) {
	data := t.TempDir()
	var text strings.Builder
	animals, food := strings.Fields("dog cat horse cow sheep pig"), strings.Fields("bread cheese butter meat soup rice")
	for i, a := range animals {
		fmt.Fprintf(&text, "%d\tthe %s sleeps\tthe %s sleeps\n", 5-i%2, a, animals[(i+1)%6])
		fmt.Fprintf(&text, "%d\tthe %s sleeps\the eats %s\n", i%2, a, food[i])
	}
	var groups []profile.Group
	for _, g := range []profile.Group{{Name: "valid", Validation: true}, {Name: "test"}, {Name: "other", Unseen: true}} {
		file := g.Name + ".tsv"
		if err := os.WriteFile(filepath.Join(data, file), []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		g.Sets = []profile.Set{{Name: "set", File: file}}
		groups = append(groups, g)
	}
	p, err := profile.Load("costs", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.STS.Groups, p.Costs.Vectors = groups, []string{profile.BuiltIn}
	p.Costs.Families = []profile.CostFamily{
		{Name: "true", Methods: []string{"average"}},
		{Name: "discrete", Methods: []string{"average,compare=total variation"}},
		{Name: "thresholded", Methods: []string{"thresholded,quantile=0.001", "thresholded,quantile=1"}},
		{Name: "none", Methods: []string{"thresholded,quantile=1"}},
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &pipeline.Workspace{Profile: p, Store: s, Data: data, Engine: cpu.New()}
	r, err := Compute(context.Background(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Columns) != 2 || r.Columns[1] != "other" {
		t.Errorf("columns %q", r.Columns)
	}
	for _, f := range r.Spaces[0].Families {
		if f.Scores[0].Value != f.Validation.Value || f.Scores[1].Value != f.Validation.Value {
			t.Errorf("%s: %v, on the same pairs elsewhere %v", f.Name, f.Validation.Value, f.Scores)
		}
		if f.Scores[0].Value < 50 {
			t.Errorf("%s scores %v on pairs that are easy", f.Name, f.Scores[0].Value)
		}
	}
	own, none, low := r.Spaces[0].family("true"), r.Spaces[0].family("none"), r.Spaces[0].family("thresholded")
	if d := none.Scores[0].Minus(own.Scores[0]); math.Abs(d.Value) > 1e-9 || d.Low != 0 || d.High != 0 {
		t.Errorf("costs that are not lowered bring %+v", d)
	}
	if low.Validation.Value < none.Validation.Value {
		t.Errorf("%s chosen with %v, another of its family has %v", low.Chosen, low.Validation.Value, none.Validation.Value)
	}
	output, err := Run(context.Background(), w)
	if err != nil || len(output.Tables) != 1 || len(output.Figures) != 1 || len(output.Quantities) == 0 {
		t.Fatalf("%+v, %v", output, err)
	}
}
