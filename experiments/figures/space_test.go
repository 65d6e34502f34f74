package figures

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib"
)

// Figures of a space show the same histograms as those of the profile that it was made of: here both
// have the same settings. Only the words that name contexts may differ.
func TestSpaceFigures(t *testing.T) {
	w := figureWorld(t)
	space, _, err := w.OpenSpaceOf(t.Context(), w.figureRow())
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	f := &OfSpace{Space: space, Settings: w.Profile.Figures, Engine: w.Engine, Name: "mine"}
	words := []string{"music", "Sport"}

	got, err := f.Density(t.Context(), "both", words, nil)
	if err != nil {
		t.Fatal(err)
	}
	want, err := w.Density(t.Context(), "both", []string{"music", "sport"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Provenance.Space != "mine" || got.Caption != want.Caption {
		t.Errorf("%+v: %s", got.Provenance, got.Caption)
	}
	a, b := got.Panels[0].Density, want.Panels[0].Density
	if !slices.Equal(a.Points, b.Points) { // the profile has the seed of spaces
		t.Error("the maps differ")
	}
	if len(a.Labels) != len(b.Labels) || len(a.Layers) != 2 || a.Layers[1].Name != "sport" {
		t.Errorf("%d labels, want %d; layers %d", len(a.Labels), len(b.Labels), len(a.Layers))
	}
	for _, l := range a.Labels {
		if l.Text == "music" || l.Text == "sport" {
			t.Errorf("label %q tells nothing new", l.Text)
		}
	}
	again, err := f.Density(t.Context(), "both", words, nil)
	if err != nil || !bytes.Equal(svg(t, got), svg(t, again)) {
		t.Errorf("the second figure differs, error %v", err)
	}

	c, err := f.Combination(t.Context(), "three", []string{"my", "love", "life"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Panels) != 4 || len(c.Panels[0].Density.Layers) != 3 || len(c.Panels[3].Density.Layers) != 1 {
		t.Errorf("%d panels", len(c.Panels))
	}
	svg(t, c)

	// A flow is the plan behind the distance, of words and of texts.
	for _, texts := range [][2]string{{"dog", "animal"}, {"the dog sleeps", "music of an animal"}} {
		flow, err := f.Flow(t.Context(), "flow", texts[0], texts[1], 5)
		if err != nil {
			t.Fatal(err)
		}
		e, err := space.Explain(t.Context(), texts[0], texts[1], 5)
		if err != nil {
			t.Fatal(err)
		}
		p := flow.Panels[0].Flow
		cost := 0.0
		for i, row := range p.Mass {
			sum := 0.0
			for j, mass := range row {
				sum += mass
				cost += mass * p.Cost[i][j]
			}
			if i < 5 && math.Abs(sum-e.From.Contexts[i].Mass) > 1e-6 {
				t.Errorf("%q: mass %g of context %d, want %g", texts, sum, i, e.From.Contexts[i].Mass)
			}
		}
		if math.Abs(cost-e.Cost) > 1e-6 {
			t.Errorf("%q: the flows cost %g, want the distance %g", texts, cost, e.Cost)
		}
		svg(t, flow)
	}
	text, err := f.Density(t.Context(), "text", []string{"the dog sleeps", "music"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if l := text.Panels[0].Density.Layers; len(l) != 2 || l[0].Name != "the dog sleeps" || l[1].Name != "music" {
		t.Errorf("layers %+v", l)
	}

	pair, err := f.Sentences(t.Context(), "pair", "The dog zyzzyva sleeps", "music of an animal")
	if err != nil {
		t.Fatal(err)
	}
	s := pair.Panels[0].Sentences
	if len(s.From) != 4 || s.From[2].Known || s.From[2].Text != "zyzzyva" || len(s.Bands) == 0 {
		t.Errorf("words %v, %d bands", s.From, len(s.Bands))
	}
	if !strings.Contains(pair.Caption, "no estimate") || !strings.HasSuffix(text.Caption, "Left out, as they have no estimate: sleeps.") {
		t.Errorf("captions %s\n%s", pair.Caption, text.Caption)
	}
	svg(t, pair)

	var unknown *cmdlib.UnknownError
	if _, err := f.Density(t.Context(), "x", []string{"musik"}, nil); !errors.As(err, &unknown) {
		t.Errorf("error %v of an unknown word", err)
	}
	if _, err := f.Sentences(t.Context(), "x", "dog", "zyzzyva"); !errors.As(err, &unknown) {
		t.Errorf("error %v of an unknown word", err)
	}
}
