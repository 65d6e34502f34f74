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
	// The names of the curves, cut where they would leave too little of the panel.
	var labels []string
	if len(c.Curves) > 1 {
		for _, v := range c.Curves {
			labels = append(labels, shortened(letters(smallSize), v.Name, 0.45*whole.Size().X))
		}
		canvas.Max.X -= widest(letters(smallSize), labels) + labelSpace
	}
	low, high := c.Curves[0].Y[0], c.Curves[0].Y[0]
	for _, v := range c.Curves {
		colour := n.colour(v.Name)
		points := xys(v.X, v.Y)
		low, high = min(low, slices.Min(v.Y)), max(high, slices.Max(v.Y))
		if v.Low != nil {
			lower := xys(v.X, v.Low)
			slices.Reverse(lower)
			band := append(xys(v.X, v.High), lower...)
			low, high = min(low, slices.Min(v.Low)), max(high, slices.Max(v.High))
			p.Add(&plotter.Polygon{XYs: []plotter.XYs{band}, Color: withAlpha(colour, 0.13)})
		}
		glyph := n.glyph(v.Name)
		line := draw.LineStyle{Color: glyph.Color, Width: 0.9, Dashes: n.dash(v.Name)}
		if v.Strong {
			line.Width = 1.6
		}
		p.Add(&plotter.Line{XYs: points, LineStyle: line}, &plotter.Scatter{XYs: points, GlyphStyle: glyph})
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
	if c.LogX {
		if p.X.Min == p.X.Max {
			p.X.Min, p.X.Max = p.X.Min/2, 2*p.X.Max
		}
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
func (c *Curves) name(labels []string, p *plot.Plot, data, whole draw.Canvas, n *common) {
	x, y := p.Transforms(&data)
	end := func(i int) vg.Length { return y(c.Curves[i].Y[len(c.Curves[i].Y)-1]) }
	order := positions(len(labels))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(end(b), end(a)) })
	const line = smallSize + 1
	free := data.Max.Y - line*0.5
	for below, i := range order {
		// Those below need a line each.
		at := max(min(end(i), free), data.Min.Y+line*(vg.Length(len(order)-1-below)+0.5))
		free = at - line
		v := c.Curves[i]
		text := aligned(smallSize, draw.XLeft, draw.YCenter)
		text.Color = darker(n.colour(v.Name), 0.3)
		to := data.Max.X + labelSpace - 2
		whole.StrokeLine2(draw.LineStyle{Color: text.Color, Width: 0.3}, x(v.X[len(v.X)-1])+2, end(i), to, at)
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
		c.StrokeLine2(zeroLine, x, c.Min.Y, x, c.Max.Y)
		text, at := aligned(smallSize, draw.XLeft, draw.YTop), x+2
		if at+text.Width(mark.Text) > c.Max.X {
			text.XAlign, at = draw.XRight, x-2
		}
		c.FillText(text, vg.Point{X: at, Y: c.Max.Y}, mark.Text)
	}
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
