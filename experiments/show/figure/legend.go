package figure

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// colours are those of Okabe and Ito (2008, Color universal design), with a darker purple: most people, colour-blind
// ones too, can tell them apart.
var colours = []color.NRGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {170, 68, 153, 255}, {230, 159, 0, 255},
	{86, 180, 233, 255},
}

// shapes and dashes tell apart in grey what colours do.
var (
	shapes = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.RingGlyph{},
		draw.SquareGlyph{},
	}
	dashes = [][]vg.Length{nil, {4, 2}, {1, 1.5}, {6, 1.5, 1, 1.5}}
)

// names are those of all that a figure tells apart, in the order of their colours.
type names []string

// costs are the ground costs that experiments compare, whose colours and marks are the same in all figures.
var costs = names{"true", "shuffled", "discrete", "thresholded"}

// at returns the place of a name, which it gets when it first occurs.
func (n *names) at(name string) int {
	i := slices.Index(*n, name)
	if i < 0 {
		i = len(*n)
		*n = append(*n, name)
	}
	return i
}

// colour, dash and glyph are those of a name.
func (n *names) colour(name string) color.NRGBA { return colours[n.at(name)%len(colours)] }

func (n *names) dash(name string) []vg.Length { return dashes[n.at(name)%len(dashes)] }

func (n *names) glyph(name string) draw.GlyphStyle {
	return draw.GlyphStyle{Color: darker(n.colour(name), 0.15), Radius: 1.9, Shape: shapes[n.at(name)%len(shapes)]}
}

// key is an entry of a legend: a name and what draws its sample, around a point.
type key struct {
	name   string
	sample func(c draw.Canvas, at vg.Point)
}

// area is an entry whose sample is an area, with a line around it if that has a width.
func area(name string, fill color.Color, line draw.LineStyle) key {
	return key{name, func(c draw.Canvas, at vg.Point) {
		box := around(at, legendSample/2, 3).Path()
		c.SetColor(fill)
		c.Fill(box)
		c.SetLineStyle(line)
		c.Stroke(box)
	}}
}

// The widths of a legend's samples, of the space behind them and of that between entries, and the height of a line.
const (
	legendSample = 12
	legendSpace  = 3
	legendGap    = 9
	legendLine   = textSize + 4
)

// legend draws the entries below everything else, in as many lines as they need, and returns their height.
func legend(c draw.Canvas, keys []key) vg.Length {
	if len(keys) == 0 {
		return 0
	}
	text := aligned(textSize, draw.XLeft, draw.YCenter)
	places := make([]vg.Point, len(keys)) // Y counts lines from above
	var next vg.Point
	for i, k := range keys {
		k.name = shortened(text, k.name, c.Size().X-legendSample-legendSpace)
		width := legendSample + legendSpace + text.Width(k.name)
		if next.X > 0 && next.X+width > c.Size().X {
			next = vg.Point{Y: next.Y + 1}
		}
		keys[i], places[i] = k, next
		next.X += width + legendGap
	}
	for i, k := range keys {
		at := vg.Point{X: c.Min.X + places[i].X + legendSample/2, Y: c.Min.Y + legendLine*(next.Y-places[i].Y+0.5)}
		k.sample(c, at)
		at.X += legendSample/2 + legendSpace
		c.FillText(text, at, k.name)
	}
	return legendLine*(next.Y+1) + 3
}
