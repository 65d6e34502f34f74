package figure

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Intervals shows estimates with intervals, a line for each name, as forest plots do.
type Intervals struct {
	X string `json:"x"` // name of the axis
	// Names are those of the lines, from above.
	Names []string `json:"names"`
	// Zero is a place worth a vertical line.
	Zero   float64    `json:"zero"`
	Series []Interval `json:"series"`
}

// Interval has an estimate for each line, with the bounds of its interval, Low ≤ Value ≤ High.
type Interval struct {
	Name   string    `json:"name"`
	Colour string    `json:"colour"`
	Value  []float64 `json:"value"`
	Low    []float64 `json:"low"`
	High   []float64 `json:"high"`
}

// NewIntervals returns a panel with a series of each name, without lines.
func NewIntervals(x string, names ...string) *Intervals {
	v := &Intervals{X: x}
	for i, name := range names {
		v.Series = append(v.Series, Interval{Name: name, Colour: Colours[i%len(Colours)]})
	}
	return v
}

// Add appends the estimate of the next line, with its interval.
func (s *Interval) Add(value, low, high float64) {
	s.Value, s.Low, s.High = append(s.Value, value), append(s.Low, low), append(s.High, high)
}

// Figure returns f with this panel alone, 1.6 columns wide and top points high, and some more for each line.
func (v *Intervals) Figure(f Figure, top, line float64) *Figure {
	f.Width, f.Height, f.Columns = 1.6*Column, top+float64(line*float64(len(v.Names))), 1
	f.Panels = []Panel{{Intervals: v}}
	return &f
}

func (v *Intervals) check() error {
	if len(v.Names) == 0 || len(v.Series) == 0 {
		return fmt.Errorf("%d lines of %d series of intervals", len(v.Names), len(v.Series))
	}
	for _, s := range v.Series {
		if len(s.Value) != len(v.Names) || len(s.Low) != len(v.Names) || len(s.High) != len(v.Names) {
			return fmt.Errorf("series %q has %d, %d and %d values, low and high for %d lines",
				s.Name, len(s.Value), len(s.Low), len(s.High), len(v.Names))
		}
		for i := range s.Value {
			if err := finite("series "+s.Name, s.Value[i], s.Low[i], s.High[i]); err != nil {
				return err
			}
			if s.Low[i] > s.Value[i] || s.Value[i] > s.High[i] {
				return fmt.Errorf("series %q, %s: %g outside of %g to %g",
					s.Name, v.Names[i], s.Value[i], s.Low[i], s.High[i])
			}
		}
		if _, err := parseColour(s.Colour); err != nil {
			return fmt.Errorf("series %q: %w", s.Name, err)
		}
	}
	return finite("zero", v.Zero)
}

// draw puts the legend above, the names at the left, and the axis below.
func (v *Intervals) draw(canvas draw.Canvas, in letters) {
	const lineHeight, tick = smallSize + 3, 3
	text := in.style(smallSize)
	text.YAlign = draw.YCenter
	var widest vg.Length
	for _, name := range v.Names {
		widest = max(widest, text.Rectangle(name).Size().X)
	}
	glyph := func(i int) draw.GlyphStyle {
		return draw.GlyphStyle{
			Color: darker(mustColour(v.Series[i].Colour), 0.15), Radius: 1.9, Shape: shapes[i%len(shapes)],
		}
	}
	if len(v.Series) > 1 {
		// Points and names that do not fit behind the names of the lines begin further left, then stand closer.
		var width vg.Length
		for _, s := range v.Series {
			width += 10 + text.Rectangle(s.Name).Size().X
		}
		gaps := vg.Length(len(v.Series) - 1)
		space := max(5, min(14, (canvas.Max.X-canvas.Min.X-width-1)/gaps))
		x := max(canvas.Min.X, min(canvas.Min.X+widest+6, canvas.Max.X-1-width-gaps*space))
		for i, s := range v.Series {
			y := canvas.Max.Y - lineHeight/2
			canvas.DrawGlyphNoClip(glyph(i), vg.Point{X: x + 4, Y: y})
			canvas.FillText(text, vg.Point{X: x + 10, Y: y}, s.Name)
			x += 10 + text.Rectangle(s.Name).Size().X + space
		}
		canvas.Max.Y -= lineHeight + 2
	}
	low, high := v.Zero, v.Zero
	for _, s := range v.Series {
		for i := range s.Value {
			low, high = min(low, s.Low[i]), max(high, s.High[i])
		}
	}
	if low == high {
		low, high = low-1, high+1
	}
	margin := 0.03 * (high - low)
	low, high = low-margin, high+margin
	left, right := canvas.Min.X+widest+6, canvas.Max.X-4
	bottom := canvas.Min.Y + 2*lineHeight + tick + 2
	at := func(x float64) vg.Length { return left + (right-left)*vg.Length((x-low)/(high-low)) }

	thin := draw.LineStyle{Color: color.Black, Width: 0.5}
	canvas.StrokeLine2(thin, left, bottom, right, bottom)
	label := in.style(smallSize)
	label.XAlign, label.YAlign = draw.XCenter, draw.YTop
	for _, t := range roundTicks(low, high) {
		canvas.StrokeLine2(thin, at(t.Value), bottom, at(t.Value), bottom-tick)
		canvas.FillText(label, vg.Point{X: at(t.Value), Y: bottom - tick - 1}, t.Label)
	}
	canvas.FillText(label, vg.Point{X: (left + right) / 2, Y: bottom - tick - 1 - lineHeight}, v.X)
	canvas.StrokeLine2(draw.LineStyle{Color: grey, Width: 0.5, Dashes: []vg.Length{2, 2}}, at(v.Zero), bottom,
		at(v.Zero), canvas.Max.Y)

	height := (canvas.Max.Y - bottom) / vg.Length(len(v.Names))
	text.XAlign = draw.XRight
	for i, name := range v.Names {
		middle := canvas.Max.Y - height*(vg.Length(i)+0.5)
		canvas.FillText(text, vg.Point{X: left - 6, Y: middle}, name)
		for k, s := range v.Series {
			y := middle + height*0.5*(0.5-(vg.Length(k)+0.5)/vg.Length(len(v.Series)))
			g := glyph(k)
			canvas.StrokeLine2(draw.LineStyle{Color: g.Color, Width: 0.9}, at(s.Low[i]), y, at(s.High[i]), y)
			canvas.DrawGlyphNoClip(g, vg.Point{X: at(s.Value[i]), Y: y})
		}
	}
}
