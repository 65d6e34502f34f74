package lineage

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/store"
	"contextmover/internal/disk"
)

// made is a store in which a table was made of two rows: of a text in an artefact, a set in a file, and vectors in
// memory.
func made(t *testing.T) []results.Artefact {
	t.Helper()
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	world := store.Node[string]{Name: "world", Version: 1, Fill: func(_ context.Context, dir string) error {
		return disk.WriteFile(filepath.Join(dir, "text.txt"), []byte("words"))
	}}
	parts := func(v *int) []store.Part { return []store.Part{store.JSON("v.json", v)} }
	counts := store.Node[int]{Name: "counts", Version: 1, Inputs: []store.Input{store.FileOf{Artefact: world, Name: "text.txt"}}, Parts: parts,
		Make: func(ctx context.Context) (int, error) { _, err := store.Get(ctx, s, world); return 1, err }}
	vectors := store.Node[int]{Name: "vectors", Version: 1, Inputs: []store.Input{counts},
		Make: func(ctx context.Context) (int, error) { return store.Get(ctx, s, counts) }}
	ctx, reads := store.Reading(t.Context())
	for i, row := range []string{"a", "b"} {
		node := store.Node[int]{Name: "scores", Version: 1, Params: i, Inputs: []store.Input{store.Key("set"), vectors, world}, Parts: parts,
			Subject: "row " + row, Make: func(ctx context.Context) (int, error) { return store.Get(ctx, s, vectors) }}
		if _, err := store.Get(ctx, s, node); err != nil {
			t.Fatal(err)
		}
	}
	all, err := Trace(s, reads.Subjects(), map[store.Key]string{"set": "sets/one.tsv"})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What was made in memory, and files of artefacts, leave no trace but what they were made from; files of data are
// named.
func TestTrace(t *testing.T) {
	all := made(t)
	var got []string
	for _, a := range all {
		var from []string
		for _, f := range a.From {
			from = append(from, all[f].Stage)
		}
		slices.Sort(from)
		used := map[bool]string{true: " used"}[a.Used]
		got = append(got, a.Stage+" of "+strings.Join(a.Subjects, ",")+used+" from "+strings.Join(from, ","))
	}
	slices.Sort(got)
	want := []string{
		"counts of  from world", "file of sets/one.tsv from ",
		"scores of row a used from counts,file,world", "scores of row b used from counts,file,world", "world of  from ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, expected %q", got, want)
	}
	one := Below(all, func(a results.Artefact) bool { return slices.Contains(a.Subjects, "row a") })
	one = slices.DeleteFunc(one, func(a results.Artefact) bool { return a.Stage == "" })
	if len(one) != 4 {
		t.Errorf("%d artefacts behind one row, expected 4", len(one))
	}
}

// Stages come after what they are made from.
func TestStages(t *testing.T) {
	stages := Stages(made(t))
	index := map[string]int{}
	for i, s := range stages {
		index[s.Name+s.Subject] = i
		for _, from := range s.From {
			if from >= i {
				t.Errorf("%s comes before %s", s.Name, stages[from].Name)
			}
		}
	}
	scores := stages[index["scores"]]
	if scores.Number != 2 || len(scores.From) != 3 {
		t.Errorf("%+v", scores)
	}
}
