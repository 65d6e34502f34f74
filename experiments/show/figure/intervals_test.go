package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func TestIntervals(t *testing.T) {
	figureOf := func(change func(*Intervals)) *Figure {
		v := &Intervals{X: "points", ZeroName: "no difference", Names: []string{"müller", "東京"}, Series: []Interval{
			{Name: "a", Value: []float64{1, -2}, Low: []float64{0, -3}, High: []float64{2, -2}},
			{Name: "b", Value: []float64{5, 5}, Low: []float64{4, 5}, High: []float64{6, 5}},
		}}
		change(v)
		return &Figure{ID: "x", Width: Column, Height: Column, Columns: 1, Panels: []Panel{{Intervals: v}}}
	}
	var out bytes.Buffer
	if err := SVG(&out, figureOf(func(*Intervals) {})); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for d := xml.NewDecoder(&out); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"müller", "東京", "points", "no difference"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	for name, change := range map[string]func(*Intervals){
		"no lines":         func(v *Intervals) { v.Names = nil },
		"no series":        func(v *Intervals) { v.Series = nil },
		"a value missing":  func(v *Intervals) { v.Series[1].Value = v.Series[1].Value[:1] },
		"NaN":              func(v *Intervals) { v.Series[0].High[1] = math.NaN() },
		"outside":          func(v *Intervals) { v.Series[0].Low[0] = 1.5 },
		"zero is infinite": func(v *Intervals) { v.Zero = math.Inf(1) },
	} {
		if err := SVG(io.Discard, figureOf(change)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Panels of the same axis have the same range, so that they can be compared.
func TestSameRange(t *testing.T) {
	f := &Figure{ID: "x", Columns: 2}
	for i, title := range []string{"small", "large", "small"} {
		v := f.Intervals(title, "points", "none", []string{"a", "b"})
		v.Names = append(v.Names, title)
		for s := range v.Series {
			v.Series[s].Add(float64(10*i), float64(10*i-1), float64(10*i+1))
		}
	}
	f.FitLines(15)
	if len(f.Panels) != 2 || len(f.Panels[0].Intervals.Names) != 2 || f.Width != Text {
		t.Fatalf("%d panels, %g wide", len(f.Panels), f.Width)
	}
	if err := SVG(io.Discard, f); err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Panels {
		if low, high := p.Intervals.bounds(f); low != -1 || high != 21 {
			t.Errorf("%s from %g to %g, want -1 to 21", p.Title, low, high)
		}
	}
}
