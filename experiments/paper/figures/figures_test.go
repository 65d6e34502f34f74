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

	"contextmover/cmdlib"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/show/density"
	"contextmover/experiments/show/figure"
)

func figureWorld(t *testing.T, overrides ...string) OfProfile {
	return OfProfile{pipelinetest.World(t, append([]string{"sts.rows.comb.method=comb,clusters=20,shift=1", "figures.iterations=300", "hypernymy.vectors.dim=20", "hypernymy.vectors.samples=20_000"}, overrides...)...)}
}

// figuresOf are the settings with a figure of each kind, of words that the world has.
func (w OfProfile) figuresOf(t *testing.T) profile.Figures {
	t.Helper()
	f := w.Profile.Figures
	f.Densities = []profile.DensityFigure{{ID: "both", Words: []string{"music", "sport"}}}
	f.Combinations = []profile.DensityFigure{{ID: "three", Words: []string{"my", "love", "life"}}}
	f.Plans = []profile.PlanFigure{{ID: "plan", From: "dog", To: "animal", Contexts: 4, Top: 20}}
	f.Flows = []profile.FlowFigure{{ID: "flow", From: "dog", To: "animal", Contexts: 5}}
	return f
}

// The levels of each layer hold their share of its mass, labels lie on points of the
// map, and the same figure comes from the store the second time.
func TestDensityFigure(t *testing.T) {
	w := figureWorld(t)
	w.Profile.Figures = w.figuresOf(t)
	all, err := w.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := all[0]
	d := f.Panels[0].Density
	if len(d.Layers) != 2 || len(d.Points) != 2*20 || len(d.Labels) == 0 {
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
		if slices.Contains(names, l.Text) {
			t.Errorf("two labels %q", l.Text)
		}
		names = append(names, l.Text)
	}
	again, err := w.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		if !bytes.Equal(svg(t, all[i]), svg(t, again[i])) || all[i].Provenance.Profile != "mini" || len(all[i].Provenance.Artefacts) != 3 {
			t.Errorf("figure %s from the store looks different, or comes from %+v", all[i].ID, all[i].Provenance)
		}
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
	w.Profile.Figures = w.figuresOf(t)
	all, err := w.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f = all[3]
	flow := f.Panels[0].Flow
	if len(flow.Rows) != 6 || !slices.Equal(flow.Rows, flow.Cols) || math.Abs(sum(flow.Mass)-1) > wholeMass(20) {
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
	space, _, err := w.OpenSpaceOf(t.Context(), w.figureRow())
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	of := &OfSpace{Space: space, Settings: w.Profile.Figures, Engine: w.Engine}
	only := make([]float32, space.Cost.K)
	only[7] = 1
	d, err := of.panel(t.Context(), []shown{{"one", only}})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Labels) != 1 || d.Labels[0].X != d.Points[14] {
		t.Errorf("labels %v", d.Labels)
	}
	svg(t, &figure.Figure{ID: "one", Width: 100, Height: 100, Columns: 1, Panels: []figure.Panel{{Density: d}}})

	a := &sppmi.Matrix{Start: []int64{0, 1}, Index: []int32{3}, Value: []float32{2}}
	drawn := drawContexts(a, 0, 4, 20, rand.New(rand.NewPCG(1, 1)))
	if len(drawn) != 1 || drawn[0].weight != 1 || drawn[0].id != 3 {
		t.Errorf("drawn %v of one context", drawn)
	}
}

func TestUnknownWord(t *testing.T) {
	w := figureWorld(t)
	var unknown *cmdlib.UnknownError
	if _, err := w.Plan(t.Context(), "x", "musik", "music", 4, 20); !errors.As(err, &unknown) || !strings.Contains(err.Error(), "musik") {
		t.Errorf("error %v", err)
	}
	w.Profile.Figures = profile.Figures{Densities: []profile.DensityFigure{{ID: "x", Words: []string{"music"}}}}
	if _, err := w.All(t.Context()); err == nil || !strings.Contains(err.Error(), "no section [figures]") {
		t.Errorf("error %v", err)
	}
}

// More clusters than words are an error that says so.
func TestTooManyClusters(t *testing.T) {
	w := figureWorld(t, "sts.rows.comb.method=comb,clusters=100000")
	if _, err := w.All(t.Context()); err == nil || !strings.Contains(err.Error(), "100000") {
		t.Errorf("error %v", err)
	}
}
