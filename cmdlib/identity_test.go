package cmdlib

import (
	"slices"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// The identity stands for what a space answers from: it is the same elsewhere and of another provenance, another with
// any number changed, and the same of a packed space that is packed again.
func TestIdentity(t *testing.T) {
	s, c := explained(t)
	identity := s.Identity()
	if len(identity) != 64 {
		t.Errorf("the identity %q", identity)
	}
	c.Provenance = map[string]any{"text": "another name"}
	if again := open(t, write(t, c)).Identity(); again != identity {
		t.Errorf("elsewhere %s, first %s", again, identity)
	}
	for name, change := range map[string]func(c *Contents){
		"counts":     func(c *Contents) { c.Vocabulary.Counts[3]++ },
		"histograms": func(c *Contents) { h := c.Histograms.Row(1); slices.Reverse(h) },
		"vectors":    func(c *Contents) { c.Vectors[2] = -c.Vectors[2] },
		"centroids":  func(c *Contents) { c.Centroids[1]++ },
		"cost":       func(c *Contents) { c.Cost.Data[1] *= 1.5 },
		"assignment": func(c *Contents) { c.Assignment[0] = (c.Assignment[0]+2)%20 - 1 },
		"settings":   func(c *Contents) { c.Settings.Transport.Reg *= 2 },
	} {
		_, other := explained(t)
		change(&other)
		if open(t, write(t, other)).Identity() == identity {
			t.Errorf("other %s: the same identity", name)
		}
	}
	if with, err := s.With(Options{Settings: ot.Settings{Reg: 1}, Engine: reference.New()}); err != nil || with.Identity() != identity {
		t.Errorf("asked with other settings: %v", err)
	}
	learn := func(name string, histogram []float32) string {
		return s.Learn(map[string]*Estimate{name: {Histogram: histogram, Occurrences: 3}}).Identity()
	}
	learned := []string{identity, learn("lynx", s.row(0)), learn("lynx", s.row(1)), learn("fox", s.row(0))}
	if learn("lynx", s.row(0)) != learned[1] || len(slices.Compact(slices.Sorted(slices.Values(learned)))) != 4 {
		t.Errorf("of spaces that have learned: %v", learned)
	}

	small := packed(t, s, 0, nil)
	again := packed(t, small, 0, nil)
	if small.Identity() == identity || small.Identity() != again.Identity() {
		t.Errorf("packed %s, again %s, whole %s", small.Identity(), again.Identity(), identity)
	}
}
