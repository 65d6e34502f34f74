package cmdlib

import (
	"math"
	"math/rand/v2"
	"slices"
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
	without.Vectors = nil
	transport := *s
	transport.Settings.Defaults = Defaults{}
	for name, s := range map[string]*Space{"without vectors": &without, "without defaults": &transport, "learned": learning(s, "rock")} {
		if m := s.Default("rock", "music"); m != "average" {
			t.Errorf("%s: by %s", name, m)
		}
	}
	for _, word := range []string{"two", "words", "two words"} {
		if m := learning(s, word).DefaultMethod(); m != Nearest {
			t.Errorf("pairs are scored by %s once %q is learned", m, word)
		}
	}
	c.Settings.Defaults.Words.Method = "best"
	if err := Write(t.Context(), t.TempDir(), c); err == nil {
		t.Error("an unknown default was written")
	}
}
