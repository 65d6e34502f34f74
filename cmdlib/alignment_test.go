package cmdlib_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib"
	"contextmover/cmdlib/english"
	"contextmover/cmdlib/ot/cpu"
)

// Words are linked by their letters and by their vectors, each of a word that stands twice with its own neighbours; an
// unknown word is linked to itself.
func TestAlign(t *testing.T) {
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	a, err := cmdlib.Align(t.Context(), s, "the physician praised qzxv in the hospital", "in the clinic the doctor praised qzxv")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range a.Links {
		got = append(got, a.From[l.Source]+" "+a.To[l.Target])
	}
	for _, want := range []string{"physician doctor", "praised praised", "qzxv qzxv", "in in", "hospital clinic"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q are not linked: %q", want, got)
		}
	}
	if len(a.Strength) != len(a.From) || len(a.Strength[0]) != len(a.To) {
		t.Errorf("strengths %d×%d of %d and %d words", len(a.Strength), len(a.Strength[0]), len(a.From), len(a.To))
	}
	if a, err := cmdlib.Align(t.Context(), s, "", "a word"); err != nil || len(a.Links) != 0 {
		t.Errorf("an empty text: %+v, %v", a, err)
	}
}

// A word that the space does not know as it stands has the direction of its parts.
func TestWordVectors(t *testing.T) {
	s, err := english.Open(cpu.New())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v := s.WordVectors([]string{"Three", "hundreds", "three-hundreds", "'s", "s", "qzxv", ""})
	if v[5] != nil || v[6] != nil {
		t.Error("what no part is known of has a vector")
	}
	if !slices.Equal(v[3], v[4]) {
		t.Error("'s has another vector than s")
	}
	cos := func(x, y []float32) (dot float64) {
		for i := range x {
			dot += float64(x[i]) * float64(y[i])
		}
		return dot
	}
	if a, b := cos(v[2], v[0]), cos(v[2], v[1]); math.Abs(a-b) > 1e-3 || a < 0.7 {
		t.Errorf("cosines %v and %v with its parts, want the same, at least √½", a, b)
	}
	if n := cos(v[2], v[2]); math.Abs(n-1) > 1e-5 {
		t.Errorf("length² %v", n)
	}
	if _, err := cmdlib.Align(t.Context(), &cmdlib.Space{Data: new(cmdlib.Data)}, "a", "b"); !errors.Is(err, cmdlib.ErrNoVectors) {
		t.Errorf("%v of a space without vectors", err)
	}
}
