package clusters

import (
	"io"
	"math"
	"strings"
	"testing"

	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/show/figure"
)

func TestPlateau(t *testing.T) {
	for _, c := range []struct {
		curve       []float64
		start, best int
	}{
		{[]float64{40, 45, 48, 48.4, 48.2}, 2, 3}, // rises, then stays
		{[]float64{40, 45, 48, 46, 48.2}, -1, 4},  // leaves, and only comes back at the end
		{[]float64{40, 48, 46, 48.2, 48}, 3, 3},   // leaves, and comes back
		{[]float64{40, 48, 45}, -1, 1},            // falls
		{[]float64{40, 45, 50}, -1, 2},            // rises to the end
		{[]float64{48, 48.2, 48.1}, 0, 1},         // flat
	} {
		if start, best := plateau(c.curve, 0.5); start != c.start || best != c.best {
			t.Errorf("plateau of %v from %d, best %d, want %d and %d", c.curve, start, best, c.start, c.best)
		}
	}
}

// The mean is that of the variants, draw by draw, and the figure shows what the table says.
func TestClusters(t *testing.T) {
	w := pipelinetest.World(t, "clusters.k=[20, 10]", "clusters.variants.B.shift=1", "clusters.variants.A.shift=1")
	s, err := Compute(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.K) != 2 || s.K[0] != 10 || len(s.Measures) != 3 {
		t.Fatalf("K = %v, %d variants", s.K, len(s.Measures))
	}
	for k := range s.K {
		var mean, draw float64
		for v := range s.Variants {
			mean += s.Measures[v][k].Value / 3
			draw += s.Measures[v][k].Draws[5] / 3
		}
		if m := s.Mean[k]; math.Abs(m.Value-mean) > 1e-9 || math.Abs(m.Draws[5]-draw) > 1e-9 || m.Low > m.Value || m.High < m.Value {
			t.Errorf("K = %d: mean %+v, want %g", s.K[k], m.Value, mean)
		}
	}
	f, err := s.Figure(w)
	if err != nil {
		t.Fatal(err)
	}
	if err := figure.SVG(io.Discard, f); err != nil {
		t.Error(err)
	}
	curves := f.Panels[0].Curves.Curves
	table := s.Table(w.Profile)
	for i, row := range table.Blocks[0].Rows {
		for k, cell := range row.Cells {
			if *cell.Value != curves[i].Y[k] {
				t.Errorf("row %s shows %g, the figure %g", row.Key, *cell.Value, curves[i].Y[k])
			}
		}
	}
	if q := s.quantities(); len(q) != 8 || len(q[0].Draws) != pipeline.ClaimDraws {
		t.Errorf("%d quantities", len(q))
	}
}

// More clusters than words are an error that says so.
func TestTooMany(t *testing.T) {
	w := pipelinetest.World(t, "clusters.k=[10, 100000]")
	if _, err := Compute(t.Context(), w); err == nil || !strings.Contains(err.Error(), "clusters.k[1]: 100000, expected at most") {
		t.Errorf("error %v", err)
	}
}
