package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Intervals shows estimates with intervals, a line for each name, as forest plots do. Panels of a figure whose axes
// have the same name and zero have the same range.
type Intervals struct {
	X string `json:"x"` // name of the axis
	// Names are those of the lines, from above.
	Names []string `json:"names"`
	// Zero is a place worth a vertical line, which the legend calls ZeroName; there is none where that is empty.
	Zero     float64    `json:"zero"`
	ZeroName string     `json:"zero_name,omitempty"`
	Series   []Interval `json:"series"`
}

// Interval has an estimate for each line, with the bounds of its interval, Low ≤ Value ≤ High.
type Interval struct {
	Name  string    `json:"name"`
	Value []float64 `json:"value"`
	Low   []float64 `json:"low"`
	High  []float64 `json:"high"`
}

// Intervals returns the panel with a title, which f gets if it has none: with the name of its axis, that of zero, and a
// series of each name.
func (f *Figure) Intervals(title, x, zero string, series []string) *Intervals {
	for _, p := range f.Panels {
		if p.Title == title {
			return p.Intervals
		}
	}
	v := &Intervals{X: x, ZeroName: zero}
	for _, name := range series {
		v.Series = append(v.Series, Interval{Name: name})
	}
	f.Panels = append(f.Panels, Panel{Title: title, Intervals: v})
	return v
}

// FitLines makes a figure of intervals as wide as its columns need, and so high that each line has so many points.
func (f *Figure) FitLines(line float64) *Figure {
	f.Columns = max(1, min(f.Columns, len(f.Panels)))
	f.Width = []float64{1.4 * Column, Text}[min(f.Columns-1, 1)]
	most := 0
	for _, p := range f.Panels {
		most = max(most, len(p.Intervals.Names))
	}
	rows := (len(f.Panels) + f.Columns - 1) / f.Columns
	f.Height = 20 + float64(rows)*(50+line*float64(most))
	return f
}

// Add appends the estimate of the next line, with its interval.
func (s *Interval) Add(value, low, high float64) {
	s.Value, s.Low, s.High = append(s.Value, value), append(s.Low, low), append(s.High, high)
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
	}
	return finite("zero", v.Zero)
}

// zeroLine is the style of the line at Zero.
var zeroLine = draw.LineStyle{Color: grey, Width: 0.6, Dashes: []vg.Length{2, 2}}

func (v *Intervals) keys() (keys []key) {
	if len(v.Series) > 1 {
		for _, s := range v.Series {
			keys = append(keys, key{s.Name, func(c draw.Canvas, n *names, at vg.Point) {
				c.DrawGlyphNoClip(n.glyph(s.Name), at)
			}})
		}
	}
	if v.ZeroName != "" {
		keys = append(keys, key{v.ZeroName, func(c draw.Canvas, _ *names, at vg.Point) {
			c.StrokeLine2(zeroLine, at.X, at.Y-4, at.X, at.Y+4)
		}})
	}
	return keys
}

// axis is what panels with the same range have in common.
type axis struct {
	name string
	zero float64
}

func (v *Intervals) axis() axis { return axis{v.X, v.Zero} }

// bounds are those of all that is shown, with a margin.
func (v *Intervals) bounds() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	if v.ZeroName != "" {
		low, high = v.Zero, v.Zero
	}
	for _, s := range v.Series {
		for i := range s.Value {
			low, high = min(low, s.Low[i]), max(high, s.High[i])
		}
	}
	if low == high {
		low, high = low-1, high+1
	}
	margin := 0.03 * (high - low)
	return low - margin, high + margin
}

// draw puts the names at the left and the axis below.
func (v *Intervals) draw(canvas draw.Canvas, n *common) {
	const lineHeight, tick, highest = smallSize + 3, 3, 32
	text := aligned(smallSize, draw.XRight, draw.YCenter)
	low, high := n.ranges[v.axis()][0], n.ranges[v.axis()][1]
	left, right := canvas.Min.X+widest(text, v.Names)+6, canvas.Max.X-5
	// A panel with fewer lines than others is not higher than they need.
	height := min((canvas.Size().Y-2*lineHeight-tick-2)/vg.Length(len(v.Names)), highest)
	bottom := canvas.Max.Y - height*vg.Length(len(v.Names))
	at := func(x float64) vg.Length { return left + (right-left)*vg.Length((x-low)/(high-low)) }

	thin := draw.LineStyle{Color: color.Black, Width: 0.5}
	canvas.StrokeLine2(thin, left, bottom, right, bottom)
	label := aligned(smallSize, draw.XCenter, draw.YTop)
	ticks := roundTicks(low, high, 8)
	for most := 7; most > 1 && vg.Length(len(ticks))*(label.Width(ticks[0].Label)+7) > right-left; most-- {
		ticks = roundTicks(low, high, most)
	}
	for _, t := range ticks {
		canvas.StrokeLine2(thin, at(t.Value), bottom, at(t.Value), bottom-tick)
		canvas.FillText(label, vg.Point{X: at(t.Value), Y: bottom - tick - 1}, t.Label)
	}
	name := shortened(label, v.X, canvas.Size().X)
	// In the middle of its axis, as far as it fits.
	half := label.Width(name) / 2
	middle := min(max((left+right)/2, canvas.Min.X+half), canvas.Max.X-half)
	canvas.FillText(label, vg.Point{X: middle, Y: bottom - tick - 1 - lineHeight}, name)
	if v.ZeroName != "" {
		canvas.StrokeLine2(zeroLine, at(v.Zero), bottom, at(v.Zero), canvas.Max.Y)
	}

	for i, name := range v.Names {
		middle := canvas.Max.Y - height*(vg.Length(i)+0.5)
		canvas.FillText(text, vg.Point{X: left - 6, Y: middle}, name)
		for k, s := range v.Series {
			y := middle + height*0.6*(0.5-(vg.Length(k)+0.5)/vg.Length(len(v.Series)))
			g := n.glyph(s.Name)
			canvas.StrokeLine2(draw.LineStyle{Color: g.Color, Width: 0.9}, at(s.Low[i]), y, at(s.High[i]), y)
			canvas.DrawGlyphNoClip(g, vg.Point{X: at(s.Value[i]), Y: y})
		}
	}
}
