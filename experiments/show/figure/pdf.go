package figure

import (
	"bytes"
	"compress/zlib"
	_ "embed"
	"fmt"
	"image"
	"image/color"
	"math"
	"sync"

	"codeberg.org/go-pdf/fpdf"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdfCanvas draws a page of PDF. It stands in for vgpdf, which makes its fonts in temporary files, and
// panics where there is no room for one. Text in ASCII stays text, in a font that has the glyphs of
// ASCII only; other text, for which that font's encoding has no codes, becomes outlines.
type pdfCanvas struct {
	doc *fpdf.Fpdf
	// What Push keeps: fpdf restores the state of the page, but not what is asked of it.
	width []vg.Length
}

func newPDF(width, height vg.Length) *pdfCanvas {
	sortCatalogue()
	c := &pdfCanvas{
		doc: fpdf.NewCustom(&fpdf.InitType{
			UnitStr: "pt", Size: fpdf.SizeType{Wd: width.Points(), Ht: height.Points()},
		}),
		width: make([]vg.Length, 1),
	}
	c.doc.SetMargins(0, 0, 0)
	c.doc.AddPage()
	c.Push()
	// The page counts from its upper left corner.
	c.Translate(vg.Point{Y: height})
	c.Scale(1, -1)
	vg.Initialize(c)
	return c
}

// bytes ends the page and returns the file.
func (c *pdfCanvas) bytes() ([]byte, error) {
	c.Pop()
	var b bytes.Buffer
	err := c.doc.Output(&b)
	return b.Bytes(), err
}

// SetLineWidth implements vg.Canvas.
func (c *pdfCanvas) SetLineWidth(w vg.Length) {
	c.width[len(c.width)-1] = w
	c.doc.SetLineWidth(w.Points())
}

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
func (c *pdfCanvas) Push() {
	c.width = append(c.width, c.width[len(c.width)-1])
	c.doc.TransformBegin()
}

// Pop implements vg.Canvas.
func (c *pdfCanvas) Pop() {
	c.doc.TransformEnd()
	c.width = c.width[:len(c.width)-1]
}

// Stroke implements vg.Canvas.
func (c *pdfCanvas) Stroke(path vg.Path) {
	if c.width[len(c.width)-1] > 0 {
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
			if len(part.Control) != 2 {
				panic("figure: a curve that is not cubic")
			}
			from, to := part.Control[0], part.Control[1]
			c.doc.CurveBezierCubicTo(from.X.Points(), from.Y.Points(), to.X.Points(), to.Y.Points(), x, y)
		case vg.ArcComp:
			c.arc(part, style)
		case vg.CloseComp:
			c.doc.LineTo(start.X.Points(), start.Y.Points())
			c.doc.ClosePath()
		default:
			panic(fmt.Sprintf("figure: a part of a path of the type %d", part.Type))
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
	embedded := face.Font.Variant == plot.DefaultFont.Variant
	for _, r := range text {
		embedded = embedded && r < 0x7f
	}
	if !embedded {
		c.Fill(outlines(face, at, text))
		return
	}
	c.doc.AddFontFromBytes(face.Name(), "", pdfFont, pdfFontFile())
	c.doc.SetFont(face.Name(), "", face.Font.Size.Points())
	c.Push()
	defer c.Pop()
	c.Translate(at)
	c.Scale(1, -1)
	// The cell that has its base line here.
	_, height := c.doc.GetFontSize()
	d := c.doc.GetFontDesc(face.Name(), "")
	top := -float64(d.Ascent) * height / float64(d.Ascent-d.Descent)
	c.doc.MoveTo(-c.doc.GetCellMargin(), top)
	c.doc.CellFormat(c.doc.GetStringWidth(text), height, text, "", 0, "BL", false, 0, "")
}

// DrawImage implements vg.Canvas. Figures have no images.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) { panic("figure: an image") }

// pdfFont are the metrics of asciiFont, as fpdf.MakeFont describes them.
//
//go:embed font.json
var pdfFont []byte

// pdfFontFile is the font file that a PDF file embeds, as asciiFont made it, compressed.
var pdfFontFile = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, err := asciiFont().WriteSourceTo(nil, z)
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		panic("figure: " + err.Error()) // the font is part of the program
	}
	return b.Bytes()
})
