package figure

import (
	"bytes"
	"strings"
	"testing"
)

// A graph is drawn with its words, and one whose lines do not go from left to right is refused.
func TestGraph(t *testing.T) {
	of := func(change func(*Graph)) *Figure {
		g := &Graph{Boxes: []Box{
			{Name: "text", Lines: []string{"12 kB"}, Colour: Colours[0]},
			{Name: "counts", Lines: []string{"1 s", "3 MB"}, Column: 1, From: []int{0}, Colour: Colours[1]},
		}}
		change(g)
		return &Figure{ID: "x", Width: Column, Height: Column, Columns: 1, Panels: []Panel{{Graph: g}}}
	}
	var out bytes.Buffer
	if err := SVG(&out, of(func(*Graph) {})); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"text", "counts", "3 MB"} {
		if !strings.Contains(out.String(), ">"+word+"<") {
			t.Errorf("%q is not drawn", word)
		}
	}
	for name, change := range map[string]func(*Graph){
		"no boxes":      func(g *Graph) { g.Boxes = nil },
		"from itself":   func(g *Graph) { g.Boxes[1].From = []int{1} },
		"from nowhere":  func(g *Graph) { g.Boxes[1].From = []int{7} },
		"leftwards":     func(g *Graph) { g.Boxes[0].Column = 2 },
		"no column":     func(g *Graph) { g.Boxes[0].Column = -1 },
		"not a colour":  func(g *Graph) { g.Boxes[0].Colour = "green" },
		"column beyond": func(g *Graph) { g.Boxes[1].Column = 9 },
	} {
		if err := SVG(&out, of(change)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
