package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"sort"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/bidi"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"contextmover/internal/printable"
)

// Sizes of text, in points. What is read on paper has at least 7.
const (
	titleSize = 8
	textSize  = 7.5
	smallSize = 7
)

// face is the font, and family its name in SVG.
var face = font.DefaultCache.Lookup(plot.DefaultFont, 1).Face

const family = "Liberation Serif"

// fontFile is the file of the font.
var fontFile = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	if _, err := face.WriteSourceTo(nil, &b); err != nil {
		panic("figure: " + err.Error()) // the font is part of the program
	}
	return b.Bytes()
})

// letters returns black text of a size in points.
func letters(size float64) draw.TextStyle {
	return draw.TextStyle{
		Color: color.Black, Font: font.From(plot.DefaultFont, vg.Length(size)), Handler: words{plot.DefaultTextHandler},
	}
}

// aligned returns black text of a size in points whose given part stands at its place.
func aligned(size float64, x draw.XAlignment, y draw.YAlignment) draw.TextStyle {
	text := letters(size)
	text.XAlign, text.YAlign = x, y
	return text
}

// words sets any word as text that can be shown, before it is measured.
type words struct{ draw.TextHandler }

// Lines implements draw.TextHandler.
func (w words) Lines(text string) []string { return w.TextHandler.Lines(printable.Text(text)) }

// Draw implements draw.TextHandler.
func (w words) Draw(c vg.Canvas, text string, style draw.TextStyle, at vg.Point) {
	w.TextHandler.Draw(c, printable.Text(text), style, at)
}

// visual returns text in the order in which its glyphs stand from left to right: Hebrew runs the other
// way. A letter that the font lacks becomes a box: the font's own sign for one is blank. What only tells
// how letters join, which the font cannot, is left out.
func visual(text string) string {
	const leftToRight, zeroWidthNonJoiner, zeroWidthJoiner = "\u200e", 0x200c, 0x200d
	var buffer sfnt.Buffer
	text = strings.Map(func(r rune) rune {
		if r == zeroWidthNonJoiner || r == zeroWidthJoiner || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		if glyph, err := face.GlyphIndex(&buffer, r); err == nil && glyph == 0 {
			return '□'
		}
		return r
	}, text)
	// The mark makes it run as SVG does, whatever it begins with.
	var p bidi.Paragraph
	if _, err := p.SetString(leftToRight + text); err != nil {
		return text
	}
	order, err := p.Order()
	if err != nil {
		return text
	}
	var b strings.Builder
	for i := range order.NumRuns() {
		run := order.Run(i)
		if run.Direction() == bidi.RightToLeft {
			b.WriteString(bidi.ReverseString(run.String()))
		} else {
			b.WriteString(run.String())
		}
	}
	return strings.TrimPrefix(b.String(), leftToRight)
}

// pngCanvas sets text as it is seen: vgimg takes one letter after the other.
type pngCanvas struct{ vg.Canvas }

// FillString implements vg.Canvas.
func (c pngCanvas) FillString(face font.Face, at vg.Point, text string) {
	c.Canvas.FillString(face, at, visual(text))
}

// svgCanvas makes vgsvg embed another font than the one that text is set in, and marks what has a title.
type svgCanvas struct {
	vg.Canvas
	face   *opentype.Font
	titles []string
}

// titledGroup is what vgsvg writes where something with a title begins: nothing else is moved by nothing.
const titledGroup = `<g transform="translate(0, 0)">`

// titled draws what shows a title where the pointer rests on it, in formats that can.
func titled(c draw.Canvas, title string, draw func()) {
	svg, ok := c.Canvas.(*svgCanvas)
	if !ok {
		draw()
		return
	}
	svg.titles = append(svg.titles, printable.Text(title))
	svg.Push()
	svg.Translate(vg.Point{})
	draw()
	svg.Pop()
}

// shortened returns as much of a text as is not wider than width, with … for the rest.
func shortened(style draw.TextStyle, text string, width vg.Length) string {
	if style.Width(text) <= width {
		return text
	}
	runes := []rune(text)
	fits := sort.Search(len(runes), func(n int) bool { // the least n that is too long
		return style.Rectangle(strings.TrimRight(string(runes[:n]), " ")+"…").Size().X > width
	})
	return strings.TrimRight(string(runes[:max(fits-1, 0)]), " ") + "…"
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(face font.Face, at vg.Point, text string) {
	face.Face = c.face
	c.Canvas.FillString(face, at, text)
}

// outlines returns the outlines of text of a size that starts at a point of the base line.
func outlines(size vg.Length, at vg.Point, text string) vg.Path {
	var (
		path   vg.Path
		last   vg.Point
		buffer sfnt.Buffer
	)
	// Glyphs are read in the font's own units.
	units := fixed.I(int(face.UnitsPerEm()))
	scale := size / vg.Length(face.UnitsPerEm()) / 64
	for _, r := range visual(text) {
		index, err := face.GlyphIndex(&buffer, r)
		if err != nil {
			panic(fmt.Sprintf("figure: glyph of %q: %v", r, err))
		}
		segments, err := face.LoadGlyph(&buffer, index, units, nil)
		if err != nil {
			panic(fmt.Sprintf("figure: glyph of %q: %v", r, err))
		}
		point := func(p fixed.Point26_6) vg.Point {
			return vg.Point{X: at.X + vg.Length(p.X)*scale, Y: at.Y - vg.Length(p.Y)*scale}
		}
		for i, s := range segments {
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				if i > 0 {
					path.Close()
				}
				last = point(s.Args[0])
				path.Move(last)
			case sfnt.SegmentOpLineTo:
				last = point(s.Args[0])
				path.Line(last)
			case sfnt.SegmentOpQuadTo:
				// As a cubic curve: PDF has no others.
				control, end := point(s.Args[0]), point(s.Args[1])
				path.CubeTo(last.Add(control.Sub(last).Scale(2.0/3)), end.Add(control.Sub(end).Scale(2.0/3)), end)
				last = end
			}
		}
		if len(segments) > 0 {
			path.Close()
		}
		advance, err := face.GlyphAdvance(&buffer, index, units, 0)
		if err != nil {
			panic(fmt.Sprintf("figure: width of %q: %v", r, err))
		}
		at.X += vg.Length(advance) * scale
	}
	return path
}

func withAlpha(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(255*alpha + 0.5)
	return c
}

// darker mixes a colour with black.
func darker(c color.NRGBA, share float64) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(float64(v)*(1-share) + 0.5) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), c.A}
}

var (
	grey      = color.NRGBA{150, 150, 150, 255}
	lightGrey = color.NRGBA{205, 205, 205, 255}
)
