package figures

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib"
	"contextmover/experiments/pipeline"
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

	mine, err := f.Flow(t.Context(), "flow", "dog", "animal", 5)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := w.Flow(t.Context(), "flow", "dog", "animal", 5)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range mine.Panels[0].Flow.Mass {
		for j, mass := range row {
			// The store keeps float32 costs and histograms as they are.
			if want := theirs.Panels[0].Flow.Mass[i][j]; math.Abs(mass-want) > 1e-6 {
				t.Errorf("mass %g from %d to %d, want %g", mass, i, j, want)
			}
		}
	}

	var unknown *cmdlib.UnknownError
	if _, err := f.Density(t.Context(), "x", []string{"musik"}, nil); !errors.As(err, &unknown) {
		t.Errorf("error %v of an unknown word", err)
	}
	if _, err := f.Flow(t.Context(), "x", "dog", "the animal", 5); !errors.Is(err, pipeline.ErrSettings) {
		t.Errorf("error %v of two words", err)
	}
}
