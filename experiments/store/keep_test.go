package store

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	"contextmover/cmdlib/npy"
)

// What is made and what is found later are the same values, and only what is not there is made.
func TestKeep(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	type value struct {
		Name    string
		Third   float64
		Draws   []float64 `json:"-"`
		Scratch int       `json:"-"` // kept nowhere
		Cols    int       `json:"-"`
		Points  []float32 `json:"-"`
	}
	stage := Stage{Name: "kept", Version: 1}
	made := 0
	keep := func(s *Store) (v value, err error) {
		err = s.Keep(t.Context(), stage, []Part{
			JSON("value.json", &v), Array("draws.npy", &v.Draws), Matrix("points.npy", &v.Cols, &v.Points),
		}, func(context.Context) error {
			made++
			v = value{"a", 1. / 3, []float64{math.Pi, 1e-300}, 5, 2, []float32{1, 2, 3, 4, 5, 6}}
			return nil
		})
		return v, err
	}
	want := value{"a", 1. / 3, []float64{math.Pi, 1e-300}, 0, 2, []float32{1, 2, 3, 4, 5, 6}}
	for range 2 {
		if got, err := keep(s); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v, want %+v", got, err, want)
		}
	}
	again, err := Open(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	if got, err := keep(again); err != nil || !reflect.DeepEqual(got, want) || made != 1 {
		t.Errorf("in another process %+v, %v, made %d times", got, err, made)
	}
	dir, _ := s.Find(stage)
	if shape, _, err := npy.Read[float32](filepath.Join(dir, "points.npy")); err != nil || !reflect.DeepEqual(shape, []int{3, 2}) {
		t.Errorf("a matrix of shape %v, %v", shape, err)
	}
}

func TestKeepFails(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	stage := Stage{Name: "kept", Version: 1}
	boom := errors.New("boom")
	var data []float64
	parts := []Part{Array("data.npy", &data)}
	if err := s.Keep(t.Context(), stage, parts, func(context.Context) error { return boom }); !errors.Is(err, boom) || s.Has(stage) {
		t.Errorf("error %v, kept: %t", err, s.Has(stage))
	}
	// NaN has no JSON: nothing is kept of it, not the other parts either.
	x := math.NaN()
	err = s.Keep(t.Context(), stage, append(parts, JSON("x.json", &x)), func(context.Context) error { return nil })
	if err == nil || s.Has(stage) {
		t.Errorf("error %v, kept: %t", err, s.Has(stage))
	}
	// An array of another dimension or element is not taken for one.
	if err := s.Keep(t.Context(), stage, parts, func(context.Context) error { data = []float64{1}; return nil }); err != nil {
		t.Fatal(err)
	}
	cols := 0
	none := func(context.Context) error { t.Error("made again"); return nil }
	if err := s.Keep(t.Context(), stage, []Part{Matrix("data.npy", &cols, &data)}, none); err == nil {
		t.Error("an array was read as a matrix")
	}
	var other []int32
	if err := s.Keep(t.Context(), stage, []Part{Array("data.npy", &other)}, none); err == nil {
		t.Error("numbers were read as of another type")
	}
}
