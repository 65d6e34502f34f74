package figure

import (
	"image/color"
	"sort"
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"
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

// widest is the width of the widest of some texts.
func widest(style draw.TextStyle, texts []string) (width vg.Length) {
	for _, text := range texts {
		width = max(width, style.Width(text))
	}
	return width
}

// shortened returns as much of a text as is not wider than width, with … for the rest.
func shortened(style draw.TextStyle, text string, width vg.Length) string {
	if style.Width(text) <= width {
		return text
	}
	runes := []rune(text)
	cut := func(n int) string { return strings.TrimRight(string(runes[:n]), " ") + "…" }
	fits := sort.Search(len(runes), func(n int) bool { return style.Width(cut(n)) > width }) // the least that does not
	return cut(max(fits-1, 0))
}

// face is the font.
var face = font.DefaultCache.Lookup(plot.DefaultFont, 1).Face

// lacks reports whether the font has no glyph for a letter.
func lacks(r rune) bool {
	glyph, err := face.GlyphIndex(new(sfnt.Buffer), r)
	return err == nil && glyph == 0
}

// boxed returns text with a box for each letter that the font lacks, since its own sign for one is blank. What only
// tells how letters join, which the font cannot, is left out.
func boxed(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.In(r, unicode.Join_Control, unicode.Variation_Selector):
			return -1
		case lacks(r):
			return '□'
		}
		return r
	}, text)
}

// visual is boxed in the order in which glyphs stand from left to right: Hebrew and Arabic run the other way.
func visual(text string) string {
	const leftToRight = "\u200e" // so that it runs as SVG does, whatever it begins with
	text = boxed(text)
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
		s := run.String()
		if run.Direction() == bidi.RightToLeft {
			s = bidi.ReverseString(s)
		}
		b.WriteString(s)
	}
	return strings.TrimPrefix(b.String(), leftToRight)
}

func withAlpha(c color.NRGBA, alpha float64) color.NRGBA {
	c.A = uint8(255*alpha + 0.5)
	return c
}

// darker mixes a colour with black.
func darker(c color.NRGBA, share float64) color.NRGBA { return mixed(c, color.NRGBA{A: c.A}, share) }

// mixed is a colour with a share of another one.
func mixed(a, b color.NRGBA, share float64) color.NRGBA {
	mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-share) + float64(b)*share + 0.5) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), mix(a.A, b.A)}
}

var (
	grey      = color.NRGBA{150, 150, 150, 255}
	lightGrey = color.NRGBA{205, 205, 205, 255}
)
