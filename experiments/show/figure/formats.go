package figure

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"html"
	"image"
	"image/color"
	"io"
	"math"
	"strings"
	"sync"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"contextmover/internal/printable"
)

// description is what files say of the figure besides its title: the caption, and where the numbers come from.
func (f *Figure) description() string {
	source := "profile " + f.Provenance.Profile
	if f.Provenance.Space != "" {
		source = "space " + f.Provenance.Space
	}
	if len(f.Provenance.Artefacts) > 0 {
		source += "; artefacts " + strings.Join(f.Provenance.Artefacts, " ")
	}
	return printable.Text(strings.TrimSpace(f.Caption + " Source: " + source))
}

// svgCanvas marks what has a title, and keeps the widths of all texts.
type svgCanvas struct {
	vg.Canvas
	titles []string
	widths []vg.Length
}

// FillString implements vg.Canvas.
func (c *svgCanvas) FillString(face font.Face, at vg.Point, text string) {
	c.widths = append(c.widths, face.Width(text))
	c.Canvas.FillString(face, at, text)
}

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

// screen is how much larger SVG is than paper, in pixels a point: letters of 6.5 points are 13 pixels high.
const screen = 2

// SVG writes the figure as SVG, for screens: on white, so that it can be read on a dark page, larger than on
// paper and never wider than its page. What a band or a word stands for tells its numbers where the
// pointer rests on it. Text stays text, which a viewer sets in Liberation Serif or Times, whose metrics are the same,
// or in another font that it makes as wide.
func SVG(w io.Writer, f *Figure) error {
	if err := f.check(); err != nil {
		return err
	}
	canvas := vgsvg.New(vg.Length(f.Width), vg.Length(f.Height))
	c := &svgCanvas{Canvas: canvas}
	f.draw(c)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	head, rest, _ := strings.Cut(b.String(), "<svg")
	_, rest, _ = strings.Cut(rest, ">")
	b.Reset()
	fmt.Fprintf(&b, `%s<svg width="%.5g" height="%.5g" viewBox="0 0 %.5g %.5g" style="max-width:100%%;height:auto"
	role="img" xmlns="http://www.w3.org/2000/svg">
<title>%s</title>
<desc>%s</desc>
<rect width="100%%" height="100%%" fill="#ffffff"/>
`, head, screen*f.Width, screen*f.Height, f.Width, f.Height,
		html.EscapeString(printable.Text(f.Title)), html.EscapeString(f.description()))
	rest = strings.ReplaceAll(rest, "font-family:Liberation Serif",
		"font-family:'Liberation Serif','Times New Roman',Times,serif")
	rest = replaceEach(rest, "<text", func(i int) string {
		return fmt.Sprintf(`<text textLength="%.5g" lengthAdjust="spacingAndGlyphs"`, c.widths[i])
	})
	// What vgsvg writes where something with a title begins: nothing else is moved by nothing.
	rest = replaceEach(rest, `<g transform="translate(0, 0)">`, func(i int) string {
		return "<g><title>" + html.EscapeString(c.titles[i]) + "</title>"
	})
	b.WriteString(rest)
	_, err := w.Write(b.Bytes())
	return err
}

// replaceEach replaces each part of a text, of which there are so many before it.
func replaceEach(text, part string, by func(i int) string) string {
	var b strings.Builder
	for i, rest := range strings.Split(text, part) {
		if i > 0 {
			b.WriteString(by(i - 1))
		}
		b.WriteString(rest)
	}
	return b.String()
}

// DPI is the resolution of PNG, in dots per inch: what journals ask for.
const DPI = 300

// PNG writes the figure as PNG on white, which says its resolution.
func PNG(w io.Writer, f *Figure) error {
	if err := f.check(); err != nil {
		return err
	}
	c := vgimg.PngCanvas{
		Canvas: vgimg.NewWith(vgimg.UseWH(vg.Length(f.Width), vg.Length(f.Height)), vgimg.UseDPI(DPI)),
	}
	f.draw(pngCanvas{c})
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	// The resolution is a chunk of its own, after the signature and the header.
	const header = 8 + 4 + 4 + 13 + 4
	perMetre := uint32(math.Round(DPI / 0.0254))
	chunk := []byte("pHYs")
	chunk = binary.BigEndian.AppendUint32(chunk, perMetre)
	chunk = append(binary.BigEndian.AppendUint32(chunk, perMetre), 1)
	file := binary.BigEndian.AppendUint32(bytes.Clone(b.Bytes()[:header]), uint32(len(chunk)-4))
	file = binary.BigEndian.AppendUint32(append(file, chunk...), crc32.ChecksumIEEE(chunk))
	_, err := w.Write(append(file, b.Bytes()[header:]...))
	return err
}

// pngCanvas sets text as it is seen: vgimg takes one letter after the other.
type pngCanvas struct{ vg.Canvas }

// FillString implements vg.Canvas.
func (c pngCanvas) FillString(face font.Face, at vg.Point, text string) {
	c.Canvas.FillString(face, at, visual(text))
}

// fontFile is the file of the font.
var fontFile = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	if _, err := face.WriteSourceTo(nil, &b); err != nil {
		panic("figure: " + err.Error()) // the font is part of the program
	}
	return b.Bytes()
})

// pdfFamily is what fpdf calls the font: with utf8 before it, as long as the name that takes its place.
const pdfFamily = "liberationserif-ps"

// PDF writes the figure as PDF, with the letters that it needs of an embedded font, and a box for a letter that the
// font lacks. Text stays text.
func PDF(w io.Writer, f *Figure) error {
	if err := f.check(); err != nil {
		return err
	}
	c := pdfCanvas{fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: f.Width, Ht: f.Height}})}
	c.SetTitle(boxed(printable.Text(f.Title)), true)
	c.SetSubject(boxed(f.description()), true)
	// What is written depends on the figure alone, and fpdf writes a date in any case.
	c.SetCreationDate(time.Unix(0, 0).UTC())
	c.SetModificationDate(time.Unix(0, 0).UTC())
	c.SetCatalogSort(true)
	c.AddUTF8FontFromBytes(pdfFamily, "", fontFile()) // of which fpdf embeds the glyphs that are used
	c.SetMargins(0, 0, 0)
	c.AddPage()
	c.Push()
	// The page counts from its upper left corner.
	c.Translate(vg.Point{Y: vg.Length(f.Height)})
	c.Scale(1, -1)
	vg.Initialize(c)
	f.draw(c)
	c.Pop()
	var b bytes.Buffer
	if err := c.Output(&b); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	// PDF wants a tag of six capital letters before the name of a font that lacks glyphs, another one for other glyphs
	// [PDF 1.7, 9.6.4], where fpdf writes utf8. The name keeps its length, and so all objects their places.
	sum := sha256.Sum256(b.Bytes())
	tag := make([]byte, 6)
	for i := range tag {
		tag[i] = 'A' + sum[i]%26
	}
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("utf8"+pdfFamily), append(tag, "+LiberationSerif"...)))
	return err
}

// pdfCanvas draws a page of PDF. It stands in for vgpdf, which makes its fonts in temporary files.
type pdfCanvas struct{ *fpdf.Fpdf }

// SetLineWidth implements vg.Canvas.
func (c pdfCanvas) SetLineWidth(w vg.Length) { c.Fpdf.SetLineWidth(w.Points()) }

// SetLineDash implements vg.Canvas.
func (c pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	lengths := make([]float64, len(pattern))
	for i, d := range pattern {
		lengths[i] = d.Points()
	}
	c.SetDashPattern(lengths, offset.Points())
}

// SetColor implements vg.Canvas.
func (c pdfCanvas) SetColor(v color.Color) {
	if v == nil {
		v = color.Black
	}
	plain := color.NRGBAModel.Convert(v).(color.NRGBA) // PDF has alpha apart
	r, g, b := int(plain.R), int(plain.G), int(plain.B)
	c.SetFillColor(r, g, b)
	c.SetDrawColor(r, g, b)
	c.SetTextColor(r, g, b)
	c.SetAlpha(float64(plain.A)/math.MaxUint8, "Normal")
}

// Rotate implements vg.Canvas.
func (c pdfCanvas) Rotate(radians float64) { c.TransformRotate(-radians*180/math.Pi, 0, 0) }

// Translate implements vg.Canvas.
func (c pdfCanvas) Translate(by vg.Point) { c.TransformTranslate(by.X.Points(), by.Y.Points()) }

// Scale implements vg.Canvas.
func (c pdfCanvas) Scale(x, y float64) { c.TransformScale(100*x, 100*y, 0, 0) }

// Push implements vg.Canvas.
func (c pdfCanvas) Push() { c.TransformBegin() }

// Pop implements vg.Canvas.
func (c pdfCanvas) Pop() { c.TransformEnd() }

// Stroke implements vg.Canvas. All that is stroked has its own width.
func (c pdfCanvas) Stroke(path vg.Path) {
	if c.GetLineWidth() > 0 {
		c.path(path, "D")
	}
}

// Fill implements vg.Canvas.
func (c pdfCanvas) Fill(path vg.Path) { c.path(path, "F") }

// path draws lines, cubic curves and arcs, which is all that figures are made of.
func (c pdfCanvas) path(path vg.Path, style string) {
	var start vg.Point
	for _, part := range path {
		x, y := part.Pos.X.Points(), part.Pos.Y.Points()
		switch part.Type {
		case vg.MoveComp:
			start = part.Pos
			c.MoveTo(x, y)
		case vg.LineComp:
			c.LineTo(x, y)
		case vg.CurveComp:
			from, to := part.Control[0], part.Control[1]
			c.CurveBezierCubicTo(from.X.Points(), from.Y.Points(), to.X.Points(), to.Y.Points(), x, y)
		case vg.ArcComp:
			const degree = math.Pi / 180
			r := part.Radius.Points()
			c.ArcTo(x, y, r, r, 0, part.Start/degree, (part.Start+part.Angle)/degree)
		case vg.CloseComp:
			c.LineTo(start.X.Points(), start.Y.Points())
			c.ClosePath()
		}
	}
	c.DrawPath(style)
}

// FillString implements vg.Canvas.
func (c pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	c.SetFont(pdfFamily, "", face.Font.Size.Points())
	c.Push()
	c.Translate(at)
	c.Scale(1, -1)
	c.Text(0, 0, visual(text))
	c.Pop()
}

// DrawImage implements vg.Canvas. Figures have no images.
func (c pdfCanvas) DrawImage(vg.Rectangle, image.Image) { panic("figure: an image") }
