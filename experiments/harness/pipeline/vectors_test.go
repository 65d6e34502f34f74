package pipeline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
)

// A row on a file of the profile's own vectors has the scores of the row on these, and needs the file.
func TestRowOnFileOfVectors(t *testing.T) {
	w := pipelinetest.World(t, small...)
	vectors, err := w.Vectors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range vectors.Len() {
		b.WriteString(vectors.Words[i])
		for _, x := range vectors.Row(i) {
			fmt.Fprintf(&b, " %v", x)
		}
		b.WriteByte('\n')
	}
	w.Data = t.TempDir()
	if err := os.WriteFile(filepath.Join(w.Data, "mine.txt"), []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	groups := w.Profile.STS.Groups
	set := groups[len(groups)-1].Sets[0]
	scores := func(row profile.Row) []float64 {
		t.Helper()
		s, _, err := w.Score(t.Context(), row, set)
		if err != nil {
			t.Fatal(err)
		}
		return s.Value
	}
	nbow, _ := method.ByID("nbow")
	row := profile.Row{Method: w.Profile.STS.Defaults.On(nbow)}.With("weights", profile.Uniform)
	row.ID = "nbow"
	own := scores(row)
	row = row.With("vectors", "mine.txt")
	if read := scores(row); !slices.Equal(read, own) {
		t.Errorf("scores %v on the file, %v on the vectors that it has", read, own)
	}
	w.Profile.STS.Rows = append(w.Profile.STS.Rows, row)
	if files := pipeline.VectorFiles(w.Profile); !slices.Contains(files, "mine.txt") {
		t.Errorf("files %q lack that of the row", files)
	}
}
