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
	if d.NX < 2 || d.NY < 2 || !(d.Step > 0) {
		return fmt.Errorf("a grid of %d × %d nodes with steps of %v", d.NX, d.NY, d.Step)
	}
	if err := finite("grid", d.X, d.Y, d.Step); err != nil {
		return err
	}
	if len(d.Layers) == 0 {
		return fmt.Errorf("a map without layers")
	}
	if len(d.Points)%2 != 0 {
		return fmt.Errorf("%d coordinates of points", len(d.Points))
	}
	if err := finite("points", d.Points...); err != nil {
		return err
	}
	for _, l := range d.Layers {
		if len(l.Z)%d.NX != 0 || len(l.Z)/d.NX != d.NY { // their product may be beyond an int
			return fmt.Errorf("layer %q has %d values for %d × %d nodes", l.Name, len(l.Z), d.NX, d.NY)
		}
		if len(l.Levels) == 0 || len(l.Levels) != len(l.Masses) {
			return fmt.Errorf("layer %q has %d levels for %d masses", l.Name, len(l.Levels), len(l.Masses))
		}
		for i, z := range l.Z {
			if !(z >= 0 && z <= 1e30) {
				return fmt.Errorf("layer %q: the density at node %d is %v", l.Name, i, z)
			}
		}
		for _, z := range l.Levels {
			if !(z > 0) {
				return fmt.Errorf("layer %q: level %v", l.Name, z)
			}
		}
	}
	for _, l := range d.Labels {
		if err := finite("label "+l.Text, l.X, l.Y); err != nil {
			return err
		}
	}
	return nil
}

func (d *Density) keys() (keys []key) {
	if len(d.Layers) > 1 {
		for _, l := range d.Layers {
			keys = append(keys, key{l.Name, func(c draw.Canvas, n *names, at vg.Point) {
				swatch(c, at, withAlpha(n.colour(l.Name), 0.35), n.outline(l.Name))
			}})
		}
	}
	var shares []string
	for _, m := range d.Layers[0].Masses {
		shares = append(shares, fmt.Sprintf("%.0f", 100*m))
	}
	return append(keys, key{strings.Join(shares, ", ") + " % of the mass", func(c draw.Canvas, _ *names, at vg.Point) {
		for i := range shares {
			half := legendSample / 2 * vg.Length(len(shares)-i) / vg.Length(len(shares))
			c.SetColor(withAlpha(grey, fillAlpha(len(shares))))
			c.Fill(ellipse(at, half, half*2/3))
		}
	}})
}

// outline is the line around a layer's outermost region.
func (n *names) outline(name string) draw.LineStyle {
	return draw.LineStyle{Color: darker(n.colour(name), 0.25), Width: 0.7, Dashes: n.dash(name)}
}

// bounds are those of the layers' outermost regions and of the labels, with a margin.
func (d *Density) bounds() (low, high [2]float64) {
	low, high = [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	add := func(x, y float64) {
		for axis, v := range [2]float64{x, y} {
			low[axis], high[axis] = min(low[axis], v), max(high[axis], v)
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
	for axis := range low {
		low[axis], high[axis] = low[axis]-3*d.Step, high[axis]+3*d.Step
	}
	return low, high
}

func (d *Density) draw(c draw.Canvas, n *common) {
	// What has mass fills the panel, with the same scale along both axes.
	width, height := n.high[0]-n.low[0], n.high[1]-n.low[1]
	size := c.Size()
	scale := min(float64(size.X)/width, float64(size.Y)/height)
	left := c.Min.X + (size.X-vg.Length(width*scale))/2
	bottom := c.Min.Y + (size.Y-vg.Length(height*scale))/2
	place := func(x, y float64) vg.Point {
		return vg.Point{X: left + vg.Length((x-n.low[0])*scale), Y: bottom + vg.Length((y-n.low[1])*scale)}
	}

	for _, layer := range d.Layers {
		colour := n.colour(layer.Name)
		g := density.Grid{X: d.X, Y: d.Y, Step: d.Step, NX: d.NX, NY: d.NY, Z: make([]float64, len(layer.Z))}
		for k, z := range layer.Z {
			g.Z[k] = float64(z)
		}
		for l, level := range layer.Levels {
			var path vg.Path
			for _, ring := range g.Contours(level) {
				for k, p := range ring {
					if k == 0 {
						path.Move(place(p.X, p.Y))
					} else {
						path.Line(place(p.X, p.Y))
					}
				}
				path.Close()
			}
			if len(path) == 0 {
				continue
			}
			c.SetColor(withAlpha(colour, fillAlpha(len(layer.Levels))))
			c.Fill(path)
			line := draw.LineStyle{Color: withAlpha(darker(colour, 0.25), 0.55), Width: 0.3}
			if l == outermost(layer.Masses) {
				line = n.outline(layer.Name)
			}
			c.SetLineStyle(line)
			c.Stroke(path)
		}
	}
	p := placer{frame: c.Rectangle}
	var dots vg.Path
	for i := 0; i < len(d.Points); i += 2 {
		if at := place(d.Points[i], d.Points[i+1]); contains(c.Rectangle, at) {
			dots = append(dots, disc(at, 0.55)...)
			p.avoid = append(p.avoid, at)
		}
	}
	c.SetColor(grey)
	c.Fill(dots)
	for _, l := range d.Labels {
		at := place(l.X, l.Y)
		p.taken = append(p.taken, around(at, 1.3, 1.3))
	}
	for _, l := range d.Labels {
		at := place(l.X, l.Y)
		if label, ok := p.place(letters(smallSize), l.Text, at); ok {
			label.draw(c)
			c.SetColor(color.Black)
			c.Fill(disc(at, 1))
		}
	}
}

// fillAlpha makes the innermost of n nested regions about as strong for any n.
func fillAlpha(n int) float64 { return 0.6 / float64(n) }

func outermost(masses []float64) int {
	at := 0
	for i, m := range masses {
		if m > masses[at] {
			at = i
		}
	}
	return at
}

func disc(at vg.Point, r vg.Length) vg.Path { return ellipse(at, r, r) }

// ellipse is one of four Bézier curves, which all formats draw alike.
func ellipse(at vg.Point, rx, ry vg.Length) vg.Path {
	const k = 0.5522847498 // of the radius: where the control points of a quarter lie
	point := func(x, y vg.Length) vg.Point { return vg.Point{X: at.X + x*rx, Y: at.Y + y*ry} }
	var p vg.Path
	p.Move(point(1, 0))
	p.CubeTo(point(1, k), point(k, 1), point(0, 1))
	p.CubeTo(point(-k, 1), point(-1, k), point(-1, 0))
	p.CubeTo(point(-1, -k), point(-k, -1), point(0, -1))
	p.CubeTo(point(k, -1), point(1, -k), point(1, 0))
	p.Close()
	return p
}
