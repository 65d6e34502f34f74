package figures

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/show/density"
	"contextmover/experiments/show/figure"
)

func figureWorld(t *testing.T, overrides ...string) OfProfile {
	return OfProfile{pipelinetest.World(t, append([]string{"sts.rows.comb.clusters=20", "sts.rows.comb.shift=1", "figures.iterations=300", "hypernymy.vectors.dim=20", "hypernymy.vectors.samples=20_000"}, overrides...)...)}
}

// The levels of each layer hold their share of its mass, labels lie on points of the
// map, and the same figure comes from the store the second time.
func TestDensityFigure(t *testing.T) {
	w := figureWorld(t)
	f, err := w.Density(t.Context(), "both", []string{"music", "sport"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d := f.Panels[0].Density
	if len(d.Layers) != 2 || len(d.Points) != 2*20 || len(d.Labels) == 0 || d.Layers[0].Colour == d.Layers[1].Colour {
		t.Fatalf("%d layers, %d coordinates, %d labels", len(d.Layers), len(d.Points), len(d.Labels))
	}
	for _, l := range d.Layers {
		g := density.Grid{NX: d.NX, NY: d.NY, Z: make([]float64, len(l.Z))}
		var total float64
		for i, z := range l.Z {
			g.Z[i] = float64(z)
			total += float64(z)
		}
		// The grid ends two bandwidths beyond the points, so along each axis at least
		// erf(√2) of a point's kernel lies on it. The sum over the nodes counts those at the
		// edges whole, which adds up to φ(2)·r for a step of r bandwidths, and is within
		// φ(2)·r²/3 of the integral otherwise (Euler and Maclaurin; φ is the normal density).
		left := math.Inf(1)
		for i := 0; i < len(d.Points); i += 2 {
			left = min(left, d.Points[i])
		}
		r := d.Step / ((left - d.X) / 2)
		e := math.Exp(-2) / math.Sqrt(2*math.Pi) * (r + r*r/3)
		if mass := total * d.Step * d.Step; mass < math.Pow(math.Erf(math.Sqrt2)-e, 2) || mass > math.Pow(1+e, 2) {
			t.Errorf("the density of %s on the grid integrates to %g", l.Name, mass)
		}
		for i, m := range l.Masses {
			// A layer's values are float32, its levels are those of float64.
			const rounding = 0x1p-23
			var inside, above float64
			for _, z := range g.Z {
				if z >= l.Levels[i]*(1-rounding) {
					inside += z
				}
				if z > l.Levels[i]*(1+rounding) {
					above += z
				}
			}
			if inside < m*total*(1-rounding) || above > m*total*(1+rounding) {
				t.Errorf("%s: the region of %g holds %g, and %g without its edge", l.Name, m, inside/total, above/total)
			}
		}
	}
	var names []string
	for _, l := range d.Labels {
		at := slices.IndexFunc(d.Points, func(x float64) bool { return x == l.X })
		if at < 0 || at%2 != 0 || d.Points[at+1] != l.Y {
			t.Errorf("label %s lies on no point", l.Text)
		}
		if l.Text == "music" || l.Text == "sport" || slices.Contains(names, l.Text) {
			t.Errorf("label %q tells nothing new", l.Text)
		}
		names = append(names, l.Text)
	}
	again, err := w.Density(t.Context(), "both", []string{"music", "sport"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(svg(t, f), svg(t, again)) {
		t.Error("the figure from the store looks different")
	}
}

func svg(t *testing.T, f *figure.Figure) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := figure.SVG(&b, f); err != nil {
		t.Fatal(err)
	}
	if err := figure.PDF(io.Discard, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Plans carry the whole mass, and their margins are the contexts' weights.
func TestPlanFigures(t *testing.T) {
	w := figureWorld(t)
	f, err := w.Plan(t.Context(), "plan", "dog", "animal", 4, 20)
	if err != nil {
		t.Fatal(err)
	}
	p := f.Panels[0].Plan
	if len(p.Rows) != 4 || len(p.Cols) != 4 || math.Abs(sum(p.Mass)-1) > wholeMass(4) {
		t.Errorf("a plan of %d × %d with the mass %g", len(p.Rows), len(p.Cols), sum(p.Mass))
	}
	svg(t, f)
	f, err = w.Flow(t.Context(), "flow", "dog", "animal", 5)
	if err != nil {
		t.Fatal(err)
	}
	flow := f.Panels[0].Flow
	if len(flow.Rows) != 6 || len(flow.Cols) != 6 || math.Abs(sum(flow.Mass)-1) > wholeMass(20) {
		t.Errorf("a flow of %d × %d with the mass %g", len(flow.Rows), len(flow.Cols), sum(flow.Mass))
	}
	svg(t, f)
}

// wholeMass is how far from 1 the mass of a plan between k contexts may be. Histograms sum to 1
// within 2⁻²⁰, or are made to; the rows of a plan are its first margin, each a product of three
// float32 numbers summed over k.
func wholeMass(k int) float64 { return 0x1p-20 + float64(k+3)*0x1p-23 }

func sum(mass [][]float64) (total float64) {
	for _, row := range mass {
		for _, v := range row {
			total += v
		}
	}
	return total
}

// A word with a single context has a density with one mode and a plan of one row.
func TestWordWithSingleContext(t *testing.T) {
	w := figureWorld(t)
	c, err := w.contexts(t.Context(), []string{"dog"})
	if err != nil {
		t.Fatal(err)
	}
	// "dog" with the context 7 only.
	only := make([]float32, c.k)
	only[7] = 1
	d, err := c.panel(t.Context(), []mapLayer{{shown{"one", only, c.ids}, "#2567b5"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Labels) != 1 || d.Labels[0].X != d.Points[14] {
		t.Errorf("labels %v", d.Labels)
	}
	f := &figure.Figure{ID: "one", Width: 100, Height: 100, Columns: 1, Panels: []figure.Panel{{Density: d}}}
	svg(t, f)
	a := *c.associations
	lo, hi := a.Start[c.ids[0]], a.Start[c.ids[0]+1]
	c.associations = &a
	a.Start = slices.Clone(a.Start)
	a.Start[c.ids[0]+1] = lo + 1
	drawn := c.draw(c.ids[0], 4, 20, rand.New(rand.NewPCG(1, 1)))
	if hi-lo < 2 || len(drawn) != 1 || drawn[0].weight != 1 {
		t.Errorf("drawn %v of one context", drawn)
	}
	f = &figure.Figure{ID: "one", Width: 100, Height: 100, Columns: 1, Panels: []figure.Panel{{Plan: &figure.Plan{
		From: "a", To: "b", Rows: []string{"x"}, Cols: []string{"y"}, Mass: [][]float64{{1}},
	}}}}
	svg(t, f)
}

func TestUnknownWord(t *testing.T) {
	w := figureWorld(t)
	_, err := w.Density(t.Context(), "x", []string{"musik"}, nil)
	var unknown *UnknownWordError
	if !errors.As(err, &unknown) || unknown.Word != "musik" || !slices.Contains(unknown.Similar, "music") || !strings.Contains(err.Error(), `"musik" is not in the vocabulary of profile mini`) {
		t.Errorf("error %v", err)
	}
	// The same suggestions as a space makes: a swap is one mistake.
	if _, err := w.Density(t.Context(), "x", []string{"muisc"}, nil); !errors.As(err, &unknown) || !slices.Contains(unknown.Similar, "music") {
		t.Errorf("error %v", err)
	}
	w = figureWorld(t)
	w.Profile.Figures = profile.Figures{}
	if _, err := w.Density(t.Context(), "x", []string{"music"}, nil); err == nil || !strings.Contains(err.Error(), "no section [figures]") {
		t.Errorf("error %v", err)
	}
}

// More clusters than words are an error that says so.
func TestTooManyClusters(t *testing.T) {
	w := figureWorld(t, "sts.rows.comb.clusters=100000")
	if _, err := w.Density(t.Context(), "x", []string{"music"}, nil); err == nil || !strings.Contains(err.Error(), "100000") {
		t.Errorf("error %v", err)
	}
}
