package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"contextmover/experiments/show/density"
)

// Density shows densities over a map, as nested regions of given shares of the mass,
// with the map's points. The map has no axes: its directions mean nothing.
type Density struct {
	// X, Y, Step, NX and NY say where the nodes of all layers' grids are.
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	Step float64 `json:"step"`
	NX   int     `json:"nx"`
	NY   int     `json:"ny"`
	// Layers are drawn one over the other.
	Layers []Layer `json:"layers"`
	// Points are the map's; n×2.
	Points []float64 `json:"points"`
	// Labels name points, the most important one first; a label for which there is no
	// place is left out.
	Labels []Label `json:"labels"`
}

// Layer is one density.
type Layer struct {
	Name string `json:"name"`
	// Z is the density at the nodes, row by row from below.
	Z []float32 `json:"z"`
	// Masses are the shares of the regions, Levels the heights of their outlines.
	Masses []float64 `json:"masses"`
	Levels []float64 `json:"levels"`
}

// Label is a name at a place of the map.
type Label struct {
	Text string  `json:"text"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
}

func (d *Density) check() error {
	if d.NX < 2 || d.NY < 2 || !(d.Step > 0) || len(d.Layers) == 0 || len(d.Points)%2 != 0 {
		return fmt.Errorf("a map of %d × %d nodes with steps of %v, %d layers and %d coordinates of points",
			d.NX, d.NY, d.Step, len(d.Layers), len(d.Points))
	}
	for _, l := range d.Layers {
		if len(l.Z)%d.NX != 0 || len(l.Z)/d.NX != d.NY { // their product may be beyond an int
			return fmt.Errorf("layer %q has %d values for %d × %d nodes", l.Name, len(l.Z), d.NX, d.NY)
		}
		if len(l.Levels) == 0 || len(l.Levels) != len(l.Masses) || !(slices.Min(l.Levels) > 0) {
			return fmt.Errorf("layer %q has levels %v for masses %v", l.Name, l.Levels, l.Masses)
		}
	}
	return nil
}

func (d *Density) keys(n *names) (keys []key) {
	if len(d.Layers) > 1 {
		for _, l := range d.Layers {
			keys = append(keys, area(l.Name, withAlpha(n.colour(l.Name), 0.35), n.outline(l.Name)))
		}
	}
	var shares []string
	for _, m := range d.Layers[0].Masses {
		shares = append(shares, fmt.Sprintf("%.0f", 100*m))
	}
	return append(keys, key{strings.Join(shares, ", ") + " % of the mass", func(c draw.Canvas, at vg.Point) {
		c.SetColor(withAlpha(grey, fillAlpha(len(shares))))
		for i := range shares {
			half := legendSample / 2 * vg.Length(len(shares)-i) / vg.Length(len(shares))
			c.Fill(around(at, half, half*2/3).Path())
		}
	}})
}

// outline is the line around a layer's outermost region.
func (n *names) outline(name string) draw.LineStyle {
	return draw.LineStyle{Color: darker(n.colour(name), 0.25), Width: 0.7, Dashes: n.dash(name)}
}

// bounds are those of the outermost regions and of the labels of all maps of a figure, with a margin.
func (f *Figure) bounds() (low, high [2]float64) {
	low, high = [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, p := range f.Panels {
		d := p.Density
		if d == nil {
			continue
		}
		add := func(x, y float64) {
			for axis, v := range [2]float64{x, y} {
				low[axis], high[axis] = min(low[axis], v-3*d.Step), max(high[axis], v+3*d.Step)
			}
		}
		for _, l := range d.Layers {
			least := float32(slices.Min(l.Levels))
			for i, z := range l.Z {
				if z >= least {
					add(d.X+float64(i%d.NX)*d.Step, d.Y+float64(i/d.NX)*d.Step)
				}
			}
		}
		for _, l := range d.Labels {
			add(l.X, l.Y)
		}
	}
	return low, high
}

func (d *Density) draw(c draw.Canvas, f *Figure, n *names) {
	// What has mass fills the panel, with the same scale along both axes.
	low, high := f.bounds()
	size, middle := c.Size(), c.Center()
	scale := min(float64(size.X)/(high[0]-low[0]), float64(size.Y)/(high[1]-low[1]))
	place := func(x, y float64) vg.Point {
		x, y = x-(low[0]+high[0])/2, y-(low[1]+high[1])/2
		return middle.Add(vg.Point{X: vg.Length(x * scale), Y: vg.Length(y * scale)})
	}

	for _, layer := range d.Layers {
		colour := n.colour(layer.Name)
		g := density.Grid{X: d.X, Y: d.Y, Step: d.Step, NX: d.NX, NY: d.NY, Z: make([]float64, len(layer.Z))}
		for k, z := range layer.Z {
			g.Z[k] = float64(z)
		}
		for _, level := range layer.Levels {
			var path vg.Path
			for _, ring := range g.Contours(level) {
				path.Move(place(ring[0].X, ring[0].Y))
				for _, p := range ring[1:] {
					path.Line(place(p.X, p.Y))
				}
				path.Close()
			}
			c.SetColor(withAlpha(colour, fillAlpha(len(layer.Levels))))
			c.Fill(path)
			c.SetLineStyle(draw.LineStyle{Color: withAlpha(darker(colour, 0.25), 0.55), Width: 0.3})
			if level == slices.Min(layer.Levels) {
				c.SetLineStyle(n.outline(layer.Name))
			}
			c.Stroke(path)
		}
	}
	dot := draw.GlyphStyle{Color: grey, Radius: 0.55, Shape: draw.CircleGlyph{}}
	for i := 0; i < len(d.Points); i += 2 {
		c.DrawGlyph(dot, place(d.Points[i], d.Points[i+1]))
	}
	dot.Color, dot.Radius = color.Black, 1
	var taken []vg.Rectangle
	for _, l := range d.Labels {
		taken = append(taken, around(place(l.X, l.Y), 1.3, 1.3))
	}
	text := aligned(smallSize, draw.XCenter, draw.YCenter)
	for _, l := range d.Labels {
		at := place(l.X, l.Y)
		half := vg.Point{X: text.Width(l.Text)/2 + 1, Y: smallSize / 2}
		box, ok := free(c.Rectangle, taken, at, half)
		if !ok {
			continue
		}
		taken = append(taken, box)
		centre := box.Min.Add(half)
		c.SetColor(withAlpha(color.NRGBA{255, 255, 255, 255}, 0.6))
		c.Fill(box.Path())
		near := vg.Point{X: min(max(at.X, box.Min.X), box.Max.X), Y: min(max(at.Y, box.Min.Y), box.Max.Y)}
		c.StrokeLine2(draw.LineStyle{Color: color.Black, Width: 0.3}, at.X, at.Y, near.X, near.Y)
		c.FillText(text, centre.Add(vg.Point{Y: 1}), l.Text) // letters lie low in their line
		c.DrawGlyph(dot, at)
	}
}

// free returns the first box of a size around a point, near it and to its right rather than to its left, that lies in
// the frame and where nothing is taken; false if there is none.
func free(frame vg.Rectangle, taken []vg.Rectangle, at, half vg.Point) (vg.Rectangle, bool) {
	for _, distance := range []vg.Length{2.5, 7, 13} {
		for step := range 16 {
			// 0, 1, −1, 2, −2, … of 16 directions, in which the box's nearest point lies.
			sin, cos := math.Sincos(math.Pi / 8 * float64((step+1)/2*(step%2*2-1)))
			to := vg.Point{X: vg.Length(cos) * (distance + half.X), Y: vg.Length(sin) * (distance + half.Y)}
			box := around(at.Add(to), half.X, half.Y)
			if inside(box, frame) && !slices.ContainsFunc(taken, func(t vg.Rectangle) bool { return overlap(box, t) }) {
				return box, true
			}
		}
	}
	return vg.Rectangle{}, false
}

// fillAlpha makes the innermost of n nested regions about as strong for any n.
func fillAlpha(n int) float64 { return 0.6 / float64(n) }

// around is the rectangle around a point, so far on each side.
func around(at vg.Point, x, y vg.Length) vg.Rectangle {
	return rectangle(at.X-x, at.Y-y, at.X+x, at.Y+y)
}

func rectangle(left, bottom, right, top vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: right, Y: top}}
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

func inside(box, frame vg.Rectangle) bool {
	return box.Min.X >= frame.Min.X && box.Max.X <= frame.Max.X && box.Min.Y >= frame.Min.Y && box.Max.Y <= frame.Max.Y
}
