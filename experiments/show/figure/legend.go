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
	sample func(c draw.Canvas, n *names, at vg.Point)
}

// The widths of a legend's samples, of the space behind them and of that between entries, and the height of a line.
const (
	legendSample = 12
	legendSpace  = 3
	legendGap    = 9
	legendLine   = textSize + 4
)

// legend draws the entries below everything else, in as many lines as they need, and returns their height.
func legend(c draw.Canvas, keys []key, n *names) vg.Length {
	text := aligned(textSize, draw.XLeft, draw.YCenter)
	width := func(k key) vg.Length { return legendSample + legendSpace + text.Width(k.name) }
	var lines [][]key
	x := c.Size().X
	for i, k := range keys {
		k.name = shortened(text, k.name, c.Size().X-legendSample-legendSpace)
		if x += legendGap + width(k); i == 0 || x > c.Size().X {
			lines, x = append(lines, nil), width(k)
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], k)
	}
	for i, line := range lines {
		total := legendGap * vg.Length(len(line)-1)
		for _, k := range line {
			total += width(k)
		}
		at := vg.Point{X: (c.Min.X + c.Max.X - total) / 2, Y: c.Min.Y + legendLine*(vg.Length(len(lines)-i)-0.5)}
		for _, k := range line {
			k.sample(c, n, vg.Point{X: at.X + legendSample/2, Y: at.Y})
			c.FillText(text, vg.Point{X: at.X + legendSample + legendSpace, Y: at.Y}, k.name)
			at.X += width(k) + legendGap
		}
	}
	if len(lines) == 0 {
		return 0
	}
	return legendLine*vg.Length(len(lines)) + 3
}

// swatch is the sample of an area.
func swatch(c draw.Canvas, at vg.Point, fill color.Color, line draw.LineStyle) {
	box := around(at, legendSample/2, 3).Path()
	c.SetColor(fill)
	c.Fill(box)
	if line.Width > 0 {
		c.SetLineStyle(line)
		c.Stroke(box)
	}
}
