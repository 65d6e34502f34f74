package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
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
	// LogX spaces the horizontal axis by the logarithm; all X are then above 0.
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
	}
	for _, m := range c.Marks {
		if err := finite("mark "+m.Text, m.At); err != nil {
			return err
		}
	}
	return nil
}

// keys implements kind: names stand at their lines.
func (c *Curves) keys() []key { return nil }

func (c *Curves) draw(canvas draw.Canvas, n *common) {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.LineStyle.Width = 0.5
		a.Tick.LineStyle.Width = 0.5
		a.Tick.Length = 3
		a.Padding = 3
		a.Label.TextStyle.Font = letters(textSize).Font
		a.Label.TextStyle.Handler = words{a.Label.TextStyle.Handler}
		a.Tick.Label.Font = letters(smallSize).Font
	}
	p.X.Label.Text, p.Y.Label.Text = c.X, c.Y
	p.X.Label.Padding = 2
	p.Y.Label.Padding = 3
	whole := canvas
	if len(c.Curves) > 1 {
		var widest vg.Length
		for _, v := range c.Curves {
			widest = max(widest, letters(smallSize).Width(c.label(v, whole)))
		}
		canvas.Max.X -= widest + labelSpace
	}
	low, high := c.Curves[0].Y[0], c.Curves[0].Y[0]
	for _, v := range c.Curves {
		colour := n.colour(v.Name)
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
		line.LineStyle, glyphs.GlyphStyle = v.styles(n)
		p.Add(line, glyphs)
	}
	margin := 0.04 * (high - low)
	if margin == 0 {
		margin = 1
	}
	p.Y.Min, p.Y.Max = low-margin, high+margin
	if len(c.Marks) > 0 {
		p.Y.Max += 2 * margin // for their text
	}
	p.Y.Tick.Marker = plot.TickerFunc(func(low, high float64) []plot.Tick { return roundTicks(low, high, 8) })
	if p.X.Min == p.X.Max {
		p.X.Min, p.X.Max = p.X.Min-1, p.X.Max+1
		if c.LogX {
			p.X.Min, p.X.Max = c.Curves[0].X[0]/2, 2*c.Curves[0].X[0]
		}
	}
	if c.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
	}
	// Few enough places get a tick each, named where there is room.
	var places []float64
	for _, v := range c.Curves {
		places = append(places, v.X...)
	}
	slices.Sort(places)
	if places = slices.Compact(places); len(places) <= 12 {
		p.X.Tick.Marker = plot.TickerFunc(func(low, high float64) (ticks []plot.Tick) {
			end := math.Inf(-1)
			for _, x := range places {
				tick := plot.Tick{Value: x, Label: tickLabel(x)}
				half := float64(letters(smallSize).Width(tick.Label)) / 2
				at := p.X.Scale.Normalize(low, high, x) * float64(canvas.Size().X-30) // less the vertical axis
				if at-half < end+4 {
					tick.Label = ""
				} else {
					end = at + half
				}
				ticks = append(ticks, tick)
			}
			return ticks
		})
	}
	p.Add(marks(c.Marks))
	p.Draw(canvas)
	if len(c.Curves) > 1 {
		c.labels(p, p.DataCanvas(canvas), whole, n)
	}
}

// labelSpace is that between a curve's end and its name.
const labelSpace = 7

// label is the name of a curve, cut where it would leave too little of the panel.
func (c *Curves) label(v Curve, whole draw.Canvas) string {
	return shortened(letters(smallSize), v.Name, 0.45*whole.Size().X)
}

// labels writes the names of the curves at their right ends, one under another where these are near.
func (c *Curves) labels(p *plot.Plot, data, whole draw.Canvas, n *common) {
	x, y := p.Transforms(&data)
	order := slices.Clone(c.Curves)
	end := func(v Curve) vg.Length { return y(v.Y[len(v.Y)-1]) }
	slices.SortStableFunc(order, func(a, b Curve) int { return cmp.Compare(end(b), end(a)) })
	const line = smallSize + 1
	free := data.Max.Y - line*0.5
	var places []vg.Length
	for i, v := range order {
		at := min(end(v), free)
		// Those below need a line each.
		at = max(at, data.Min.Y+line*(vg.Length(len(order)-1-i)+0.5))
		places, free = append(places, at), at-line
	}
	for i, v := range order {
		text := aligned(smallSize, draw.XLeft, draw.YCenter)
		text.Color = darker(n.colour(v.Name), 0.3)
		from := vg.Point{X: x(v.X[len(v.X)-1]) + 2, Y: end(v)}
		to := vg.Point{X: data.Max.X + labelSpace - 2, Y: places[i]}
		whole.StrokeLine2(draw.LineStyle{Color: text.Color, Width: 0.3}, from.X, from.Y, to.X, to.Y)
		whole.FillText(text, vg.Point{X: to.X + 1, Y: to.Y}, c.label(v, whole))
	}
}

// marks draws vertical lines with text at their upper ends.
type marks []Mark

// Plot implements plot.Plotter.
func (m marks) Plot(c draw.Canvas, p *plot.Plot) {
	transform, _ := p.Transforms(&c)
	for _, mark := range m {
		x := transform(mark.At)
		c.StrokeLine2(zeroLine, x, c.Min.Y, x, c.Max.Y)
		text, at := aligned(smallSize, draw.XLeft, draw.YTop), x+2
		if at+text.Width(mark.Text) > c.Max.X {
			text.XAlign, at = draw.XRight, x-2
		}
		c.FillText(text, vg.Point{X: at, Y: c.Max.Y}, mark.Text)
	}
}

// styles returns those of the line and of the marks.
func (v Curve) styles(n *common) (draw.LineStyle, draw.GlyphStyle) {
	glyph := n.glyph(v.Name)
	line := draw.LineStyle{Color: glyph.Color, Width: 0.9, Dashes: n.dash(v.Name)}
	if v.Strong {
		line.Width = 1.6
	}
	return line, glyph
}

// tickLabel writes a number with three digits that count, whole from 10 on, with a minus sign.
func tickLabel(x float64) string {
	s := strconv.FormatFloat(x, 'g', 3, 64)
	if math.Abs(x) >= 10 && math.Abs(x) < 1e6 {
		s = strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strings.Replace(s, "-", "−", 1)
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
				ticks = append(ticks, plot.Tick{Value: x, Label: tickLabel(x)})
			}
		}
	}
	return ticks
}

// roundTicks puts at most so many ticks, and otherwise as many as possible, at multiples of 1, 2 or 5 times a power of
// ten.
func roundTicks(low, high float64, most int) (ticks []plot.Tick) {
	step := math.Pow(10, math.Floor(math.Log10(high-low))-1)
	count := func(step float64) int { return int(math.Floor(high/step+1e-9)-math.Ceil(low/step-1e-9)) + 1 }
	for _, f := range []float64{2, 2.5, 2, 2, 2.5, 2, 2, 2.5} {
		if count(step) <= most {
			break
		}
		step *= f
	}
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	// + 0 makes a zero of a negative zero.
	for k := math.Ceil(low/step-1e-9) + 0; k*step <= high+1e-9*step; k++ {
		label := strings.Replace(strconv.FormatFloat(k*step, 'f', digits, 64), "-", "−", 1)
		ticks = append(ticks, plot.Tick{Value: k * step, Label: label})
	}
	return ticks
}
