package figure

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas draws a page of PDF. It stands in for vgpdf, which makes its fonts in temporary files.
type pdfCanvas struct{ doc *fpdf.Fpdf }

// newPDF returns a page of the figure's size, with its metadata.
func newPDF(f *Figure) *pdfCanvas {
	c := &pdfCanvas{fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: f.Width, Ht: f.Height}})}
	title, caption, source := f.metadata()
	c.doc.SetProducer(software, true)
	c.doc.SetTitle(basic(title), true)
	c.doc.SetSubject(basic(caption), true)
	c.doc.SetKeywords(basic(source), true)
	// What is written depends on the figure alone, and fpdf writes a date in any case.
	c.doc.SetCreationDate(time.Unix(0, 0).UTC())
	c.doc.SetModificationDate(time.Unix(0, 0).UTC())
	c.doc.SetCatalogSort(true)
	c.doc.AddUTF8FontFromBytes(pdfFamily, "", fontFile()) // of which fpdf embeds the glyphs that are used
	c.doc.SetMargins(0, 0, 0)
	c.doc.AddPage()
	c.Push()
	// The page counts from its upper left corner.
	c.Translate(vg.Point{Y: vg.Length(f.Height)})
	c.Scale(1, -1)
	vg.Initialize(c)
	return c
}

// write ends the page and writes the file.
func (c *pdfCanvas) write(w io.Writer) error {
	c.Pop()
	var b bytes.Buffer
	if err := c.doc.Output(&b); err != nil {
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

// pdfFamily is what fpdf calls the font: with utf8 before it, as long as the name that takes its place.
const pdfFamily = "liberationserif-ps"

// basic returns text without what fpdf cannot write: signs beyond the first 65,536, which become boxes.
func basic(text string) string {
	return strings.Map(func(r rune) rune {
		if r > 0xffff {
			return '□'
		}
		return r
	}, text)
}

// SetLineWidth implements vg.Canvas.
func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.doc.SetLineWidth(w.Points()) }

// SetLineDash implements vg.Canvas.
func (c *pdfCanvas) SetLineDash(pattern []vg.Length, offset vg.Length) {
	lengths := make([]float64, len(pattern))
	for i, d := range pattern {
		lengths[i] = d.Points()
	}
	c.doc.SetDashPattern(lengths, offset.Points())
}

// SetColor implements vg.Canvas.
func (c *pdfCanvas) SetColor(v color.Color) {
	if v == nil {
		v = color.Black
	}
	plain := color.NRGBAModel.Convert(v).(color.NRGBA) // PDF has alpha apart
	r, g, b := int(plain.R), int(plain.G), int(plain.B)
	c.doc.SetFillColor(r, g, b)
	c.doc.SetDrawColor(r, g, b)
	c.doc.SetTextColor(r, g, b)
	c.doc.SetAlpha(float64(plain.A)/math.MaxUint8, "Normal")
}

// Rotate implements vg.Canvas.
func (c *pdfCanvas) Rotate(radians float64) { c.doc.TransformRotate(-radians*180/math.Pi, 0, 0) }

// Translate implements vg.Canvas.
func (c *pdfCanvas) Translate(by vg.Point) { c.doc.TransformTranslate(by.X.Points(), by.Y.Points()) }

// Scale implements vg.Canvas.
func (c *pdfCanvas) Scale(x, y float64) { c.doc.TransformScale(100*x, 100*y, 0, 0) }

// Push implements vg.Canvas.
func (c *pdfCanvas) Push() { c.doc.TransformBegin() }

// Pop implements vg.Canvas.
func (c *pdfCanvas) Pop() { c.doc.TransformEnd() }

// Stroke implements vg.Canvas. All that is stroked has its own width.
func (c *pdfCanvas) Stroke(path vg.Path) {
	if c.doc.GetLineWidth() > 0 {
		c.path(path, "D")
	}
}

// Fill implements vg.Canvas.
func (c *pdfCanvas) Fill(path vg.Path) { c.path(path, "F") }

// path draws lines, cubic curves and circles, which is all that figures are made of.
func (c *pdfCanvas) path(path vg.Path, style string) {
	var start vg.Point
	for _, part := range path {
		x, y := part.Pos.X.Points(), part.Pos.Y.Points()
		switch part.Type {
		case vg.MoveComp:
			start = part.Pos
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.CurveComp:
			from, to := part.Control[0], part.Control[1]
			c.doc.CurveBezierCubicTo(from.X.Points(), from.Y.Points(), to.X.Points(), to.Y.Points(), x, y)
		case vg.ArcComp:
			c.arc(part, style)
		case vg.CloseComp:
			c.doc.LineTo(start.X.Points(), start.Y.Points())
			c.doc.ClosePath()
		}
	}
	c.doc.DrawPath(style)
}

func (c *pdfCanvas) arc(part vg.PathComp, style string) {
	end := func(angle float64) (x, y float64) {
		at := part.Pos.Add(vg.Point{
			X: part.Radius * vg.Length(math.Cos(angle)), Y: part.Radius * vg.Length(math.Sin(angle)),
		})
		return at.X.Points(), at.Y.Points()
	}
	const degree = math.Pi / 180
	radius := part.Radius.Points()
	c.doc.LineTo(end(part.Start))
	c.doc.Arc(part.Pos.X.Points(), part.Pos.Y.Points(), radius, radius, part.Angle/degree, part.Start/degree,
		(part.Start+part.Angle)/degree, style)
	c.doc.MoveTo(end(part.Start + part.Angle))
}

// FillString implements vg.Canvas.
func (c *pdfCanvas) FillString(face font.Face, at vg.Point, text string) {
	c.doc.SetFont(pdfFamily, "", face.Font.Size.Points())
	c.Push()
	defer c.Pop()
	c.Translate(at)
	c.Scale(1, -1)
	c.doc.Text(0, 0, visual(text))
}

// DrawImage implements vg.Canvas. Figures have no images.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) { panic("figure: an image") }
