package figure

import (
	"bytes"
	"encoding/binary"
	"image/png"
	"strings"
	"testing"
)

func curves() *Figure {
	return &Figure{
		ID: "curves", Title: "Two curves", Width: Column, Height: 150, Columns: 1,
		Panels: []Panel{{Title: "50 % & α_1", Curves: &Curves{X: "K", Y: "Pearson", Curves: []Curve{
			{Name: "first", Colour: "#204080", X: []float64{1, 2, 3}, Y: []float64{4, 6, 5}},
			{Name: "second", Colour: "#c03020", X: []float64{1, 2, 3}, Y: []float64{1, 2, 3}},
			{Name: "first again", Colour: "#204080", X: []float64{1, 2, 3}, Y: []float64{2, 2, 3}},
		}}}},
	}
}

// A PNG file has the pixels and says the resolution that the style asks for.
func TestResolution(t *testing.T) {
	for dpi, want := range map[int]int{0: DPI, 300: 300} {
		f := curves()
		f.Resize(144)
		f.Style.DPI = dpi
		if f.Height != 150*144/Column {
			t.Errorf("%g points high", f.Height)
		}
		var b bytes.Buffer
		if err := PNG(&b, f); err != nil {
			t.Fatal(err)
		}
		file := b.Bytes()
		picture, err := png.Decode(&b)
		if err != nil {
			t.Fatal(err)
		}
		if w := picture.Bounds().Dx(); w != 2*want {
			t.Errorf("%d pixels for 2 inches, want %d", w, 2*want)
		}
		at := bytes.Index(file, []byte("pHYs"))
		if at < 0 {
			t.Fatal("no resolution")
		}
		if got := float64(binary.BigEndian.Uint32(file[at+4:])) * 0.0254; got < float64(want)-0.02 || got > float64(want)+0.02 || file[at+12] != 1 {
			t.Errorf("%g dots an inch, want %d", got, want)
		}
	}
}

// Letters have the size and the font that the style asks for.
func TestLetters(t *testing.T) {
	f := curves()
	f.Style = Style{Size: 15, Font: "sans"}
	var b bytes.Buffer
	if err := SVG(&b, f); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for want, n := range map[string]int{`transform="scale(2`: 1, "'Liberation Sans',Arial": 0, "Liberation Serif": -1} {
		if got := strings.Count(text, want); n == 0 && got == 0 || n > 0 && got != n || n < 0 && got != 0 {
			t.Errorf("%d times %s", got, want)
		}
	}
	for _, style := range []Style{{Font: "times"}, {Size: 2}, {DPI: 10}} {
		f.Style = style
		if err := SVG(&b, f); err == nil {
			t.Errorf("no error for %+v", style)
		}
	}
}

func TestRecolour(t *testing.T) {
	f := curves()
	if err := f.Recolour("#111111,#222222"); err != nil {
		t.Fatal(err)
	}
	c := f.Panels[0].Curves.Curves
	if got := c[0].Colour + c[1].Colour + c[2].Colour; got != "#111111#222222#111111" {
		t.Errorf("colours %s", got)
	}
	for _, bad := range []string{"", "blue", "#12345", "#111111,", "#111111;#222222"} {
		if err := f.Recolour(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}
