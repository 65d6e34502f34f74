package cmdlib

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// A space asked with other settings answers as one that was made with them.
func TestWith(t *testing.T) {
	c := contents(t, 50, 6, 4)
	s := open(t, write(t, c))
	c.Settings.Transport.Reg, c.Settings.Transport.MaxIter = 0.05, 30
	c.Settings.Sentence.Combination, c.Settings.Sentence.Transport = Barycenter, c.Settings.Transport
	want := open(t, write(t, c))
	got, err := s.With(Options{Settings: ot.Settings{Reg: 0.05, MaxIter: 30}, Combination: Barycenter, Engine: reference.New()})
	if err != nil {
		t.Fatal(err)
	}
	for _, texts := range [][2]string{{"rock", "music"}, {"rock music", "an elephant"}} {
		a, errA := got.Compare(t.Context(), texts[0], texts[1])
		b, errB := want.Compare(t.Context(), texts[0], texts[1])
		own, errC := s.Compare(t.Context(), texts[0], texts[1])
		if err := errors.Join(errA, errB, errC); err != nil {
			t.Fatal(err)
		}
		if a.Cost != b.Cost || a.Cost == own.Cost {
			t.Errorf("%q: %v, want %v; the space itself says %v", texts, a.Cost, b.Cost, own.Cost)
		}
	}
	for _, bad := range []Options{{Settings: ot.Settings{Reg: -1}}, {Settings: ot.Settings{Reg: math.NaN()}}, {Settings: ot.Settings{Reg: 1e-12}}, {Settings: ot.Settings{MaxIter: -1}}, {Combination: "sum"}} {
		if _, err := s.With(bad); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got.Vectors != nil || got.Cost.Data != nil {
		t.Error("a view outlives its space")
	}
}

func TestStanding(t *testing.T) {
	s := open(t, write(t, contents(t, 300, 8, 4)))
	for _, texts := range [][2]string{{"rock", "music"}, {"elephant", "word200"}, {"rock music", "elephant"}, {"elephant", "an elephant mammal"}, {"rock it's", "silent music"}} {
		d, err := s.Compare(t.Context(), texts[0], texts[1])
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Standing(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if e, err := s.Explain(t.Context(), texts[0], texts[1], 1); err != nil {
			t.Error(err)
		} else if again, err := e.Standing(t.Context()); err != nil || *again != *got {
			t.Errorf("%q explained: %+v, %v, want %+v", texts, again, err, got)
		}
		place := func(from, to string) int {
			if r := s.read(to); r.word() < 0 {
				return 0
			}
			near, err := s.Neighbours(t.Context(), from, len(s.Words))
			if err != nil {
				t.Fatal(err)
			}
			at := 1 + slices.IndexFunc(near.Nearest, func(n Neighbour) bool { return n.Word == to })
			if at > Places {
				return 0
			}
			return at
		}
		a, b := lengths(&d.from, &d.to)
		random, err := s.randomDistances(t.Context(), a, b)
		if err != nil {
			t.Fatal(err)
		}
		farther := 0
		for _, x := range random {
			if x > d.Cost {
				farther++
			}
		}
		want := Standing{Closer: float64(farther) / RandomPairs, Texts: a > 0, To: place(texts[0], texts[1]), From: place(texts[1], texts[0])}
		if text := got.Text(texts[0], texts[1]); !strings.Contains(text, fmt.Sprintf("%.1f %%", 100*want.Closer)) || want.To > 0 && !strings.Contains(text, fmt.Sprintf("%s is number %d of the words nearest to %s", texts[1], want.To, texts[0])) || strings.Contains(text, "texts") != want.Texts {
			t.Errorf("%+v: %s", *got, text)
		}
		got.fromWord, got.toWord = false, false
		if *got != want {
			t.Errorf("%q: %+v, want %+v", texts, *got, want)
		}
	}
	if _, err := new(Comparison).Standing(t.Context()); err == nil {
		t.Error("no error where there is no space")
	}
	itself, err := s.Compare(t.Context(), "rock", "Rock")
	if err != nil {
		t.Fatal(err)
	}
	itself.Distance = 0
	same, err := itself.Standing(t.Context())
	if err != nil || same.Closer != 1 || same.To != 0 || same.From != 0 {
		t.Errorf("a word beside itself: %+v, %v", same, err)
	}
}

// Random pairs are the same whenever they are drawn, in ascending order, and others for other lengths; a word
// that is all of the corpus is the only one that random texts have.
func TestRandomDistances(t *testing.T) {
	c := contents(t, 50, 6, 4)
	s := open(t, write(t, c))
	a, err := s.randomDistances(t.Context(), 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.randomDistances(t.Context(), 2, 5)
	if err != nil || !slices.Equal(a, b) || !slices.IsSorted(a) || len(a) != RandomPairs || a[0] == a[len(a)-1] {
		t.Errorf("%d distances from %v to %v, %v", len(a), a[0], a[len(a)-1], err)
	}
	words, err := s.randomDistances(t.Context(), 0, 0)
	if err != nil || slices.Equal(a, words) {
		t.Errorf("pairs of words are those of texts, %v", err)
	}
	c.Vocabulary.Counts[0] = 1 << 40
	one := open(t, write(t, c))
	same, err := one.randomDistances(t.Context(), 1, 1)
	if err != nil || same[0] != same[len(same)-1] {
		t.Errorf("texts of one word that is all of the corpus: %v to %v, %v", same[0], same[len(same)-1], err)
	}
}

// What words move is the plan, no more and no less, and a word of an average moves as much as it brings.
func TestWordFlows(t *testing.T) {
	s, _ := explained(t)
	barycenters, err := s.With(Options{Combination: Barycenter, Engine: reference.New()})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Space{s, barycenters} {
		const from, to = "Rock music zyzzyva rock", "an eleven elephant"
		e, err := s.Explain(t.Context(), from, to, 1)
		if err != nil {
			t.Fatal(err)
		}
		f := e.WordFlows()
		if len(f.From) != 4 || f.From[2] != (TextWord{"zyzzyva", false}) || len(f.To) != 3 || f.To[0].Known || !f.To[1].Known {
			t.Fatalf("words %v, %v", f.From, f.To)
		}
		mass, cost := 0.0, 0.0
		rows := make([]float64, 4)
		for v := range f.Mass {
			for w, m := range f.Mass[v] {
				if m < 0 || (!f.From[v].Known || !f.To[w].Known) && m != 0 {
					t.Errorf("mass %v from %q to %q", m, f.From[v].Text, f.To[w].Text)
				}
				rows[v] += m
				mass += m
				cost += m * f.Cost[v][w]
			}
		}
		if math.Abs(mass-1) > 1e-6 || math.Abs(cost-e.Cost) > 1e-6 {
			t.Errorf("mass %v, cost %v, want 1 and %v", mass, cost, e.Cost)
		}
		if rows[0] != rows[3] {
			t.Errorf("the same word brings %v and %v", rows[0], rows[3])
		}
		if s.Settings.Sentence.Combination == Average {
			rock, _ := s.ID("rock")
			music, _ := s.ID("music")
			want := s.weight(music) / (s.weight(music) + 2*s.weight(rock))
			if math.Abs(rows[1]-want) > 1e-6 {
				t.Errorf("music brings %v, want its weight %v", rows[1], want)
			}
		}
	}
}
