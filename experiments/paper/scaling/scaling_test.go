package scaling

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"contextmover/experiments/harness/miniworld"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/show/figure"
)

// world is a workspace on the text of a mini world, cut into files.
func world(t *testing.T, files int) *pipeline.Workspace {
	t.Helper()
	dir := t.TempDir()
	made := miniworld.Generate(1, 60_000)
	if err := made.Write(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "corpus.txt"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	var names []string
	for f := range files {
		name := fmt.Sprintf("part-%d.txt", f)
		part := lines[f*len(lines)/files : (f+1)*len(lines)/files]
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(part, "")), 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, `"`+name+`"`)
	}
	w := pipelinetest.World(t, `corpus.kind="files"`, "corpus.files=["+strings.Join(names, ", ")+"]", "corpus.min_count=2")
	w.Data = dir
	return w
}

// Scores are those of a run on the part of the text alone, and on the whole text those of the profile.
func TestCompute(t *testing.T) {
	w := world(t, 4)
	w.Profile.Scaling.Parts, w.Profile.Scaling.Rows = []int{1, 2, 4}, []string{"nbow"}
	s, err := Compute(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tokens) != 3 || s.Tokens[0] >= s.Tokens[1] || s.Tokens[1] >= s.Tokens[2] {
		t.Fatalf("tokens %d", s.Tokens)
	}
	for r, row := range s.Rows {
		for i, of := range []*pipeline.Workspace{w.WithParts(1), w.WithParts(2), w} {
			want, groups := 0.0, 0.0
			for _, g := range w.Profile.STS.Groups {
				if g.Validation {
					continue
				}
				for _, set := range g.Sets {
					_, m, err := of.Scores(t.Context(), row, set)
					if err != nil {
						t.Fatal(err)
					}
					want += m.Value / float64(len(g.Sets))
				}
				groups++
			}
			if got := s.Scores[r][i]; math.Abs(got.Value-want/groups) > 1e-9 || !(got.Low < got.Value && got.Value < got.High) {
				t.Errorf("%s with %d tokens: %+v, want %g", row.ID, s.Tokens[i], got.Value, want/groups)
			}
		}
	}
	f := s.Figure(w)
	if err := figure.SVG(io.Discard, f); err != nil {
		t.Error(err)
	}
	if q := s.quantities(); len(q) != 1 || len(q[0].Draws) != pipeline.ClaimDraws {
		t.Errorf("%d quantities", len(q))
	}
	rows := 0
	for _, b := range s.Table(w.Profile).Blocks {
		rows += len(b.Rows)
	}
	if rows != 1 {
		t.Errorf("%d rows in the table", rows)
	}
}

// Scores on a line grow by its slope, whatever its place; one that leaves it at the end misses by so much.
func TestGrow(t *testing.T) {
	tokens := []int64{10e6, 20e6, 40e6, 80e6}
	var scores []score.Estimate
	for i := range tokens {
		at := 50 + 2.5*float64(i)
		scores = append(scores, score.NewEstimate(at, []float64{at - 1, at + 1}, nil))
	}
	g := grow(tokens, scores)
	near := func(name string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %g, want %g", name, got, want)
		}
	}
	near("doubling", g.Doubling.Value, 2.5)
	near("last step", g.LastStep.Value, 2.5)
	near("residual", g.Residual, 0)
	near("missed", g.Missed, 0)
	near("at the paper's", g.AtPaper.Value, 50+2.5*math.Log2(90))
	near("slope of a draw", g.Doubling.Draws[1], 2.5) // the draw moves all scores alike
	scores[3].Value -= 4
	near("missed", grow(tokens, scores).Missed, -4)
}

func TestMillions(t *testing.T) {
	for n, want := range map[int64]string{900_000_000: "900", 8_540_000: "8.5", 120_000: "0.12", 17_300_000: "17", 999_999: "1.00"} {
		if got := millions(n); got != want {
			t.Errorf("millions(%d) = %s, want %s", n, got, want)
		}
	}
}
