package figure

import (
	"math"
	"testing"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/recorder"
)

// textCanvas collects where text stands on the page.
type textCanvas struct {
	recorder.Canvas
	at    []affine
	texts []string
	boxes []vg.Rectangle
}

// affine maps (x, y) to (a x + b y + e, c x + d y + f).
type affine struct{ a, b, c, d, e, f float64 }

func (m affine) then(n affine) affine {
	return affine{
		m.a*n.a + m.b*n.c, m.a*n.b + m.b*n.d, m.c*n.a + m.d*n.c, m.c*n.b + m.d*n.d, m.a*n.e + m.b*n.f + m.e, m.c*n.e + m.d*n.f + m.f,
	}
}

func (c *textCanvas) top() *affine {
	if c.at == nil {
		c.at = []affine{{a: 1, d: 1}}
	}
	return &c.at[len(c.at)-1]
}

func (c *textCanvas) Push() { c.at = append(c.at, *c.top()) }
func (c *textCanvas) Pop()  { c.at = c.at[:len(c.at)-1] }
func (c *textCanvas) Rotate(r float64) {
	*c.top() = c.top().then(affine{a: math.Cos(r), b: -math.Sin(r), c: math.Sin(r), d: math.Cos(r)})
}

func (c *textCanvas) Translate(p vg.Point) {
	*c.top() = c.top().then(affine{a: 1, d: 1, e: float64(p.X), f: float64(p.Y)})
}
func (c *textCanvas) Scale(x, y float64) { *c.top() = c.top().then(affine{a: x, d: y}) }

// FillString takes letters for as high as an x, from its foot to its head.
func (c *textCanvas) FillString(face font.Face, at vg.Point, text string) {
	m := c.top()
	box := vg.Rectangle{Min: vg.Point{X: vg.Inch * 100, Y: vg.Inch * 100}, Max: vg.Point{X: -vg.Inch * 100, Y: -vg.Inch * 100}}
	for _, corner := range []vg.Point{at, at.Add(vg.Point{X: face.Width(text), Y: 0.45 * face.Font.Size})} {
		x := vg.Length(m.a*float64(corner.X) + m.b*float64(corner.Y) + m.e)
		y := vg.Length(m.c*float64(corner.X) + m.d*float64(corner.Y) + m.f)
		box.Min = vg.Point{X: min(box.Min.X, x), Y: min(box.Min.Y, y)}
		box.Max = vg.Point{X: max(box.Max.X, x), Y: max(box.Max.Y, y)}
	}
	c.texts, c.boxes = append(c.texts, text), append(c.boxes, box)
}

// No text touches another one or leaves the figure, in figures of any kind and width.
func TestTextIsApart(t *testing.T) {
	for _, f := range append(examples(t), intervals(), many()) {
		for _, width := range []float64{f.Width, 1.4 * f.Width} {
			f.Resize(width)
			var c textCanvas
			f.draw(&c)
			if len(c.texts) < 5 {
				t.Errorf("%s: %d texts", f.ID, len(c.texts))
			}
			for i, a := range c.boxes {
				if a.Min.X < 0 || a.Min.Y < 0 || a.Max.X > vg.Length(f.Width) || a.Max.Y > vg.Length(f.Height) {
					t.Errorf("%s: %q leaves the figure: %v", f.ID, c.texts[i], a)
				}
				for j, b := range c.boxes[:i] {
					if a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y {
						t.Errorf("%s: %q and %q touch: %v, %v", f.ID, c.texts[j], c.texts[i], b, a)
					}
				}
			}
		}
	}
}

// intervals is a figure of six panels.
func intervals() *Figure {
	f := &Figure{ID: "intervals", Columns: 3}
	for _, title := range []string{"MSR-RTE", "Edinburgh++", "MultiMWA-Wiki", "iSTS headlines", "iSTS images", "iSTS students"} {
		v := f.Intervals(title, "F1", "the same words without transport", []string{"true", "shuffled", "discrete"})
		v.Names, v.Zero = []string{"balanced", "partial", "unbalanced"}, 95.4+float64(len(f.Panels))
		for s := range v.Series {
			for k := range v.Names {
				at := v.Zero + 0.3*float64(s+k)
				v.Series[s].Add(at, at-0.4, at+0.5)
			}
		}
	}
	return f.FitLines(24)
}

// many is a figure of curves that end close together.
func many() *Figure {
	c := &Curves{X: "million tokens", Y: "Pearson × 100", LogX: true}
	for i, name := range []string{"SIF + PC", "Euclidean avg + Mix + PC", "CoMB", "CoMB + Mix + PC", "NBoW", "SIF"} {
		y := float64(i)
		c.Curves = append(c.Curves, Curve{Name: name, X: []float64{11, 20.9, 39.1, 86.3, 164, 293}, Y: []float64{30 + 3*y, 40 + 2*y, 50 + y, 55 + y/2, 58 + y/4, 60 + y/8}})
	}
	return &Figure{ID: "many", Width: Column, Height: 0.8 * Column, Columns: 1, Panels: []Panel{{Title: "GloVe", Curves: c}}}
}
