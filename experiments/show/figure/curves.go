package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curves shows measurements over a common quantity as lines with bands.
type Curves struct {
	X string `json:"x"` // names of the axes
	Y string `json:"y"`
	// LogX spaces the horizontal axis by the logarithm; all X are then above 0.
	LogX   bool    `json:"log_x,omitempty"`
	Curves []Curve `json:"curves"`
	// Marks are vertical lines at places worth a word.
	Marks []Mark `json:"marks,omitempty"`
}

// Curve is one line; Low and High bound its band, both nil for none.
type Curve struct {
	Name   string    `json:"name"`
	Colour string    `json:"colour"`
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
		if n := len(v.X); n == 0 || len(v.Y) != n ||
			(v.Low != nil || v.High != nil) && (len(v.Low) != n || len(v.High) != n) {
			return fmt.Errorf("curve %q has %d, %d, %d and %d numbers for x, y, low and high",
				v.Name, n, len(v.Y), len(v.Low), len(v.High))
		}
		if err := finite("curve "+v.Name, slices.Concat(v.X, v.Y, v.Low, v.High)...); err != nil {
			return err
		}
		if !slices.IsSorted(v.X) {
			return fmt.Errorf("curve %q does not ascend along x", v.Name)
		}
		if c.LogX && v.X[0] <= 0 {
			return fmt.Errorf("curve %q has x = %g, which has no logarithm", v.Name, v.X[0])
		}
		if _, err := parseColour(v.Colour); err != nil {
			return fmt.Errorf("curve %q: %w", v.Name, err)
		}
	}
	for _, m := range c.Marks {
		if err := finite("mark "+m.Text, m.At); err != nil {
			return err
		}
	}
	return nil
}

// shapes are twice as many as the dashes, so that curves with the same dashes have other marks.
var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
	draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.PlusGlyph{},
}

func (c *Curves) draw(canvas draw.Canvas, in letters) {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Width = 0.5
		a.Tick.LineStyle.Width = 0.5
		a.Tick.Length = 3
		a.Padding = 3
		a.Label.TextStyle.Font = in.style(textSize).Font
		a.Label.TextStyle.Handler = words{a.Label.TextStyle.Handler}
		a.Tick.Label.Font = in.style(smallSize).Font
	}
	p.X.Label.Text, p.Y.Label.Text = c.X, c.Y
	p.X.Label.Padding = 2
	p.Y.Label.Padding = 3
	if len(c.Curves) > 1 {
		canvas.Max.Y -= c.legend(canvas, in)
	}
	low, high := c.Curves[0].Y[0], c.Curves[0].Y[0]
	for i, v := range c.Curves {
		colour := mustColour(v.Colour)
		points := make(plotter.XYs, len(v.X))
		for k := range v.X {
			points[k] = plotter.XY{X: v.X[k], Y: v.Y[k]}
		}
		low, high = min(low, slices.Min(v.Y)), max(high, slices.Max(v.Y))
		if v.Low != nil {
			var band plotter.XYs
			for k := range v.X {
				band = append(band, plotter.XY{X: v.X[k], Y: v.High[k]})
			}
			for k := len(v.X) - 1; k >= 0; k-- {
				band = append(band, plotter.XY{X: v.X[k], Y: v.Low[k]})
			}
			low, high = min(low, slices.Min(v.Low)), max(high, slices.Max(v.High))
			polygon, err := plotter.NewPolygon(band)
			if err != nil {
				panic("figure: " + err.Error()) // check has seen the numbers
			}
			polygon.Color = withAlpha(colour, 0.13)
			polygon.LineStyle.Width = 0
			p.Add(polygon)
		}
		line, glyphs, err := plotter.NewLinePoints(points)
		if err != nil {
			panic("figure: " + err.Error())
		}
		line.LineStyle, glyphs.GlyphStyle = v.styles(i)
		p.Add(line, glyphs)
	}
	margin := 0.04 * (high - low)
	if margin == 0 {
		margin = 1
	}
	p.Y.Min, p.Y.Max = low-margin, high+margin
	p.Y.Tick.Marker = plot.TickerFunc(roundTicks)
	if p.X.Min == p.X.Max {
		p.X.Min, p.X.Max = p.X.Min-1, p.X.Max+1
		if c.LogX {
			p.X.Min, p.X.Max = c.Curves[0].X[0]/2, 2*c.Curves[0].X[0]
		}
	}
	if c.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
	}
	// Few enough places get a tick each.
	var places []float64
	for _, v := range c.Curves {
		places = append(places, v.X...)
	}
	slices.Sort(places)
	if places = slices.Compact(places); len(places) <= 12 {
		digits := 6
		if c.LogX {
			digits = 3
		}
		var ticks plot.ConstantTicks
		for _, x := range places {
			ticks = append(ticks, plot.Tick{Value: x, Label: tickLabel(x, digits)})
		}
		p.X.Tick.Marker = ticks
	}
	p.Add(marks{c.Marks, in})
	p.Draw(canvas)
}

// marks draws vertical lines with text at their upper ends.
type marks struct {
	marks []Mark
	in    letters
}

// Plot implements plot.Plotter.
func (m marks) Plot(c draw.Canvas, p *plot.Plot) {
	transform, _ := p.Transforms(&c)
	for _, mark := range m.marks {
		x := transform(mark.At)
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.5, Dashes: []vg.Length{2, 2}}, x, c.Min.Y, x, c.Max.Y)
		text := m.in.style(smallSize)
		text.YAlign = draw.YTop
		text.XAlign = draw.XLeft
		at := x + 2
		if at+text.Rectangle(mark.Text).Size().X > c.Max.X {
			text.XAlign, at = draw.XRight, x-2
		}
		c.FillText(text, vg.Point{X: at, Y: c.Max.Y}, mark.Text)
	}
}

// styles returns those of the line and of the marks of curve i.
func (v Curve) styles(i int) (draw.LineStyle, draw.GlyphStyle) {
	colour := darker(mustColour(v.Colour), 0.15)
	line := draw.LineStyle{Color: colour, Width: 0.9, Dashes: dash(i)}
	if v.Strong {
		line.Width = 1.6
	}
	return line, draw.GlyphStyle{Color: colour, Radius: 1.7, Shape: shapes[i%len(shapes)]}
}

// legend draws the names of the curves with samples at the top, in two columns if they
// fit, and returns its height.
func (c *Curves) legend(canvas draw.Canvas, in letters) vg.Length {
	const sample, lineHeight = 22, smallSize + 3
	text := in.style(smallSize)
	text.YAlign = draw.YCenter
	var widest vg.Length
	for _, v := range c.Curves {
		widest = max(widest, text.Rectangle(v.Name).Size().X)
	}
	columns := 1
	if 2*(sample+4+widest)+8 <= canvas.Size().X {
		columns = 2
	}
	rows := (len(c.Curves) + columns - 1) / columns
	for i, v := range c.Curves {
		x := canvas.Min.X + canvas.Size().X/vg.Length(columns)*vg.Length(i/rows)
		y := canvas.Max.Y - lineHeight*(vg.Length(i%rows)+0.5)
		line, glyph := v.styles(i)
		if len(v.X) > 1 { // a single point has no line
			canvas.StrokeLine2(line, x, y, x+sample, y)
		}
		canvas.DrawGlyphNoClip(glyph, vg.Point{X: x + sample/2, Y: y})
		canvas.FillText(text, vg.Point{X: x + sample + 4, Y: y}, v.Name)
	}
	return lineHeight*vg.Length(rows) + 4
}

// tickLabel writes a number with so many digits that count, without an exponent below a million.
func tickLabel(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'g', digits, 64)
	if v, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(v) >= 1000 && math.Abs(v) < 1e6 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return s
}

// logTicks puts a named tick at 1, 2 and 5 times each power of ten, at 1 alone where that would be more than ten.
func logTicks(low, high float64) (ticks []plot.Tick) {
	multiples := []float64{1, 2, 5}
	if math.Log10(high/low) > 3 {
		multiples = multiples[:1]
	}
	const rounding = 1e-9
	for power := math.Floor(math.Log10(low)); power <= math.Log10(high); power++ {
		for _, m := range multiples {
			if x := m * math.Pow(10, power); x >= low*(1-rounding) && x <= high*(1+rounding) {
				ticks = append(ticks, plot.Tick{Value: x, Label: tickLabel(x, 3)})
			}
		}
	}
	return ticks
}

// roundTicks puts four to ten ticks at multiples of 1, 2 or 5 times a power of ten.
func roundTicks(low, high float64) (ticks []plot.Tick) {
	step := math.Pow(10, math.Floor(math.Log10(high-low)))
	for _, f := range []float64{1, 0.5, 0.2, 0.1} {
		if (high-low)/(step*f) >= 4 {
			step *= f
			break
		}
	}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	// + 0 makes a zero of a negative zero.
	for k := math.Ceil(low/step-1e-9) + 0; k*step <= high+1e-9*step; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: strconv.FormatFloat(k*step, 'f', digits, 64)})
	}
	return ticks
}
