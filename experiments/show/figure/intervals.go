package figure

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
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
	rows := (len(f.Panels) + f.Columns - 1) / f.Columns
	f.Height = 20 + float64(rows)*(50+line*float64(f.mostLines()))
	return f
}

// mostLines is the number of lines of the panel of intervals that has most.
func (f *Figure) mostLines() (most int) {
	for _, p := range f.Panels {
		if p.Intervals != nil {
			most = max(most, len(p.Intervals.Names))
		}
	}
	return most
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
			if s.Low[i] > s.Value[i] || s.Value[i] > s.High[i] {
				return fmt.Errorf("series %q, %s: %g outside of %g to %g",
					s.Name, v.Names[i], s.Value[i], s.Low[i], s.High[i])
			}
		}
	}
	return nil
}

func (v *Intervals) keys(n *names) (keys []key) {
	if len(v.Series) > 1 {
		for _, s := range v.Series {
			keys = append(keys, key{s.Name, func(c draw.Canvas, at vg.Point) {
				c.DrawGlyphNoClip(n.glyph(s.Name), at)
			}})
		}
	}
	if v.ZeroName != "" {
		keys = append(keys, key{v.ZeroName, func(c draw.Canvas, at vg.Point) {
			c.StrokeLine2(dashed, at.X, at.Y-4, at.X, at.Y+4)
		}})
	}
	return keys
}

// bounds are those of all that is shown, in all panels with the same axis.
func (v *Intervals) bounds(f *Figure) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, p := range f.Panels {
		o := p.Intervals
		if o == nil || o.X != v.X || o.Zero != v.Zero {
			continue
		}
		if o.ZeroName != "" {
			low, high = min(low, o.Zero), max(high, o.Zero)
		}
		for _, s := range o.Series {
			low, high = min(low, slices.Min(s.Low)), max(high, slices.Max(s.High))
		}
	}
	return low, high
}

func (v *Intervals) draw(canvas draw.Canvas, f *Figure, n *names) {
	p := newPlot(shortened(letters(textSize), v.X, canvas.Size().X), "")
	upwards := slices.Clone(v.Names)
	slices.Reverse(upwards)
	p.NominalY(upwards...)
	p.X.Padding = 0
	if v.ZeroName != "" {
		p.Add(marks{{At: v.Zero}})
	}
	for k, s := range v.Series {
		glyph := n.glyph(s.Name)
		bars := &plotter.XErrorBars{LineStyle: draw.LineStyle{Color: glyph.Color, Width: 0.9}}
		for i, x := range s.Value {
			y := float64(len(v.Names)-1-i) + 0.6*(0.5-(float64(k)+0.5)/float64(len(v.Series)))
			bars.XYs = append(bars.XYs, plotter.XY{X: x, Y: y})
			bars.XErrors = append(bars.XErrors, struct{ Low, High float64 }{x - s.Low[i], s.High[i] - x})
		}
		p.Add(bars, &plotter.Scatter{XYs: bars.XYs, GlyphStyle: glyph})
	}
	// A line is as high in all panels.
	p.X.Min, p.X.Max = v.bounds(f)
	p.Y.Min, p.Y.Max = float64(len(v.Names)-f.mostLines())-0.5, float64(len(v.Names))-0.5
	p.Draw(canvas)
}
