package cmdlib

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A calibration ascends, goes through what a straight relation
// is, keeps within the scale, and is refused where it cannot be.
func TestCalibrate(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	cosines, scores := make([]float64, 2000), make([]float64, 2000)
	for i := range cosines {
		cosines[i] = random.Float64()
		scores[i] = max(0, min(5, 5*cosines[i]+random.NormFloat64()))
	}
	c, err := Calibrate(cosines, scores, 0, 5, "a line")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSorted(c.Cosine) || !slices.IsSorted(c.Score) || c.Pairs != 2000 {
		t.Errorf("%+v", c)
	}
	for _, x := range []float64{0.3, 0.5, 0.7} {
		if got := c.At(x); math.Abs(got-5*x) > 0.3 {
			t.Errorf("at %v it is %v, want about %v", x, got, 5*x)
		}
	}
	if c.At(-1) != c.Score[0] || c.At(1) != c.Score[len(c.Score)-1] {
		t.Errorf("beyond its ends it is %v and %v", c.At(-1), c.At(1))
	}
	// Of scores that descend nothing but their mean is left.
	for i := range scores {
		scores[i] = 5 - 5*cosines[i]
	}
	if c, err = Calibrate(cosines, scores, 0, 5, ""); err != nil || math.Abs(c.At(0)-c.At(1)) > 1e-9 || math.Abs(c.At(0.5)-2.5) > 0.1 {
		t.Errorf("descending: %+v, %v", c, err)
	}
	if _, err := Calibrate(cosines[:10], scores[:10], 0, 5, ""); err == nil {
		t.Error("calibrated by ten pairs")
	}
	for _, c := range []*Calibration{
		{Cosine: []float64{0, 1}, Score: []float64{1}, Highest: 5}, {Cosine: []float64{1, 0}, Score: []float64{1, 2}, Highest: 5},
		{Cosine: []float64{0}, Score: []float64{9}, Highest: 5}, {Cosine: []float64{0}, Score: []float64{math.NaN()}, Highest: 5},
	} {
		if c.check() == nil {
			t.Errorf("%+v is taken", c)
		}
	}
}

// A space answers by what it records, and by transport where it cannot or records nothing.
func TestDefault(t *testing.T) {
	c := contents(t, 50, 6, 4)
	c.Settings.Defaults = Measured
	s := open(t, write(t, c))
	if m := s.Default("rock music"); m != Nearest {
		t.Errorf("texts by %s", m)
	}
	if m := s.Default("rock", "music"); m != SIF {
		t.Errorf("words by %s", m)
	}
	without := *s
	data := *s.Data
	without.Data, data.Vectors = &data, nil
	transport := *s
	transport.Settings.Defaults = Defaults{}
	for name, s := range map[string]*Space{"without vectors": &without, "without defaults": &transport, "learned": learning(s, "rock")} {
		if m := s.Default("rock", "music"); m != "average" {
			t.Errorf("%s: by %s", name, m)
		}
	}
	for _, word := range []string{"two", "words", "two words"} {
		if m := learning(s, word).Default(); m != Nearest {
			t.Errorf("pairs are scored by %s once %q is learned", m, word)
		}
	}
	c.Settings.Defaults.Words.Method = "best"
	if err := Write(t.Context(), t.TempDir(), c); err == nil {
		t.Error("an unknown default was written")
	}
}

// A method is read as it is written, and what a space does not answer by is refused.
func TestParseMethod(t *testing.T) {
	for text, want := range map[string]Method{
		"sif":                        {Name: SIF, Weights: "sif", Unit: true, Own: "unknown"},
		"sif,a=1e-4,own=none":        {Name: SIF, Weights: "sif", A: 1e-4, Unit: true, Own: "none"},
		"nbow":                       {Name: NBoW, Weights: "uniform", Own: "none"},
		"nbow,unit=true,own=unknown": {Name: NBoW, Weights: "uniform", Unit: true, Own: "unknown"},
		"average":                    {Name: "average", Combination: Average},
		"comb":                       {Name: "comb", Combination: Barycenter},
		"debiased":                   {Name: "debiased", Combination: DebiasedBarycenter},
	} {
		m, err := ParseMethod(text)
		if err != nil || m != want {
			t.Errorf("%s: %+v, %v", text, m, err)
		}
		if again, err := ParseMethod(m.String()); err != nil || again != m {
			t.Errorf("%s, written as %s: %+v, %v", text, m, again, err)
		}
	}
	for text, want := range map[string]string{
		"wmd": "single questions are not answered", "sif,remove_pc=true": "single questions are not answered",
		"average,smoothing=0.3": "expected its name alone", "sif,a=0": "above 0", "sif,a=NaN": "above 0", "sif,a": "above 0",
		"sif,unit=maybe": "true or false", "nbow,own=unknown": "expected unit = true", "sif,own=all": `"none"`,
		"sif,weights=inverse": `expected one of "uniform", "sif"`, "": "single questions are not answered",
	} {
		if _, err := ParseMethod(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	for _, name := range Askable() {
		if m, err := ParseMethod(name); err != nil || m.Name != name {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

// asked returns a space that answers by a method.
func asked(t *testing.T, s *Space, method string) *Space {
	t.Helper()
	by, err := s.With(Options{Method: method})
	if err != nil {
		t.Fatal(err)
	}
	return by
}

// Equal texts have the cosine 1 and equal distances to the last bit, alone and among others, whatever the order of
// words: words that the space does not know among them.
func TestEqualTextsTie(t *testing.T) {
	s := open(t, write(t, contents(t, 300, 8, 25)))
	x, again, y := "rock music elegant silent mammal qwx", "qwx music mammal silent rock elegant", "eleven word20 xyz word21 rock"
	for _, name := range []string{SIF, "sif,own=unknown and numbers", NBoW, "average", "comb"} {
		by := asked(t, s, name)
		all, err := by.Distances(t.Context(), []Pair{{"word40 word41", "word42"}, {again, y}, {x, y}})
		if err != nil {
			t.Fatal(name, err)
		}
		alone, err := by.Compare(t.Context(), x, y)
		if err != nil || all[1] != all[2] || alone.Distance != all[2] {
			t.Errorf("%s: %v, alone %v, %v", name, all, alone.Distance, err)
		}
	}
	c, err := asked(t, s, SIF).Compare(t.Context(), x, again)
	if err != nil || c.Similarity != 1 || c.Distance != 0 {
		t.Errorf("the cosine of equal texts is %v, %v", c.Similarity, err)
	}
}

// Words that are to have a vector of their own have it, and no others: of a word that the space knows, of one that it
// does not, and of one with a digit.
func TestOwnVectors(t *testing.T) {
	s := open(t, write(t, contents(t, 50, 6, 8)))
	for method, want := range map[string][]Term{
		"nbow":                                   {{"rock", 1, true}, {"qwx", 0, false}, {"word20", 1, true}},
		"nbow,unit=true":                         {{"rock", 1, true}, {"qwx", 0, false}, {"word20", 1, true}},
		"nbow,unit=true,own=unknown":             {{"rock", 1, true}, {"qwx", 1, false}, {"word20", 1, true}},
		"nbow,unit=true,own=unknown and numbers": {{"rock", 1, true}, {"qwx", 1, false}, {"word20", 1, false}},
	} {
		e, err := asked(t, s, method).Encoder()
		if err != nil {
			t.Fatal(err)
		}
		if terms, err := e.Terms(t.Context(), "rock qwx word20"); err != nil || !slices.Equal(terms, want) {
			t.Errorf("%s: %+v, %v", method, terms, err)
		}
	}
}
