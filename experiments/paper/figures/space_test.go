package figures

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/usage"
)

// Figures of a space show the same as those of the profile that it was made of: here both have the same settings.
func TestSpaceFigures(t *testing.T) {
	w := figureWorld(t)
	space, _, err := w.OpenSpaceOf(t.Context(), w.figureRow())
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	f := &OfSpace{Space: space, Settings: w.Profile.Figures, Engine: w.Engine, Name: "mine"}
	words := []string{"music", "Sport"}

	got, err := f.Density(t.Context(), "both", words)
	if err != nil {
		t.Fatal(err)
	}
	w.Profile.Figures = w.figuresOf(t)
	all, err := w.All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := all[0]
	if !strings.HasPrefix(got.Provenance.Space, "mine (identity ") || got.Caption != want.Caption {
		t.Errorf("%+v: %s", got.Provenance, got.Caption)
	}
	got.Provenance = want.Provenance
	if !bytes.Equal(svg(t, got), svg(t, want)) { // the profile has the seed of spaces
		t.Error("the pictures differ")
	}

	c, err := f.Combination(t.Context(), "three", []string{"my", "love", "life"})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Panels) != 3 || len(c.Panels[0].Density.Layers) != 3 || len(c.Panels[2].Density.Layers) != 1 {
		t.Errorf("%d panels", len(c.Panels))
	}
	svg(t, c)

	// A flow is the plan behind the distance, of words and of texts.
	for _, texts := range [][2]string{{"dog", "animal"}, {"the dog sleeps", "music of an animal"}} {
		flow, err := f.Flow(t.Context(), "flow", texts[0], texts[1], 5)
		if err != nil {
			t.Fatal(err)
		}
		e, err := space.ByTransport().Explain(t.Context(), texts[0], texts[1], 5)
		if err != nil {
			t.Fatal(err)
		}
		p := flow.Panels[0].Flow
		cost := 0.0
		masses := map[string]float64{}
		for i, row := range p.Mass {
			for j, mass := range row {
				masses[p.Rows[i]] += mass
				cost += mass * p.Cost[i][j]
			}
		}
		// The heaviest context of a side has the name that explanations call it, and its mass.
		if first := e.From.Contexts[0]; math.Abs(masses[strings.Join(first.Name, " ")]-first.Mass) > 1e-6 {
			t.Errorf("%q: %q in %v, want %g", texts, first.Name, masses, first.Mass)
		}
		if !slices.Equal(p.Rows, p.Cols) {
			t.Errorf("%q: from %q to %q", texts, p.Rows, p.Cols)
		}
		if math.Abs(cost-e.Cost) > 1e-6 {
			t.Errorf("%q: the flows cost %g, want the distance %g", texts, cost, e.Cost)
		}
		svg(t, flow)
	}
	text, err := f.Density(t.Context(), "text", []string{"the dog sleeps", "music"})
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
	s := pair.Panels[0].Flow
	if len(s.Rows) != 4 || s.Rows[2] != "zyzzyva" || sum(s.Mass[2:3]) != 0 || s.Least != 0.01 {
		t.Errorf("words %v, bands from %g on", s.Rows, s.Least)
	}
	if !strings.Contains(pair.Caption, "no estimate") || !strings.HasSuffix(text.Caption, "Left out, as they have no estimate: sleeps.") {
		t.Errorf("captions %s\n%s", pair.Caption, text.Caption)
	}
	svg(t, pair)

	var unknown *cmdlib.UnknownError
	if _, err := f.Density(t.Context(), "x", []string{"musik"}); !errors.As(err, &unknown) {
		t.Errorf("error %v of an unknown word", err)
	}
	if _, err := f.Sentences(t.Context(), "x", "dog", "zyzzyva"); !errors.As(err, &unknown) {
		t.Errorf("error %v of an unknown word", err)
	}
}

// texts are two files of sentences of the world, of which the
// first has music where the second has sport; life stands in both.
func texts(t *testing.T) (music, sport string) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	var paths []string
	for _, topic := range [][]string{{"music", "song", "guitar", "band", "concert"}, {"sport", "team", "game", "player", "match"}} {
		var lines []string
		for range 300 {
			words := slices.Concat(topic, topic)
			random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
			words[random.IntN(len(words))] = "life"
			lines = append(lines, strings.Join(words, " "))
		}
		path := filepath.Join(t.TempDir(), topic[0]+".txt")
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths[0], paths[1]
}

// A word that stands among words of music in half of the sentences,
// and among those of sport in the others, has two panels on one map.
func TestSenses(t *testing.T) {
	w := figureWorld(t)
	space, _, err := w.OpenSpaceOf(t.Context(), w.figureRow())
	if err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	f := &OfSpace{Space: space, Settings: w.Profile.Figures, Engine: w.Engine, Name: "mine"}
	a, b := texts(t)
	list, _, err := (corpus.Text{Files: []string{a, b}}).Occurrences(t.Context(), []string{"life"}, 1000, nil)
	if err != nil {
		t.Fatal(err)
	}
	for k := 1; k <= 2; k++ {
		found, err := usage.FindSenses(t.Context(), space, list[0], k)
		if err != nil {
			t.Fatal(err)
		}
		x, err := f.Senses(t.Context(), "senses_life", "life", found)
		if err != nil {
			t.Fatal(err)
		}
		if len(x.Panels) != k || !strings.HasPrefix(x.Provenance.Space, "mine (identity ") {
			t.Fatalf("%d panels, %+v", len(x.Panels), x.Provenance)
		}
		for i, p := range x.Panels {
			d := p.Density
			if want := fmt.Sprintf("life/%d: %.0f %%", i+1, 100*found.Senses[i].Share); p.Title != want {
				t.Errorf("title %q, want %q", p.Title, want)
			}
			if len(d.Layers) != 1 || len(d.Labels) == 0 || !slices.Equal(d.Points, x.Panels[0].Density.Points) {
				t.Errorf("%d layers, %d labels", len(d.Layers), len(d.Labels))
			}
		}
		if k == 2 && slices.Equal(x.Panels[0].Density.Layers[0].Z, x.Panels[1].Density.Layers[0].Z) {
			t.Error("both senses have the same density")
		}
		svg(t, x)
	}
}
