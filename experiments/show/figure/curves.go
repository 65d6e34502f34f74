package figure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curves shows measurements over a common quantity as lines with bands. Each of several has its name at its end.
type Curves struct {
	X string `json:"x"` // names of the axes
	Y string `json:"y"`
	// LogX spaces the horizontal axis by the logarithm, with ticks at the places of the first curve; all X are then
	// above 0.
	LogX   bool    `json:"log_x,omitempty"`
	Curves []Curve `json:"curves"`
	// Marks are vertical lines at places worth a word.
	Marks []Mark `json:"marks,omitempty"`
}

// Curve is one line; Low and High bound its band, both nil for none.
type Curve struct {
	Name   string    `json:"name"`
	Strong bool      `json:"strong,omitempty"` // the one that matters most
	X      []float64 `json:"x"`                // ascending
	Y      []float64 `json:"y"`
	Low    []float64 `json:"low,omitempty"`
	High   []float64 `json:"high,omitempty"`
}

// Mark is a named place on the horizontal axis.
type Mark struct {
	At   float64 `json:"at"`
	Text string  `json:"text"`
}

func (c *Curves) check() error {
	if len(c.Curves) == 0 {
		return fmt.Errorf("no curves")
	}
	for _, v := range c.Curves {
		n := len(v.X)
		if n == 0 || len(v.Y) != n || len(v.Low) != len(v.High) || v.Low != nil && len(v.Low) != n {
			return fmt.Errorf("curve %q has %d, %d, %d and %d numbers for x, y, low and high",
				v.Name, n, len(v.Y), len(v.Low), len(v.High))
		}
		if c.LogX && slices.Min(v.X) <= 0 {
			return fmt.Errorf("curve %q has x = %g, which has no logarithm", v.Name, slices.Min(v.X))
		}
	}
	return nil
}

// keys implements kind: names stand at their lines.
func (c *Curves) keys(*names) []key { return nil }

// newPlot returns a plot with the names of its axes.
func newPlot(x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Length, a.Padding = 3, 3
		a.Label.Padding = 3
		a.Label.TextStyle.Font = letters(textSize).Font
		a.Tick.Label.Font = letters(smallSize).Font
		a.Label.TextStyle.Handler, a.Tick.Label.Handler = words{plot.DefaultTextHandler}, words{plot.DefaultTextHandler}
		a.Tick.Marker = plot.TickerFunc(ticks)
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	return p
}

// ticks are those of gonum/plot with minus signs; none of a range that rounding has emptied.
func ticks(low, high float64) []plot.Tick {
	if high <= low {
		return nil
	}
	all := plot.DefaultTicks{}.Ticks(low, high)
	for i := range all {
		all[i].Label = strings.ReplaceAll(all[i].Label, "-", "−")
	}
	return all
}

func (c *Curves) draw(canvas draw.Canvas, _ *Figure, n *names) {
	p := newPlot(c.X, c.Y)
	whole := canvas
	// The names of the curves, cut where they would leave too little of the panel.
	var labels []string
	if len(c.Curves) > 1 {
		for _, v := range c.Curves {
			labels = append(labels, shortened(letters(smallSize), v.Name, 0.45*whole.Size().X))
		}
		canvas.Max.X -= widest(letters(smallSize), labels) + labelSpace
	}
	for _, v := range c.Curves {
		if v.Low != nil {
			lower := xys(v.X, v.Low)
			slices.Reverse(lower)
			band := append(xys(v.X, v.High), lower...)
			p.Add(&plotter.Polygon{XYs: []plotter.XYs{band}, Color: withAlpha(n.colour(v.Name), 0.13)})
		}
		glyph := n.glyph(v.Name)
		line := draw.LineStyle{Color: glyph.Color, Width: 0.9, Dashes: n.dash(v.Name)}
		if v.Strong {
			line.Width = 1.6
		}
		points := xys(v.X, v.Y)
		p.Add(&plotter.Line{XYs: points, LineStyle: line}, &plotter.Scatter{XYs: points, GlyphStyle: glyph})
	}
	// Room above the curves is for the text of marks.
	p.Y.Max += 0.08 * (p.Y.Max - p.Y.Min)
	if c.LogX {
		var places plot.ConstantTicks
		for _, x := range c.Curves[0].X {
			label := fmt.Sprintf("%.2g", x)
			if x >= 10 {
				label = fmt.Sprintf("%.0f", x)
			}
			places = append(places, plot.Tick{Value: x, Label: label})
		}
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, places
		if p.X.Min == p.X.Max {
			p.X.Min, p.X.Max = p.X.Min/2, 2*p.X.Max
		}
	}
	p.Add(marks(c.Marks))
	p.Draw(canvas)
	c.name(labels, p, p.DataCanvas(canvas), whole, n)
}

func xys(x, y []float64) plotter.XYs {
	points := make(plotter.XYs, len(x))
	for k := range x {
		points[k] = plotter.XY{X: x[k], Y: y[k]}
	}
	return points
}

// labelSpace is that between a curve's end and its name.
const labelSpace = 7

// name writes the names of the curves, if they have some, at their right ends, one under another where these are near.
func (c *Curves) name(labels []string, p *plot.Plot, data, whole draw.Canvas, n *names) {
	x, y := p.Transforms(&data)
	end := func(v Curve) vg.Length { return y(v.Y[len(v.Y)-1]) }
	order := make([]int, len(labels))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(end(c.Curves[b]), end(c.Curves[a])) })
	const line = smallSize + 1
	free := data.Max.Y - line*0.5
	for below, i := range order {
		v := c.Curves[i]
		// Those below need a line each.
		at := max(min(end(v), free), data.Min.Y+line*(vg.Length(len(order)-1-below)+0.5))
		free = at - line
		text := aligned(smallSize, draw.XLeft, draw.YCenter)
		text.Color = darker(n.colour(v.Name), 0.3)
		to := data.Max.X + labelSpace - 2
		whole.StrokeLine2(draw.LineStyle{Color: text.Color, Width: 0.3}, x(v.X[len(v.X)-1])+2, end(v), to, at)
		whole.FillText(text, vg.Point{X: to + 1, Y: at}, labels[i])
	}
}

// marks draws vertical lines with text at their upper ends.
type marks []Mark

// Plot implements plot.Plotter.
func (m marks) Plot(c draw.Canvas, p *plot.Plot) {
	transform, _ := p.Transforms(&c)
	for _, mark := range m {
		x := transform(mark.At)
		c.StrokeLine2(dashed, x, c.Min.Y, x, c.Max.Y)
		text, at := aligned(smallSize, draw.XLeft, draw.YTop), x+2
		if at+text.Width(mark.Text) > c.Max.X {
			text.XAlign, at = draw.XRight, x-2
		}
		c.FillText(text, vg.Point{X: at, Y: c.Max.Y}, mark.Text)
	}
}

// dashed is the style of lines at places worth a word.
var dashed = draw.LineStyle{Color: grey, Width: 0.6, Dashes: []vg.Length{2, 2}}
