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

// What is made and what is found later are the same values, bit for bit.
func TestParts(t *testing.T) {
	type value struct {
		Name    string
		Third   float64
		Draws   []float64 `json:"-"`
		Scratch int       `json:"-"` // kept nowhere
		Cols    int       `json:"-"`
		Points  []float32 `json:"-"`
	}
	made := 0
	node := Node[value]{
		Name: "kept", Version: 1,
		Parts: func(v *value) []Part {
			return []Part{JSON("value.json", v), Array("draws.npy", &v.Draws), Matrix("points.npy", &v.Cols, &v.Points)}
		},
		Make: func(context.Context) (value, error) {
			made++
			return value{"a", 1. / 3, []float64{math.Pi, 1e-300}, 5, 2, []float32{1, 2, 3, 4, 5, 6}}, nil
		},
	}
	want := value{"a", 1. / 3, []float64{math.Pi, 1e-300}, 0, 2, []float32{1, 2, 3, 4, 5, 6}}
	dir := t.TempDir()
	for range 2 {
		if got, err := Get(background, open(t, dir), node); err != nil || !reflect.DeepEqual(got, want) || made != 1 {
			t.Errorf("%+v, %v, made %d times, want %+v", got, err, made, want)
		}
	}
	stage, err := node.Stage()
	if err != nil {
		t.Fatal(err)
	}
	found, _ := open(t, dir).Find(stage)
	shape, _, err := npy.Read[float32](filepath.Join(found, "points.npy"))
	if err != nil || !reflect.DeepEqual(shape, []int{3, 2}) {
		t.Errorf("a matrix of shape %v, %v", shape, err)
	}
}

// Nothing is kept of what cannot be made or written whole, and no file is taken for another.
func TestPartsFail(t *testing.T) {
	dir := t.TempDir()
	boom := errors.New("boom")
	of := func(parts func(*[]float64) []Part, make func(context.Context) ([]float64, error)) error {
		t.Helper()
		_, err := Get(background, open(t, dir), Node[[]float64]{Name: "kept", Version: 1, Parts: parts, Make: make})
		return err
	}
	array := func(v *[]float64) []Part { return []Part{Array("data.npy", v)} }
	made := func(context.Context) ([]float64, error) { return []float64{1}, nil }
	has := func() bool { return open(t, dir).Has(Stage{Name: "kept", Version: 1}) }
	if err := of(array, func(context.Context) ([]float64, error) { return nil, boom }); !errors.Is(err, boom) || has() {
		t.Errorf("error %v, kept: %t", err, has())
	}
	nan := math.NaN()
	withNaN := func(v *[]float64) []Part { return append(array(v), JSON("x.json", &nan)) }
	if err := of(withNaN, made); err == nil || has() {
		t.Errorf("NaN has no JSON: %v, kept: %t", err, has())
	}
	if err := of(array, made); err != nil {
		t.Fatal(err)
	}
	none := func(context.Context) ([]float64, error) { t.Error("made again"); return nil, nil }
	cols := 0
	if err := of(func(v *[]float64) []Part { return []Part{Matrix("data.npy", &cols, v)} }, none); err == nil {
		t.Error("an array was read as a matrix")
	}
	var other []int32
	if err := of(func(*[]float64) []Part { return []Part{Array("data.npy", &other)} }, none); err == nil {
		t.Error("numbers were read as of another type")
	}
}
