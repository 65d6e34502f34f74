package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// placer places labels next to their anchors, so that none covers another.
type placer struct {
	frame vg.Rectangle
	taken []vg.Rectangle // where nothing may be
	avoid []vg.Point     // where a label had better not be
}

// placed is a label with its place.
type placed struct {
	style  draw.TextStyle
	text   string
	anchor vg.Point
	box    vg.Rectangle
}

// place finds the best free place for a label: near its anchor, to the right rather
// than to the left, with few points beneath it. Where none is free within reach it
// returns false.
func (p *placer) place(style draw.TextStyle, text string, anchor vg.Point) (placed, bool) {
	// The box holds the letters, from the ends of g to the tip of l, with a little room.
	half := vg.Point{X: (style.Width(text) + 2) / 2, Y: 0.94 * style.Font.Size / 2}
	best, bestCost := vg.Rectangle{}, math.Inf(1)
	for ring, distance := range []vg.Length{2.5, 7, 13} {
		for step := range 16 {
			angle := 2 * math.Pi * float64(step) / 16
			cos, sin := vg.Length(math.Cos(angle)), vg.Length(math.Sin(angle))
			// The box's nearest point to the anchor lies in this direction.
			centre := vg.Point{X: anchor.X + cos*(distance+half.X), Y: anchor.Y + sin*(distance+half.Y)}
			box := around(centre, half.X, half.Y)
			if !inside(box, p.frame) || p.covers(box) {
				continue
			}
			cost := 3*float64(ring) + 0.4*(1-float64(cos)) + 0.2*math.Abs(float64(sin))
			for _, q := range p.avoid {
				if q != anchor && contains(box, q) {
					cost += 0.5
				}
			}
			if cost < bestCost-1e-9 {
				best, bestCost = box, cost
			}
		}
	}
	if math.IsInf(bestCost, 1) {
		return placed{}, false
	}
	p.taken = append(p.taken, best)
	return placed{style, text, anchor, best}, true
}

// around is the rectangle around a point, so far on each side.
func around(at vg.Point, x, y vg.Length) vg.Rectangle {
	return rectangle(at.X-x, at.Y-y, at.X+x, at.Y+y)
}

func rectangle(left, bottom, right, top vg.Length) vg.Rectangle {
	return vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: right, Y: top}}
}

func (p *placer) covers(box vg.Rectangle) bool {
	for _, t := range p.taken {
		if box.Min.X < t.Max.X && t.Min.X < box.Max.X && box.Min.Y < t.Max.Y && t.Min.Y < box.Max.Y {
			return true
		}
	}
	return false
}

func inside(box, frame vg.Rectangle) bool {
	return box.Min.X >= frame.Min.X && box.Max.X <= frame.Max.X && box.Min.Y >= frame.Min.Y && box.Max.Y <= frame.Max.Y
}

func contains(box vg.Rectangle, p vg.Point) bool {
	return p.X > box.Min.X && p.X < box.Max.X && p.Y > box.Min.Y && p.Y < box.Max.Y
}

// draw draws the label, with a line to its anchor if that is not next to it.
func (l placed) draw(c draw.Canvas) {
	near := vg.Point{
		X: min(max(l.anchor.X, l.box.Min.X), l.box.Max.X),
		Y: min(max(l.anchor.Y, l.box.Min.Y), l.box.Max.Y),
	}
	if math.Hypot(float64(near.X-l.anchor.X), float64(near.Y-l.anchor.Y)) > 5 {
		c.StrokeLine2(draw.LineStyle{Color: color.NRGBA{90, 90, 90, 255}, Width: 0.35}, l.anchor.X,
			l.anchor.Y, near.X, near.Y)
	}
	// Text at YBottom has its base line this far above its place.
	lift := l.style.Font.Size - l.style.FontExtents().Ascent
	at := vg.Point{X: l.box.Min.X + 1, Y: l.box.Min.Y + 0.22*l.style.Font.Size - lift}
	l.style.Handler.Draw(haloCanvas{c.Canvas}, l.text, l.style, at)
	c.FillText(l.style, at, l.text)
}

// haloCanvas draws the white border of letters instead of the letters.
type haloCanvas struct{ vg.Canvas }

// FillString implements vg.Canvas.
func (c haloCanvas) FillString(face font.Face, at vg.Point, text string) {
	c.SetColor(withAlpha(color.NRGBA{255, 255, 255, 255}, 0.8))
	c.SetLineWidth(1.2)
	c.SetLineDash(nil, 0)
	c.Stroke(outlines(face.Font.Size, at, text))
}
